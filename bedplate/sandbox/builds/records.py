"""CodeBuild's projects and builds, as its API tells them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

ENDED = frozenset({"SUCCEEDED", "FAILED", "FAULT", "STOPPED", "TIMED_OUT"})


@dataclass
class BuildRecords:
    """Projects by name, builds by id, the oldest first."""

    projects: dict[str, dict[str, Any]] = field(default_factory=dict)
    builds: dict[str, dict[str, Any]] = field(default_factory=dict)

    def of_project(self, name: str) -> list[dict[str, Any]]:
        """The builds of one project."""
        return [build for build in self.builds.values() if build["projectName"] == name]
