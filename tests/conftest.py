"""The session's environment and fence, and the ``real`` marker.

``@pytest.mark.real("chromium")`` marks a test that needs a real program. Where it is missing the test is
skipped with the reason, or fails where ``BEDPLATE_REQUIRE_REAL=1``; so does such a test that skips
itself. ``@pytest.mark.real("loop devices")`` needs what no package brings: such a test is only ever skipped.
The run ends with a count of the real parts. The fence stands round this process; programs that tests start
get credentials that are none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.fence import fenced
from tests.support.real_parts import ABILITIES, Tally, find_program, missing_reason
from tests.support.surroundings import arrange

arrange(os.environ)

CANNOT = "this machine does not allow it: "
TALLY = pytest.StashKey[Tally]()


def pytest_configure(config: pytest.Config) -> None:
    """Start the count."""
    config.stash[TALLY] = Tally()


@pytest.fixture(scope="session", autouse=True)
def _fence() -> Iterator[None]:
    with fenced():
        yield


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
    """Count a real part's test once, and turn its skip into a failure where real parts are required."""
    report = yield
    parts = _parts(item)
    if not parts or hasattr(report, "wasxfail"):
        return report
    if report.skipped and _required() and not (set(parts) & set(ABILITIES) and CANNOT in _reason(report)):
        report.outcome = "failed"
        report.longrepr = f"a real part was skipped, and BEDPLATE_REQUIRE_REAL is set: {_reason(report)}"
    if report.when == "call" or report.outcome != "passed":
        reason = _reason(report) if report.skipped else ""
        item.config.stash[TALLY].record(parts, outcome=report.outcome, reason=reason)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """End with the count of real parts."""
    for line in terminalreporter.config.stash[TALLY].lines():
        terminalreporter.write_line(line)


def _parts(item: pytest.Item) -> list[str]:
    return [str(part) for marker in item.iter_markers("real") for part in marker.args]


def _required() -> bool:
    return os.environ.get("BEDPLATE_REQUIRE_REAL") == "1"


def _reason(report: pytest.TestReport) -> str:
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return str(report.longrepr)
