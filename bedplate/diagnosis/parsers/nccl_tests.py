"""The log of nccl-tests as text, from 1.0 to 2.19, as launchers pass it on; see ``nccl_rows`` for the table.

What is kept does not grow with the log: rows, ranks and failures are bounded, and a log with more than any
run prints is marked as damaged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bedplate.diagnosis.parsers.launch_failures import Failure, find_failure
from bedplate.diagnosis.parsers.nccl_record import Config, NcclTestsLog, RankLine, Row
from bedplate.diagnosis.parsers.nccl_rows import Layout, looks_like_a_row, read_row, read_title
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import Printed, clean_lines, printed, whole

TOOL = "nccl-tests"
MOST_ROWS, MOST_RANKS, MOST_KEPT = 4096, 65_536, 200

_CONFIG = re.compile(
    r"nThread (?P<threads>\d+) nGpus (?P<gpus>\d+) minBytes (?P<min>\d+) maxBytes (?P<max>\d+)"
    r" step: (?P<step>\d+)\((?P<kind>factor|bytes)\).*?(?:validation: (?P<validation>\d+)|$)"
)
_RANK = re.compile(
    r"#\s*Rank\s+(?P<rank>\d+)\s+(?:Group\s+\d+\s+)?(?:Pid\s+\d+\s+)?on\s+(?P<host>\S+)\s+device\s+(?P<device>\d+)"
)
_BOUNDS = re.compile(r"Out of bounds values\s*:\s*(?P<count>\d+)\s+(?P<word>OK|FAILED)")
_AVERAGE = re.compile(r"Avg bus bandwidth\s*:\s*(?P<value>\S+)(?:\s+(?P<word>OK|FAILED))?")
_STARTED = re.compile(r"Collective test starting:\s*(?P<name>\S+)")
_VERSION = re.compile(r"NCCL version\s+(?P<version>\d[\w.+-]*)")
_OF_A_RUN = re.compile(r"busbw|Rank|Collective test|nThread|Out of bounds|Avg bus|(?:\.\.\.|…|\[\.\.\.\])$")
"""Without one of these words a line that is no row tells nothing but, perhaps, NCCL's version."""
_ELLIPSIS = re.compile(r"(?:^|[\s>:\]])(?:\.\.\.|…|\[\.\.\.\])$")
_GLUED = re.compile(
    # A row's last number may touch the host's name.
    r"(?:(?<![A-Za-z._-])[A-Za-z][A-Za-z0-9._-]{0,254}|\d{1,3}(?:\.\d{1,3}){3}):\d+:\d+ \[\d+\] NCCL [A-Z]+ "
)


def parse_nccl_tests(text: str) -> NcclTestsLog:
    """Read a log of nccl-tests; ParseError where it holds neither a table nor a launcher's failure."""
    return read_nccl_tests(clean_lines(text))


def read_nccl_tests(lines: Iterable[str]) -> NcclTestsLog:
    """The same of clean lines, as they come."""
    reader = NcclTestsReader()
    for number, line in enumerate(lines, start=1):
        reader.feed(number, line)
    return reader.record()


