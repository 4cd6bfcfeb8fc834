"""What is done about faults: planned from a result, listed, done, written down, and undone."""
