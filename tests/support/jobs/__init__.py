"""Programs that play a training and what starts it, for job scripts that are run without GPUs."""
