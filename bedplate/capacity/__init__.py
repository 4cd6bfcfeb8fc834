"""A pool and its capacity source → one launch plan that every orchestrator obeys."""
