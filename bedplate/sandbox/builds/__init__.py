"""CodeBuild as far as the runner needs it, and the events and schedules that start it."""
