"""What one run of nccl-tests says, whether it was printed as text or written as JSON."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.diagnosis.parsers.launch_failures import Failure
from bedplate.diagnosis.parsers.text import Printed


@dataclass(frozen=True)
class Half:
    """One placement of one row: µs, GB/s (1e9), and what the last column says of wrong data.

    ``wrong`` is None where it was not checked (``N/A``); it counts elements (``#wrong``) or is the greatest
    relative error (``error``), as the table's ``counts_wrong`` says.
    """

    time_us: Printed
    algbw: Printed
    busbw: Printed
    wrong: float | None


@dataclass(frozen=True)
class Row:
    """One size of the sweep."""

    size_bytes: int
    count: int
    dtype: str
    redop: str
    root: int | None
    out_of_place: Half
    in_place: Half
    line: int
    text: str


@dataclass(frozen=True)
class Config:
    """What the tool says that it was asked for; ``validation`` is None in a line too old or cut to tell."""

    gpus_per_thread: int
    min_bytes: int
    max_bytes: int
    step: int
    step_is_factor: bool
    validation: int | None


@dataclass(frozen=True)
class RankLine:
    """One rank of the list that the tool prints first; the list may be cut (a fixed buffer of 2048 bytes)."""

    rank: int
    host: str
    device: int


@dataclass(frozen=True)
class NcclTestsLog:
    """Everything that one log says.

    ``runs`` counts the tables that it holds: more than one means several runs in one log, e.g. a binary
    built without MPI. ``elided`` says that rows were cut out and an ellipsis left. ``damaged`` holds lines
    that start like a row and are none. ``bounds_failed`` counts failing tests, not elements; None where the
    footer is missing.
    """

    rows: tuple[Row, ...]
    counts_wrong: bool
    config: Config | None
    ranks: tuple[RankLine, ...]
    runs: int
    elided: bool
    damaged: tuple[str, ...]
    bounds_failed: int | None
    bounds_ok: bool | None
    average: Printed | None
    average_ok: bool | None
    started: str
    concluded: bool
    nccl_version: str
    failures: tuple[Failure, ...]

    @property
    def complete(self) -> bool:
        """Both footer lines are there, and the closing line where the opening line was printed (2.16 and
        later).
        """
        footers = self.bounds_failed is not None and self.average is not None
        return footers and (self.concluded or not self.started)
