"""What happens to an environment over its life: what it needs to know of AWS is asked for once and kept."""
