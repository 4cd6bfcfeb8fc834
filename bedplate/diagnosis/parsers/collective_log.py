"""The log of one collective, read once: the table of nccl-tests, and what NCCL says beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bedplate.diagnosis.parsers.left_out import THINNED, read_left_out
from bedplate.diagnosis.parsers.nccl_info import NcclInfo, NcclInfoReader, lone_message
from bedplate.diagnosis.parsers.nccl_record import NcclTestsLog
from bedplate.diagnosis.parsers.nccl_tests import NcclTestsReader
from bedplate.diagnosis.parsers.problem import ParseError


@dataclass(frozen=True)
class CollectiveLog:
    """``table`` is None where the log holds none, and ``unreadable`` says why; ``info`` is None where NCCL
    said nothing. ``thinned`` says what was left out of the log on the login node, empty where it is whole.
    """

    table: NcclTestsLog | None
    info: NcclInfo | None
    unreadable: str
    thinned: str = ""


def read_collective_log(lines: Iterable[str]) -> CollectiveLog:
    """Read clean lines as they come; never raises, and keeps no more than a cluster has to say."""
    tests, messages, thinned = NcclTestsReader(), NcclInfoReader(), ""
    for number, line in enumerate(lines, start=1):
        lone = lone_message(line)
        if lone is not None:
            messages.add_lone(lone, line)
            continue
        left_out = read_left_out(line)
        if left_out is not None:
            messages.add_left_out(left_out)
            continue
        if line.startswith(THINNED):
            thinned = line.removeprefix(THINNED).strip()
        tests.feed(number, line)
        messages.feed(line)
    table, info, unreadable = None, None, ""
    try:
        table = tests.record()
    except ParseError as error:
        unreadable = str(error)
    try:
        info = messages.record()
    except ParseError as error:
        unreadable = unreadable or (str(error) if "more than" in error.reason else "")
    return CollectiveLog(table, info, unreadable, thinned)
