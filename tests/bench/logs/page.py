"""``docs/bench-logs.md``: written from the measurements, never by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.faults.tally import text_table
from tests.bench.logs.measure import LEAST_MB_PER_S, MOST_GROWTH_MIB, Reading, broken_bounds

_INTRO = """\
# How fast a long NCCL log is read

SIMULATED log. Written by `make bench-logs`; do not edit. What 512 ranks print with `NCCL_DEBUG=INFO`,
repeated until the file has its size, with the table of nccl-tests at its end, read by the parser that judges
a collective (pure Python, standard library), in a process of its own for each size. Beside it `wc -l`, which
does nothing but count lines, on the same file. Compare the seconds of the processor: those of the wall hold
what else the machine did.
"""
_HEAD = (
    "MB",
    "lines",
    "wc -l wall s",
    "wc -l processor s",
    "reader wall s",
    "reader processor s",
    "MB per processor s",
    "peak MiB",
)


def write_page(path: Path, readings: Sequence[Reading], machine: Mapping[str, str]) -> None:
    """Write the page."""
    broken = broken_bounds(readings)
    parts = [
        _INTRO,
        text_table(_HEAD, [_row(each) for each in readings]),
        "",
        f"Peak memory is above the {readings[-1].base_mib:.0f} MiB of the process before it reads. The",
        f"benchmark fails where it grows by more than {MOST_GROWTH_MIB:g} MiB from the smallest log to the",
        f"largest, or where fewer than {LEAST_MB_PER_S:g} MB are read in a second of the processor.",
        f"This run: {'; '.join(broken) if broken else 'both kept'}.",
        "",
        f"Machine: {'; '.join(f'{name} {value}' for name, value in machine.items())}.",
        "",
    ]
    path.write_text("\n".join(parts), encoding="utf-8")


def _row(each: Reading) -> tuple[str, ...]:
    return (
        f"{each.megabytes:.0f}",
        f"{each.lines:,}",
        f"{each.wc_wall_s:.2f}",
        f"{each.wc_processor_s:.2f}",
        f"{each.wall_s:.2f}",
        f"{each.processor_s:.2f}",
        f"{each.mb_per_processor_s:.1f}",
        f"{each.peak_mib:.1f}",
    )
