"""``lfs df`` and ``lctl get_param osc.*.ost_server_uuid``: whether Lustre's targets answer this client.

``lfs df`` prints a block for each mounted file system: a title, one line for each metadata (MDT) and object
storage target (OST), and ``filesystem_summary:``. A target that does not answer is a line with a colon
and a word (``testfs-OST0002_UUID: inactive device``). Sizes are in KiB. Shapes: lustre-release
lustre/utils/lfs.c, and published outputs of clients of 2.12 and 2.15.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

LFS = "lfs df"
LCTL = "lctl get_param"
CONNECTED = ("FULL", "IDLE")
"""States of a connection in which data flows, or does at the next request (an idle one was closed)."""

_TARGET = re.compile(
    r"^(?P<name>\S+-(?P<kind>MDT|OST)[0-9a-f]{4})(?:_UUID)?\s+(?P<total>\d{1,19})\s+(?P<used>\d{1,19})\s+"
    r"(?P<free>\d{1,19})\s+\d+%\s+(?P<path>/.*)\[(?:MDT|OST):\d+\](?P<flags>.*)$",
    re.ASCII,
)
_SILENT = re.compile(r"^(?P<name>\S+-(?:MDT|OST)[0-9a-f]{4})(?:_UUID)?\s*:\s*(?P<why>\S.*)$")
_SUMMARY = re.compile(
    r"^filesystem_summary:\s+\d{1,19}\s+\d{1,19}\s+(?P<free>\d{1,19})\s+\d+%\s+(?P<path>/.*)$", re.ASCII
)
_STATE = re.compile(
    r"^(?:[^\s=]+=)?(?P<name>[^\s=]+-OST[0-9a-f]{4})_UUID\s+(?P<state>[A-Z_]+)\b(?P<rest>.*)$"
)


@dataclass(frozen=True)
class LustreSpace:
    """One mounted file system: its targets by name, those that do not answer with why, and KiB free."""

    path: str
    targets: tuple[str, ...]
    silent: tuple[tuple[str, str], ...]
    free_kib: int

    @property
    def osts(self) -> int:
        """Object storage targets that answer."""
        return sum("-OST" in name for name in self.targets)


def parse_lfs_df(text: str) -> tuple[LustreSpace, ...]:
    """Each mounted file system; ParseError where a block does not come to its summary, or there is none."""
    found: list[LustreSpace] = []
    targets: list[str] = []
    silent: list[tuple[str, str]] = []
    for number, line in enumerate(clean_lines(text), start=1):
        target, quiet, summary = _TARGET.match(line), _SILENT.match(line), _SUMMARY.match(line)
        if target is not None:
            targets.append(target.group("name"))
        elif summary is not None:
            if not targets and not silent:
                raise ParseError(tool=LFS, reason="a summary without targets", line=number)
            path, free = summary.group("path"), int(summary.group("free"))
            found.append(LustreSpace(path, tuple(targets), tuple(silent), free))
            targets, silent = [], []
        elif quiet is not None:
            silent.append((quiet.group("name"), quiet.group("why")))
    if targets or silent:
        raise ParseError(tool=LFS, reason="it ends before the summary of a file system")
    if not found:
        raise ParseError(tool=LFS, reason="there is no file system in it")
    return tuple(found)


def parse_ost_states(text: str) -> tuple[tuple[str, str], ...]:
    """(target, state) of each connection to an OST; ParseError where there is none.

    A connection that an administrator has taken out says so behind its state (``FULL DEACTIVATED``), which
    then is its state.
    """
    found = []
    for line in clean_lines(text):
        match = _STATE.match(line)
        if match is not None:
            state = match.group("state")
            found.append(
                (match.group("name"), "DEACTIVATED" if "DEACTIVATED" in match.group("rest") else state)
            )
    if not found:
        raise ParseError(tool=LCTL, reason="there is no connection to a target in it")
    return tuple(found)
