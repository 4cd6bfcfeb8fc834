"""How one resource type each behaves in the sandbox, where behaviour matters."""
