"""The session's environment and fence, and the ``real`` marker.

``@pytest.mark.real("chromium")`` marks a test that needs a real program. Where it is missing the test is
skipped with the reason, or fails where ``BEDPLATE_REQUIRE_REAL=1``; so does such a test that skips
itself. ``@pytest.mark.real("loop devices")`` needs what no package brings: such a test is only ever skipped.
The run ends with a count of the real parts, also where several processes share the run: what a test was goes
with its report to the process that counts. The fence stands round this process; programs that tests start
get credentials that are none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.fence import fenced
from tests.support.real_parts import ABILITIES, Tally, find_program, missing_reason
from tests.support.sharing import FileScheduling, slow_files_first
from tests.support.surroundings import arrange

arrange(os.environ)
# How long one example takes tells of the machine's other work.
hypothesis.settings.register_profile("patient", hypothesis.settings(), deadline=None)
hypothesis.settings.load_profile("patient")

CANNOT = "this machine does not allow it: "


class Count:
    """Counts real parts from the reports of all processes, and ends the run with the sum."""

    def __init__(self) -> None:
        self._tally = Tally()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what ``pytest_runtest_makereport`` left at the report."""
        if counted := getattr(report, "real_parts", None):
            self._tally.record(counted["parts"], outcome=report.outcome, reason=counted["reason"])

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say the sum."""
        for line in self._tally.lines():
            terminalreporter.write_line(line)


def pytest_configure(config: pytest.Config) -> None:
    """Start the count."""
    config.pluginmanager.register(Count())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In a worker, slow files come first; by hand the order is that of the folders."""
    if hasattr(config, "workerinput"):
        slow_files_first(items)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> FileScheduling:
    """Keep a file's tests together, whatever ``--dist`` says."""
    return FileScheduling(config, log)


@pytest.fixture(scope="session", autouse=True)
def _fence() -> Iterator[None]:
    with fenced():
        yield


@pytest.fixture(scope="session")
def shared_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all processes of the run, for ``tests.support.once``."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if hasattr(request.config, "workerinput") else base) / "shared"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, or fail, a test whose real program is missing."""
    for part in _parts(item):
        if part in ABILITIES:
            reason = ABILITIES[part]()
            if reason:
                pytest.skip(f"{CANNOT}{reason}")
        elif find_program(part) is None:
            if _required():
                pytest.fail(f"{missing_reason(part)}, and BEDPLATE_REQUIRE_REAL is set", pytrace=False)
            pytest.skip(missing_reason(part))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Mark a real part's test to be counted once; its skip is a failure where real parts are required."""
    report = yield
    parts = _parts(item)
    if not parts or hasattr(report, "wasxfail"):
        return report
    if report.skipped and _required() and not (set(parts) & set(ABILITIES) and CANNOT in _reason(report)):
        report.outcome = "failed"
        report.longrepr = f"a real part was skipped, and BEDPLATE_REQUIRE_REAL is set: {_reason(report)}"
    if report.when == "call" or report.outcome != "passed":
        reason = _reason(report) if report.skipped else ""
        # Plain data: a report travels between processes.
        report.real_parts = {"parts": parts, "reason": reason}  # type: ignore[attr-defined]
    return report


def _parts(item: pytest.Item) -> list[str]:
    return [str(part) for marker in item.iter_markers("real") for part in marker.args]


def _required() -> bool:
    return os.environ.get("BEDPLATE_REQUIRE_REAL") == "1"


def _reason(report: pytest.TestReport) -> str:
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return str(report.longrepr)
