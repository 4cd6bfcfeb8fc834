"""One run of nccl-tests, read whole: what it is asked for, what its log holds, and why its table may not be
trusted.
"""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.diagnosis.parsers.collective_log import read_collective_log
from bedplate.diagnosis.parsers.launch_failures import LAUNCH, STOPPED, TIMEOUT
from bedplate.diagnosis.parsers.nccl_arithmetic import (
    RankInterval,
    contradictions,
    data_checked,
    rank_interval,
    sweep_sizes,
    wrong_data,
)
from bedplate.diagnosis.parsers.nccl_info import NcclInfo
from bedplate.diagnosis.parsers.nccl_record import NcclTestsLog, Row
from bedplate.diagnosis.parsers.text import clean_lines

_ROUNDING_BYTES = 128
"""Per rank: all collectives but all-reduce round a size down to an alignment times the ranks."""


@dataclass(frozen=True)
class Asked:
    """What a run was asked for: sizes doubling from ``begin_bytes`` to ``end_bytes``, data checked.

    ``hosts`` are the names of the hosts that it was to run on; empty where they are not known.
    """

    collective: str
    ranks: int
    begin_bytes: int
    end_bytes: int
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True)
class CollectiveRun:
    """The log of one run, read; a record is None where the log holds no such thing."""

    asked: Asked
    table: NcclTestsLog | None
    info: NcclInfo | None
    rc: int | None
    timed_out: bool
    unreadable: str
    thinned: str = ""
    """What was left out of the log on the login node, in words; empty where it is whole."""

    @property
    def interval(self) -> RankInterval | None:
        """The ranks that the table's own ratios allow."""
        return None if self.table is None else rank_interval(self.table, collective=self.asked.collective)

    @property
    def wrong(self) -> tuple[str, ...]:
        """Every sign of wrong results."""
        return () if self.table is None else wrong_data(self.table)

    def row_at(self, size_bytes: int) -> Row | None:
        """The one row of a size."""
        table = () if self.table is None else self.table.rows
        rows = [row for row in table if self._is_size(row, size_bytes)]
        return rows[0] if len(rows) == 1 else None

    def busbw_at(self, size_bytes: int) -> float | None:
        """The lower of both placements at a size, in GB/s; None where the table has no single row of it."""
        row = self.row_at(size_bytes)
        return None if row is None else min(row.out_of_place.busbw.value, row.in_place.busbw.value)

    @property
    def ranks_proven(self) -> bool:
        """Whether both say that the ranks that were asked for ran: NCCL's own lines, and the table's ratios.

        One of the two alone is no proof: a table of one node's ranks looks whole, and NCCL's lines say
        nothing about what was timed.
        """
        if self.info is None or self.interval is None:
            return False
        told = {comm.ranks for comm in self.info.comms}
        ranks = {comm.rank for comm in self.info.comms}
        asked = self.asked.ranks
        return told == {asked} and ranks == set(range(asked)) and self.interval.allows(asked)

    @property
    def launch_failed(self) -> bool:
        """Whether the launcher placed nothing: an error of the infrastructure, not of a node."""
        return (
            self.table is not None
            and not self.table.rows
            and any(f.kind == LAUNCH for f in self.table.failures)
        )

    @property
    def hung(self) -> bool:
        """Whether a deadline passed, ours or one that the log tells of."""
        told = self.table is not None and any(failure.kind == TIMEOUT for failure in self.table.failures)
        return self.timed_out or told

    def failure_lines(self) -> tuple[str, ...]:
        """The lines by which launcher, NCCL or CUDA say what went wrong."""
        return () if self.table is None else tuple(failure.text for failure in self.table.failures)

    def problem(self) -> str:
        """Why the table cannot be judged, in words; empty where it is whole and agrees with itself."""
        table = self.table
        if table is None:
            return self.unreadable
        if self.launch_failed:
            return f"the launcher started nothing: {table.failures[0].text}"
        if self.rc is None:
            return next(
                (f"the run was stopped: {each.text}" for each in table.failures if each.kind == STOPPED),
                "the run was killed or never started",
            )
        if table.average_ok is False:
            # Before the failures: the tool's last line is one, and says nothing but that it ended badly.
            return "the tool itself calls its average bandwidth FAILED"
        if table.failures:
            return f"it tells of a failure: {table.failures[0].text}"
        if self.rc != 0:
            return f"the run ended with status {self.rc}"
        return self._shape_problem(table) or self._content_problem(table)

    def _shape_problem(self, table: NcclTestsLog) -> str:
        if table.runs != 1:
            return (
                f"the log holds {table.runs} runs, printed into one another"
                if table.runs
                else "there is no table"
            )
        if not table.complete:
            return "the log is partial: the tool's closing lines are missing"
        if table.elided or table.damaged:
            return "the table has rows cut out or broken"
        if table.started and not table.started.startswith(self.asked.collective):
            return f"the log is of {table.started}, asked was {self.asked.collective}"
        sizes = sweep_sizes(begin_bytes=self.asked.begin_bytes, end_bytes=self.asked.end_bytes)
        if len(table.rows) != len(sizes):
            return f"{len(table.rows)} of {len(sizes)} sizes are there"
        for index, size in enumerate(sizes):
            if not self._is_size(table.rows[index], size):
                return f"row {index + 1} is of {table.rows[index].size_bytes} B, asked was {size} B"
        return ""

    def _content_problem(self, table: NcclTestsLog) -> str:
        found = contradictions(table, collective=self.asked.collective)
        if found:
            return f"the table contradicts itself: {found[0]}"
        if not data_checked(table, collective=self.asked.collective):
            return "the results were not checked, though this was asked"
        interval = self.interval
        if interval is None or not interval.allows(self.asked.ranks):
            return f"the table was made by {interval} ranks, asked were {self.asked.ranks}"
        return ""

    def _is_size(self, row: Row, asked_bytes: int) -> bool:
        if self.asked.collective == "all_reduce":
            return row.size_bytes == asked_bytes
        return asked_bytes - _ROUNDING_BYTES * self.asked.ranks < row.size_bytes <= asked_bytes


def read_run(*, log: str, rc: int | None, timed_out: bool, asked: Asked) -> CollectiveRun:
    """Read a log, stdout and stderr together; never raises."""
    read = read_collective_log(clean_lines(log))
    return CollectiveRun(asked, read.table, read.info, rc, timed_out, read.unreadable, read.thinned)
