"""The CodeBuild API: what is needed to start a run by hand and to look at it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.builds.player import BuildPlayer
from bedplate.sandbox.builds.records import BuildRecords
from bedplate.sandbox.services.service import Call, Service


class CodeBuildApi:
    """Projects and builds; projects are made by CloudFormation alone."""

    def __init__(self, *, records: BuildRecords, player: BuildPlayer) -> None:
        self._records = records
        self._player = player

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "codebuild",
            {
                "ListProjects": lambda call: {"projects": sorted(self._records.projects)},
                "BatchGetProjects": self._projects,
                "StartBuild": self._start,
                "StopBuild": self._stop,
                "BatchGetBuilds": self._builds,
                "ListBuildsForProject": self._of_project,
            },
        )

    def _projects(self, call: Call) -> Mapping[str, Any]:
        known = self._records.projects
        return {
            "projects": [known[name] for name in call.need("names") if name in known],
            "projectsNotFound": [name for name in call.need("names") if name not in known],
        }

    def _start(self, call: Call) -> Mapping[str, Any]:
        overrides = {each["name"]: each["value"] for each in call.get("environmentVariablesOverride") or []}
        build = self._player.start(
            account=call.account,
            region=call.region,
            project_name=call.need("projectName"),
            overrides=overrides,
        )
        return {"build": build}

    def _stop(self, call: Call) -> Mapping[str, Any]:
        self._player.stop(call.need("id"))
        return {"build": self._records.builds[call.need("id")]}

    def _builds(self, call: Call) -> Mapping[str, Any]:
        known = self._records.builds
        return {
            "builds": [known[build] for build in call.need("ids") if build in known],
            "buildsNotFound": [build for build in call.need("ids") if build not in known],
        }

    def _of_project(self, call: Call) -> Mapping[str, Any]:
        found = self._records.of_project(call.need("projectName"))
        return {"ids": [build["id"] for build in reversed(found)]}
