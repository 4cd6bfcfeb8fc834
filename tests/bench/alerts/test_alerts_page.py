"""The page of alerts, from an outcome that is made up."""

from __future__ import annotations

from pathlib import Path

from tests.bench.alerts.__main__ import broken
from tests.bench.alerts.page import write_page
from tests.telemetry.live.cases import Case
from tests.telemetry.live.pages import Told
from tests.telemetry.live.run import Outcome, Row
from tests.telemetry.live.scaled import Scale

TOLD = Told("people", "[demo] page: NodeDown on gpu-1", "gpu-1 is gone.\n  Do: Look.\n\nAnother.\n", (), 0.0)
ROW = Row(Case("node-unreachable", "NodeDown"), 12.0, ("EfaTimeouts",), TOLD)
SILENT = Row(Case("xid-79", "GpuXidReplace"), None, (), None)


def _outcome(*rows: Row, stray: tuple[str, ...] = ()) -> Outcome:
    return Outcome(Scale(), 2, 0, (), rows, stray, (("main", "gpu-1", 1),), (), 120)


def test_the_page_says_what_fired_and_what_people_read(tmp_path: Path) -> None:
    """A row with both times, the text as it was sent, and that it is simulated and scaled."""
    path = tmp_path / "page.md"
    write_page(path, _outcome(ROW), by_promtool={"NodeDown": 6}, machine={"cores": "2"})
    text = path.read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| node-unreachable"))
    assert [cell.strip() for cell in row.strip("|").split("|")][1:7] == [
        *("NodeDown", "page", "5", "6", "12", "people"),
    ]
    assert "SIMULATED" in text
    assert "ranges ÷ 30" in text
    assert "gpu-1 is gone.\n  Do: Look.\n```" in text


def test_a_fault_that_is_not_told_breaks_the_bench(tmp_path: Path) -> None:
    """It stands on the page, and is a sentence of its own; so is an alert without a fault."""
    outcome = _outcome(ROW, SILENT, stray=("ClockOff main gpu-2",))
    assert broken(outcome) == ["xid-79 raised no GpuXidReplace", "without a fault: ClockOff main gpu-2"]
    write_page(tmp_path / "page.md", outcome, by_promtool={}, machine={})
    assert "NOT FIRED" in (tmp_path / "page.md").read_text(encoding="utf-8")
