"""Compositions of constructs: the environment file turned into props."""
