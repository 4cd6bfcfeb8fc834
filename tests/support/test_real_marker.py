"""The ``real`` marker: counted, skipped with a reason, and a failure where real parts are required."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.real_parts import ROOT, Tally, find_program

PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
SUITE = '''
"""A suite of its own for the marker."""
import pytest


@pytest.mark.real("sh")
def test_there():
    """Runs."""


@pytest.mark.real("no-such-program")
def test_not_there():
    """Cannot run."""


@pytest.mark.real("an ability")
def test_not_allowed():
    """Cannot run here, whatever is installed."""


@pytest.mark.real("sh")
def test_skips_itself():
    """Skips itself."""
    pytest.skip("not today")
'''


@pytest.fixture(params=[(), ("-n", "2")], ids=["one process", "two workers"])
def processes(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """How the run is shared: the answers are the same."""
    options: tuple[str, ...] = request.param
    return options


def _pytest(folder: Path, *options: str, **environ: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_parts.py").write_text(SUITE, encoding="utf-8")
    conftest = (ROOT / "tests/conftest.py").read_text(encoding="utf-8")
    (folder / "conftest.py").write_text(
        conftest + '\nABILITIES["an ability"] = lambda: "the kernel is too small"\n', encoding="utf-8"
    )
    base = {k: v for k, v in os.environ.items() if k != "BEDPLATE_REQUIRE_REAL"}
    return subprocess.run(
        [*PYTEST, *options, "--rootdir", str(folder), str(folder), "-c", str(ROOT / "pyproject.toml")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**base, **environ},
        timeout=120,
        check=False,
    )


def test_a_missing_part_is_skipped_with_its_reason_and_counted(
    tmp_path: Path, processes: tuple[str, ...]
) -> None:
    """Without the program the test is skipped, and the last lines name what ran, what did not, and why."""
    done = _pytest(tmp_path, *processes)
    assert done.returncode == 0, done.stdout
    assert "real parts: 1 ran: sh (1 test); 3 skipped: an ability, no-such-program, sh" in done.stdout
    assert "the real no-such-program is missing" in done.stdout
    assert "an ability: this machine does not allow it: the kernel is too small" in done.stdout


def test_a_skip_is_a_failure_where_real_parts_are_required(
    tmp_path: Path, processes: tuple[str, ...]
) -> None:
    """With BEDPLATE_REQUIRE_REAL=1 a missing program fails, and so does a real test that skips itself; what
    the machine does not allow is a skip that is told.
    """
    done = _pytest(tmp_path, *processes, BEDPLATE_REQUIRE_REAL="1")
    assert done.returncode == 1
    assert "1 failed, 1 passed, 1 skipped, 1 error" in done.stdout
    assert "1 skipped: an ability" in done.stdout
    assert "a real part was skipped, and BEDPLATE_REQUIRE_REAL is set: not today" in done.stdout
    assert "no-such-program (1 test, 1 failed)" in done.stdout


def test_the_tally_counts_parts_and_failures() -> None:
    """The summary counts tests by part, and names failures and each reason of a skip once."""
    tally = Tally()
    tally.record(["chromium"], outcome="passed")
    tally.record(["chromium"], outcome="failed")
    tally.record(["slurmctld"], outcome="skipped", reason="not installed")
    tally.record(["slurmctld"], outcome="skipped", reason="not installed")
    assert tally.lines() == [
        "real parts: 1 ran: chromium (2 tests, 1 failed); 1 skipped: slurmctld",
        "  slurmctld: not installed",
    ]


@pytest.mark.parametrize(("part", "there"), [("sh", True), ("no-such-program", False)])
def test_a_program_is_looked_for_on_the_path(part: str, there: bool) -> None:
    """A part without a row is its own program."""
    assert (find_program(part) is not None) is there
