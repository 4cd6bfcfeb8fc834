"""The ``bedplate`` command, thin."""
