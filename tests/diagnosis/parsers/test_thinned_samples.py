"""Real logs say the same when they are thinned. Skipped where they are not there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bedplate.diagnosis.parsers.collective_log import CollectiveLog, read_collective_log
from bedplate.diagnosis.parsers.left_out import THINNED
from bedplate.diagnosis.parsers.text import clean_lines
from bedplate.node.thin_log import thinned


def _read(text: str) -> CollectiveLog:
    """Without a thinned log's note and the numbers of lines, which are those of the log at hand."""
    told = replace(read_collective_log(clean_lines(text)), thinned="")
    if told.table is None:
        return told
    rows = tuple(replace(each, line=0) for each in told.table.rows)
    failures = tuple(replace(each, line=0) for each in told.table.failures)
    return replace(told, table=replace(told.table, rows=rows, failures=failures))


def test_real_logs_are_read_alike_thinned(samples: Path) -> None:
    """Each one, and each one said several times; the one with NCCL's own messages loses some of them."""
    logs = {path.name: path.read_text(encoding="utf-8") for path in sorted((samples / "nccl").glob("*.txt"))}
    assert logs
    shortened = set()
    for name, log in logs.items():
        for text in (log, log * 20):
            kept = "".join(thinned([text]))
            assert _read(kept) == _read(text), name
            if THINNED in kept:
                shortened.add(name[:3])
    assert "s17" in shortened
