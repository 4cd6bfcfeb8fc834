"""The steps of the bootstrap, one a file."""
