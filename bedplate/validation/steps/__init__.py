"""The steps of a validation, in the order in which they run."""