class NcclTestsReader:
    """Takes a log line by line; ``record`` is what they say together."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._damaged: list[str] = []
        self._ranks: list[RankLine] = []
        self._failures: list[Failure] = []
        self._layout: Layout | None = None
        self._titles = self._first_ranks = self._starts = self._concluded = 0
        self._config: Config | None = None
        self._bounds = self._averages = 0
        self._bounds_failed: int | None = None
        self._bounds_ok: bool | None = None
        self._average: Printed | None = None
        self._average_ok: bool | None = None
        self._counts_wrong, self._elided = True, False
        self._started = self._version = ""

    def feed(self, number: int, line: str) -> None:
        """One line, cleaned; its number counts from 1."""
        line = _without_glued_info(line)
        self._read_table(number, line)
        self._read_heads(line)
        self._read_footers(line)
        failure = find_failure(number, line)
        if failure is not None and len(self._failures) < MOST_KEPT:
            self._failures.append(failure)
        if not self._elided and line.endswith(("...", "…", "[...]")):
            self._elided = _ELLIPSIS.search(line) is not None

    def record(self) -> NcclTestsLog:
        """Everything; ParseError where there was neither a table nor a launcher's failure."""
        if not self._rows and not self._titles and not self._failures:
            raise ParseError(tool=TOOL, reason="there is neither a table nor a launcher's message in it")
        runs = (
            self._titles,
            self._bounds,
            self._averages,
            self._first_ranks,
            self._starts,
            self._concluded,
        )
        return NcclTestsLog(
            rows=tuple(self._rows),
            counts_wrong=self._counts_wrong,
            config=self._config,
            ranks=tuple(self._ranks),
            runs=max(runs),
            elided=self._elided,
            damaged=tuple(self._damaged),
            bounds_failed=self._bounds_failed,
            bounds_ok=self._bounds_ok,
            average=self._average,
            average_ok=self._average_ok,
            started=self._started,
            concluded=self._concluded > 0,
            nccl_version=self._version,
            failures=tuple(self._failures),
        )

    def _read_table(self, number: int, line: str) -> None:
        layout = read_title(line)
        if layout is not None:
            self._titles += 1
            self._layout, self._counts_wrong = layout, layout.counts_wrong
            return
        if "#" in line or not looks_like_a_row(line):
            return
        row = None if self._layout is None else read_row(line, number=number, layout=self._layout)
        if row is None or len(self._rows) >= MOST_ROWS:
            self._is_damaged(line)
        else:
            self._rows.append(row)

    def _is_damaged(self, line: str) -> None:
        if len(self._damaged) < MOST_KEPT:
            self._damaged.append(line.strip()[:300])

    def _read_heads(self, line: str) -> None:
        rank = _RANK.search(line) if "Rank" in line else None
        if rank is not None:
            self._add_rank(rank, line)
        started = _STARTED.search(line) if "Collective test" in line else None
        if started is not None:
            self._starts += 1
            self._started = self._started or started.group("name")
        if self._config is None and "nThread" in line:
            self._config = _config(line)
        if not self._version and "NCCL version" in line:
            version = _VERSION.search(line)
            self._version = "" if version is None else version.group("version")

    def _add_rank(self, match: re.Match[str], line: str) -> None:
        rank, device = whole(match.group("rank")), whole(match.group("device"))
        if len(self._ranks) >= MOST_RANKS:
            self._is_damaged(line)
            return
        self._first_ranks += rank == 0
        told = RankLine(-1 if rank is None else rank, match.group("host"), -1 if device is None else device)
        self._ranks.append(told)

    def _read_footers(self, line: str) -> None:
        bounds = _BOUNDS.search(line) if "Out of bounds" in line else None
        if bounds is not None:
            if not self._bounds:
                self._bounds_failed = whole(bounds.group("count"))
            self._bounds += 1
            self._bounds_ok = self._bounds_ok is not False and bounds.group("word") == "OK"
        average = _AVERAGE.search(line) if "Avg bus" in line else None
        if average is not None:
            if not self._averages:
                word = average.group("word")
                self._average, self._average_ok = (
                    printed(average.group("value")),
                    None if word is None else word == "OK",
                )
            self._averages += 1
        self._concluded += "Collective test concluded:" in line


def tells_of_a_run(text: str) -> bool:
    """Whether a text may tell of the run or its table; where not, only a failure could be read from it."""
    return _OF_A_RUN.search(text) is not None or looks_like_a_row(text)


def _without_glued_info(line: str) -> str:
    """Cut an NCCL message that was printed at the end of a row, without the row's newline between them."""
    match = _GLUED.search(line) if "] NCCL " in line else None
    if match is None or not looks_like_a_row(line[: match.start()]):
        return line
    return line[: match.start()].rstrip()


def _config(line: str) -> Config | None:
    match = _CONFIG.search(line)
    if match is None:
        return None
    gpus, smallest, largest, step = (whole(match.group(name)) for name in ("gpus", "min", "max", "step"))
    if gpus is None or smallest is None or largest is None or step is None:
        return None
    word = match.group("validation")
    validation = whole(word) if word else None
    return Config(gpus, smallest, largest, step, match.group("kind") == "factor", validation)
