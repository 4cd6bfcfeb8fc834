"""The tables of nccl-tests, from 2.0 to 2.19, as launchers pass them on.

The layouts, by version: 2.0 to 2.11 print size, count, type, then redop or root or nothing, then (time,
algbw, busbw, error) twice; from 2.13 on size, count, type, redop, root, then (time, algbw, busbw, #wrong)
twice. Later columns may follow. A row is found by its size, count and type wherever it stands in a line, so
labels of mpirun, srun, kubectl and CloudWatch do no harm. Source: NVIDIA/nccl-tests ``src/common.cu`` by
tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.launch_failures import Failure, find_failures
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import Printed, clean_lines, printed, whole

TOOL = "nccl-tests"

_TITLE = re.compile(r"size\s+count\s+type\b(?P<rest>.*\bbusbw\b.*)")
_ROW = re.compile(
    r"(?<![\w.\-])(?P<size>\d{1,19})\s+(?P<count>\d{1,19})\s+(?P<type>u?int(?:8|32|64)?|u?char|half|float|double"
    r"|bfloat16|u?int\d+|f(?:p|loat)?8_?e\dm\d)(?=\s)(?P<rest>.*)"
)
_ROW_HEAD = re.compile(r"(?<![\w.\-])\d+\s+\d+\s+(?:u?int\d*|u?char|half|float|double|bfloat16|f\w*8\w*)\b")
_REDOPS = frozenset({"sum", "prod", "max", "min", "avg", "all", "mulsum", "none"})
_WHOLE_ROOT = re.compile(r"-?\d+", re.ASCII)
_CONFIG = re.compile(
    r"nThread (?P<threads>\d+) nGpus (?P<gpus>\d+) minBytes (?P<min>\d+) maxBytes (?P<max>\d+)"
    r" step: (?P<step>\d+)\((?P<kind>factor|bytes)\).*?(?:validation: (?P<validation>\d+)|$)"
)
_RANK = re.compile(
    r"#\s*Rank\s+(?P<rank>\d+)\s+(?:Group\s+\d+\s+)?Pid\s+\d+\s+on\s+(?P<host>\S+)\s+device\s+(?P<device>\d+)"
)
_BOUNDS = re.compile(r"Out of bounds values\s*:\s*(?P<count>\d+)\s+(?P<word>OK|FAILED)")
_AVERAGE = re.compile(r"Avg bus bandwidth\s*:\s*(?P<value>\S+)(?:\s+(?P<word>OK|FAILED))?")
_STARTED = re.compile(r"Collective test starting:\s*(?P<name>\S+)")
_CONCLUDED = re.compile(r"Collective test concluded:")
_VERSION = re.compile(r"NCCL version\s+(?P<version>\d[\w.+-]*)")
_ELLIPSIS = re.compile(r"(?:^|[\s>:\]])(?:\.\.\.|…|\[\.\.\.\])$")
_GLUED = re.compile(r"(?P<host>[A-Za-z][A-Za-z0-9._-]*|\d{1,3}(?:\.\d{1,3}){3}):\d+:\d+ \[\d+\] NCCL [A-Z]+ ")


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


def parse_nccl_tests(text: str) -> NcclTestsLog:
    """Read a log of nccl-tests; ParseError where it holds neither a table nor a launcher's failure."""
    lines = [_without_glued_info(line) for line in clean_lines(text)]
    table = _read_table(lines)
    failures = find_failures(lines)
    if not table.rows and not table.titles and not failures:
        raise ParseError(tool=TOOL, reason="there is neither a table nor a launcher's message in it")
    footers = _read_footers(lines)
    ranks = tuple(_rank_line(match) for match in map(_RANK.search, lines) if match is not None)
    started = [match.group("name") for match in map(_STARTED.search, lines) if match is not None]
    concluded = sum(1 for line in lines if _CONCLUDED.search(line))
    first_ranks = sum(1 for rank in ranks if rank.rank == 0)
    return NcclTestsLog(
        rows=table.rows,
        counts_wrong=table.counts_wrong,
        config=_first_config(lines),
        ranks=ranks,
        runs=max(
            table.titles, footers.bounds_lines, footers.average_lines, first_ranks, len(started), concluded
        ),
        elided=any(_ELLIPSIS.search(line) for line in lines),
        damaged=table.damaged,
        bounds_failed=footers.bounds_failed,
        bounds_ok=footers.bounds_ok,
        average=footers.average,
        average_ok=footers.average_ok,
        started=started[0] if started else "",
        concluded=concluded > 0,
        nccl_version=next((m.group("version") for m in map(_VERSION.search, lines) if m is not None), ""),
        failures=failures,
    )


