"""How a command reaches a node."""
