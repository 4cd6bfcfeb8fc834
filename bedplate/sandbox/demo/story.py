"""The demonstration's steps, one after another; whatever happens, what was started is stopped."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bedplate.errors import BedplateError, ChecksFailed, ExitCode
from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.demo.child_progress import ChildProgress
from bedplate.sandbox.demo.children import run_bedplate
from bedplate.sandbox.demo.request import DemoRequest
from bedplate.sandbox.fleet.binding import INJECTED_FILE
from bedplate.sandbox.fleet.comparison import Comparison, compare
from bedplate.sandbox.fleet.faults import draw
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import LOG_NAME, SandboxRecord, client_environment

if TYPE_CHECKING:
    from bedplate.spec import Environment
    from bedplate.validation.progress import Progress

KEPT = (INJECTED_FILE, LOG_NAME)
_DONE = re.compile(r"✅\s+(?P<stack>\S+)")


class Demo:
    """One demonstration. ``run`` deploys, checks, validates and compares; each call needs a new object."""

    def __init__(self, *, request: DemoRequest, progress: Progress) -> None:
        self._request = request
        self._progress = progress
        self._variables: dict[str, str] = {}
        self._state_dir = Path()

    def run(self) -> Comparison:
        """Do all of it and return how what was named compares with what was injected.

        Raises ``BedplateError`` where a step could not be done: that is never an equal comparison.
        """
        from bedplate.spec import load_environment

        request = self._request
        request.check()
        environment = load_environment(request.environment)
        request.prepare()
        # A folder of its own, which the validating process is not told of: the faults are in it.
        self._state_dir = Path(tempfile.mkdtemp(prefix="bedplate-sandbox-"))
        try:
            return self._play(environment)
        finally:
            self._keep_and_remove_state()

    def _play(self, environment: Environment) -> Comparison:
        self._progress.phase("Start the local AWS stand-in")
        record = self._start(environment)
        try:
            self._variables = client_environment(record)
            self._deploy(environment)
            self._validate()
            comparison = self._compare()
        except BaseException:
            # What ended the demonstration is what is told, though the stand-in had to be killed too.
            with suppress(BedplateError):
                self._stop(record)
            raise
        self._stop(record)
        return comparison

    def _stop(self, record: SandboxRecord) -> None:
        self._progress.phase("Stop what was started")
        stop_sandbox(record)

    def _keep_and_remove_state(self) -> None:
        """Keep what tells how it went, beside the page; the simulated nodes are gone."""
        for name in KEPT:
            if (self._state_dir / name).exists():
                shutil.copyfile(self._state_dir / name, self._request.output / name)
        shutil.rmtree(self._state_dir, ignore_errors=True)

    def _start(self, environment: Environment) -> SandboxRecord:
        faults = self._state_dir / "faults.json"
        nodes = sum(pool.max_nodes for pool in environment.pools)
        draw(self._request.seed, nodes=nodes).save(faults)
        return start_sandbox(
            state_dir=self._state_dir,
            faults=faults,
            account=environment.account,
            region=environment.region,
            owned=True,
        )

    def _deploy(self, environment: Environment) -> None:
        with (self._request.output / "cdk.log").open("w", encoding="utf-8") as log:

            def keep(line: str) -> None:
                log.write(line + "\n")
                self._tell_cdk(line)

            cdk = Cdk(
                project=self._request.repository,
                environment=self._variables,
                output=self._request.assembly_dir.resolve(),
                on_line=keep,
            )
            self._progress.phase("Synthesise the stacks")
            cdk.synth({"env": self._context_name()})
            stacks = len(_stacks(self._request.assembly_dir))
            self._progress.phase("Bootstrap the account")
            cdk.bootstrap(account=environment.account, region=environment.region)
            self._check_before()
            self._progress.phase("Deploy the stacks", stacks)
            cdk.deploy()

    def _tell_cdk(self, line: str) -> None:
        done = _DONE.search(line)
        if done and not line.rstrip().endswith("bootstrapped."):
            self._progress.advance(done["stack"])

    def _check_before(self) -> None:
        self._progress.phase("Preflight")
        status = self._bedplate("Preflight", "preflight", "--output", str(self._request.output / "preflight"))
        if status != ExitCode.OK:
            raise ChecksFailed(
                f"preflight ended with {status} in the stand-in",
                error_id="DEM-004",
                remedy=f"See {self._request.output / 'preflight.log'} for the checks that failed.",
            )

    def _validate(self) -> None:
        self._progress.phase("Validate the cluster")
        status = self._bedplate("Validate", "validate", "--output", str(self._request.output))
        if status not in (ExitCode.OK, ExitCode.CHECKS_FAILED):
            raise BedplateError(
                f"validation ended with {status} and can not be compared",
                error_id="DEM-005",
                remedy=f"See {self._request.output / 'validate.log'}.",
            )

    def _bedplate(self, title: str, command: str, *arguments: str) -> int:
        return run_bedplate(
            [command, "-e", str(self._request.environment), *arguments],
            environment=self._variables,
            cwd=self._request.repository,
            log=self._request.output / f"{command}.log",
            on_progress=ChildProgress(self._progress, title=title).hear,
        )

    def _compare(self) -> Comparison:
        from bedplate.validation.reports.result_file import read_result

        injected: dict[str, Any] = json.loads((self._state_dir / INJECTED_FILE).read_text())
        return compare(injected, read_result(self._request.result))

    def _context_name(self) -> str:
        """What ``-c env=`` takes: the environment's file name without its ending, or the path."""
        path = self._request.environment
        folder = self._request.repository / "environments"
        return path.stem if path.parent.resolve() == folder.resolve() else str(path)


def _stacks(assembly: Path) -> list[str]:
    manifest = json.loads((assembly / "manifest.json").read_text(encoding="utf-8"))
    return [
        name for name, part in manifest["artifacts"].items() if part["type"] == "aws:cloudformation:stack"
    ]
