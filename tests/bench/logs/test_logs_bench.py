"""Reading a long log keeps its bounds, on logs small enough for every day."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.bench.logs.measure import LEAST_MB_PER_S, MOST_GROWTH_MIB, Reading, broken_bounds, measure
from tests.bench.logs.page import write_page

_LEAST_BESIDE_OTHERS_MB_PER_S = LEAST_MB_PER_S / 4
"""Other tests share the processor's core and caches; a reader that grows with the log is slower by far."""
_ONE = Reading(10.0, 100_000, 0.01, 0.01, 0.3, 0.3, 6.0, 20.0)


def test_a_slow_or_a_growing_reader_breaks_its_bounds() -> None:
    """Speed is held at each size, memory from the smallest log to the largest."""
    assert broken_bounds([_ONE, _ONE]) == []
    slow = replace(_ONE, processor_s=1.01 * _ONE.megabytes / LEAST_MB_PER_S)
    grown = replace(_ONE, peak_mib=_ONE.peak_mib + MOST_GROWTH_MIB + 0.1)
    assert "second of the processor" in broken_bounds([_ONE, slow])[0]
    assert "peak memory grew" in broken_bounds([_ONE, grown])[0]


def test_the_page_has_a_row_for_each_size(tmp_path: Path) -> None:
    """It says that the log is simulated, and whether the bounds were kept."""
    write_page(tmp_path / "page.md", [_ONE, replace(_ONE, megabytes=100.0, processor_s=3.0)], {"cores": "2"})
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "SIMULATED" in text
    assert "both kept" in text
    assert {"10", "100"} <= {line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")}


def test_small_logs_are_read_within_the_bounds(tmp_path: Path) -> None:
    """Of 4 and 40 MB, memory is flat and the speed is no quadratic reader's; the files are removed."""
    readings = [measure(megabytes=megabytes, folder=tmp_path) for megabytes in (4, 40)]
    assert broken_bounds(readings, least_mb_per_s=_LEAST_BESIDE_OTHERS_MB_PER_S) == []
    assert list(tmp_path.iterdir()) == []
