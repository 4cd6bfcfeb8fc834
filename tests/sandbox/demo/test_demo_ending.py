"""What the demonstration says at its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.cli.demo_story import tell
from bedplate.errors import ExitCode
from bedplate.sandbox.demo.request import DemoRequest
from bedplate.sandbox.demo.story import Demo
from bedplate.sandbox.fleet.comparison import Blame, Comparison

FOUND = Blame("xid-64", ("i-1",))
OTHER = Blame("gpu-lost", ("i-2",))


def _tell(comparison: Comparison, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(Demo, "run", lambda self: comparison)
    return tell(DemoRequest(repository=Path(), environment=Path("e.yaml"), output=Path("out")))


def test_equal_ends_well_and_says_simulated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Named equals injected: exit code 0, marked SIMULATED, with the path of the page."""
    comparison = Comparison(matched=(FOUND,), explained=(), missed=(), wrongly_blamed=())
    assert _tell(comparison, monkeypatch) == ExitCode.OK
    told = capsys.readouterr().out
    assert "SIMULATED" in told
    assert "xid-64 on i-1" in told
    assert "out/report.html" in told


@pytest.mark.parametrize(
    "comparison",
    [
        Comparison(matched=(), explained=(), missed=(FOUND,), wrongly_blamed=()),
        Comparison(matched=(FOUND,), explained=(), missed=(), wrongly_blamed=(OTHER,)),
        Comparison(matched=(FOUND,), explained=(), missed=(), wrongly_blamed=(), unusable=("cut off",)),
    ],
    ids=["missed", "wrongly blamed", "not comparable"],
)
def test_unequal_ends_with_4(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Anything missed, wrongly blamed or not comparable is exit code 4, in words."""
    assert _tell(comparison, monkeypatch) == ExitCode.CHECKS_FAILED
    assert "NOT what was injected" in capsys.readouterr().out
