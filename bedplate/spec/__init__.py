"""What a user asks for: the typed environment file."""
