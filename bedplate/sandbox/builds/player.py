"""Runs builds: each in a thread that keeps a process, with the time limit of its project."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bedplate.sandbox.builds.records import ENDED, BuildRecords
from bedplate.sandbox.builds.workplace import build_environment, install, unpack_source
from bedplate.sandbox.options import SandboxOptions
from bedplate.sandbox.services.service import ApiError

LOG = logging.getLogger("bedplate.sandbox.codebuild")
OnEnd = Callable[[Mapping[str, Any]], None]


class BuildPlayer:
    """Starts builds of the projects in ``records``; ``on_end`` hears of each that has ended.

    The commands of the install phase are not run, for nothing outside this machine is reached: the wheel is
    put in place instead. Those of the build phase are run as they are, in one shell. With the switch
    ``builds`` set to ``hold`` a build is started and never run.
    """

    def __init__(
        self, *, records: BuildRecords, endpoint: str, state_dir: Path, options: SandboxOptions
    ) -> None:
        self._records = records
        self._options = options
        self._endpoint = endpoint
        self._folder = state_dir / "builds"
        self._lock = threading.Lock()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._closed = False
        self.on_end: OnEnd = lambda _build: None

    def start(
        self, *, account: str, region: str, project_name: str, overrides: Mapping[str, str]
    ) -> dict[str, Any]:
        """Start a build and return its record. Raises ``ApiError`` where there is no such project."""
        project = self._records.projects.get(project_name)
        if project is None:
            raise ApiError("ResourceNotFoundException", f"Project cannot be found: {project_name}")
        build_id = f"{project_name}:{uuid.uuid4()}"
        variables = {each["name"]: each["value"] for each in project["environment"]["environmentVariables"]}
        build = {
            "id": build_id,
            "arn": f"arn:aws:codebuild:{region}:{account}:build/{build_id}",
            "projectName": project_name,
            "buildStatus": "IN_PROGRESS",
            "currentPhase": "BUILD",
            "startTime": datetime.now(UTC),
            "buildComplete": False,
            "environment": {
                **project["environment"],
                "environmentVariables": [
                    {"name": name, "value": value, "type": "PLAINTEXT"}
                    for name, value in {**variables, **overrides}.items()
                ],
            },
        }
        self._records.builds[build_id] = build
        if self._options.section("builds", "run") == "hold":
            return build
        threading.Thread(
            target=self._run,
            args=(project, build, account, region, {**variables, **overrides}),
            name="codebuild",
            daemon=True,
        ).start()
        return build

    def stop(self, build_id: str) -> None:
        """End a build; nothing happens where it has ended."""
        build = self._records.builds.get(build_id)
        if build is None:
            raise ApiError("ResourceNotFoundException", f"Build cannot be found: {build_id}")
        self._finish(build, "STOPPED")
        self._kill(build_id)

    def log_of(self, build_id: str) -> Path:
        """The file that a build's output goes to."""
        return self._folder / f"{build_id.rpartition(':')[2]}.log"

    def close(self) -> None:
        """End every build that runs, with all that it started."""
        self._closed = True
        for build_id in list(self._running):
            self._kill(build_id)

    def _run(
        self,
        project: Mapping[str, Any],
        build: dict[str, Any],
        account: str,
        region: str,
        variables: Mapping[str, str],
    ) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="bedplate-build-") as name:
                folder = Path(name)
                source = unpack_source(project, account=account, folder=folder)
                site = install(source, folder=folder)
                environment = build_environment(
                    folder=folder, site=site, endpoint=self._endpoint, region=region, variables=variables
                )
                status = self._play(project, build, source, environment)
        except Exception:
            LOG.exception("build %s", build["id"])
            status = "FAULT"
        self._finish(build, status)
        if not self._closed:
            try:
                self.on_end(build)
            except Exception:  # whoever listens must not take the build's thread down
                LOG.exception("the end of build %s", build["id"])

    def _play(
        self, project: Mapping[str, Any], build: Mapping[str, Any], source: Path, environment: dict[str, str]
    ) -> str:
        commands = json.loads(project["source"]["buildspec"])["phases"]["build"]["commands"]
        log = self.log_of(build["id"])
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output:
            output.write(b"SIMULATED: the install phase puts the wheel in place and fetches nothing\n")
            output.flush()
            with self._lock:
                if self._closed:
                    return "STOPPED"
                process = subprocess.Popen(
                    ["bash", "-e", "-c", "\n".join(commands)],
                    cwd=source,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
                self._running[build["id"]] = process
            try:
                status = process.wait(timeout=60.0 * project["timeoutInMinutes"])
            except subprocess.TimeoutExpired:
                self._kill(build["id"])
                return "TIMED_OUT"
            finally:
                self._running.pop(build["id"], None)
        return "SUCCEEDED" if status == 0 else "FAILED"

    def _finish(self, build: dict[str, Any], status: str) -> None:
        with self._lock:
            if build["buildStatus"] not in ENDED:
                build.update(
                    buildStatus=status,
                    buildComplete=True,
                    currentPhase="COMPLETED",
                    endTime=datetime.now(UTC),
                )

    def _kill(self, build_id: str) -> None:
        process = self._running.get(build_id)
        if process is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                process.wait(5)
            except subprocess.TimeoutExpired:
                continue
            except ProcessLookupError:
                return
