"""The people of the environment file as users of a node: the list, what is there, and what to change."""
