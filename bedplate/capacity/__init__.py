"""A pool and its capacity source → one launch plan that every orchestrator obeys."""

from __future__ import annotations

from bedplate.capacity.launch_plan import LaunchPlan, launch_plan

__all__ = ["LaunchPlan", "launch_plan"]
