"""Compositions of constructs: an environment file's values become their props. Five stacks in all."""