def _without_glued_info(line: str) -> str:
    """Cut an NCCL message that was printed at the end of a row, without the row's newline between them."""
    match = _GLUED.search(line)
    if match is None or not _ROW_HEAD.search(line[: match.start()]):
        return line
    return line[: match.start()].rstrip()


@dataclass(frozen=True)
class _Table:
    rows: tuple[Row, ...]
    titles: int
    counts_wrong: bool
    damaged: tuple[str, ...]


def _read_table(lines: list[str]) -> _Table:
    rows: list[Row] = []
    damaged: list[str] = []
    titles = 0
    has_root, counts_wrong = False, True
    for number, line in enumerate(lines, start=1):
        title = _TITLE.search(line)
        if title is not None:
            titles += 1
            has_root = re.search(r"\broot\b", title.group("rest")) is not None
            counts_wrong = "#wrong" in title.group("rest")
            continue
        if "#" in line or _ROW_HEAD.search(line) is None:
            continue
        row = _read_row(line, number, has_root=has_root) if titles else None
        if row is None:
            damaged.append(line.strip()[:300])
        else:
            rows.append(row)
    return _Table(tuple(rows), titles, counts_wrong, tuple(damaged))


def _read_row(line: str, number: int, *, has_root: bool) -> Row | None:
    match = _ROW.search(line)
    if match is None:
        return None
    words = match.group("rest").split()
    redop = words.pop(0) if words and words[0] in _REDOPS else ""
    root: int | None = None
    if has_root and words and _WHOLE_ROOT.fullmatch(words[0]) and len(words) >= 9:
        root = int(words.pop(0)) if len(words[0]) < 12 else None
    if len(words) < 8:
        return None
    left, right = _read_half(words[0:4]), _read_half(words[4:8])
    if left is None or right is None:
        return None
    size, count = int(match.group("size")), int(match.group("count"))
    return Row(size, count, match.group("type"), redop, root, left, right, number, line.strip()[:300])


def _read_half(words: list[str]) -> Half | None:
    time_us, algbw, busbw = printed(words[0]), printed(words[1]), printed(words[2])
    if time_us is None or algbw is None or busbw is None:
        return None
    if words[3] == "N/A":
        return Half(time_us, algbw, busbw, None)
    wrong = printed(words[3])
    if wrong is None or wrong.value < 0 or min(time_us.value, algbw.value, busbw.value) < 0:
        return None
    return Half(time_us, algbw, busbw, wrong.value)


@dataclass(frozen=True)
class _Footers:
    bounds_lines: int
    average_lines: int
    bounds_failed: int | None
    bounds_ok: bool | None
    average: Printed | None
    average_ok: bool | None


def _read_footers(lines: list[str]) -> _Footers:
    bounds = [match for match in map(_BOUNDS.search, lines) if match is not None]
    averages = [match for match in map(_AVERAGE.search, lines) if match is not None]
    average = printed(averages[0].group("value")) if averages else None
    word = averages[0].group("word") if averages else None
    return _Footers(
        bounds_lines=len(bounds),
        average_lines=len(averages),
        bounds_failed=whole(bounds[0].group("count")) if bounds else None,
        bounds_ok=all(match.group("word") == "OK" for match in bounds) if bounds else None,
        average=average,
        average_ok=None if word is None else word == "OK",
    )


def _first_config(lines: list[str]) -> Config | None:
    match = next((found for found in map(_CONFIG.search, lines) if found is not None), None)
    if match is None:
        return None
    numbers = [whole(match.group(name)) for name in ("gpus", "min", "max", "step")]
    gpus, smallest, largest, step = numbers
    if gpus is None or smallest is None or largest is None or step is None:
        return None
    validation = match.group("validation")
    return Config(
        gpus,
        smallest,
        largest,
        step,
        match.group("kind") == "factor",
        whole(validation) if validation else None,
    )


def _rank_line(match: re.Match[str]) -> RankLine:
    rank, device = whole(match.group("rank")), whole(match.group("device"))
    return RankLine(-1 if rank is None else rank, match.group("host"), -1 if device is None else device)
