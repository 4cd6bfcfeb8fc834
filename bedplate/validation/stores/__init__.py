"""Where a run keeps what outlives its process: who runs, and what was sent."""
