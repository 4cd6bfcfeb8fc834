"""The users and groups that a node has, as its own files tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, FrozenSet, List

PASSWD, GROUP, SHADOW = "/etc/passwd", "/etc/group", "/etc/shadow"


@dataclass(frozen=True)
class FoundUser:
    """A row of passwd(5). ``expires`` is shadow(5)'s date, in days since 1970; empty for never."""

    name: str
    uid: int
    home: str
    shell: str
    expires: str = ""


@dataclass(frozen=True)
class FoundGroup:
    """A row of group(5)."""

    name: str
    gid: int
    members: FrozenSet[str] = frozenset()


@dataclass(frozen=True)
class Found:
    """What is there, by name."""

    users: Dict[str, FoundUser]
    groups: Dict[str, FoundGroup]

    @classmethod
    def from_texts(cls, *, passwd: str, group: str, shadow: str) -> Found:
        """Read the three files. Rows of other kinds (``+`` of NIS) and comments are passed over."""
        expiry = {row[0]: row[7] for row in _rows(shadow, 9)}
        users = [
            FoundUser(row[0], int(row[2]), row[5], row[6], expiry.get(row[0], ""))
            for row in _rows(passwd, 7)
            if row[2].isdigit()
        ]
        groups = [
            FoundGroup(row[0], int(row[2]), frozenset(filter(None, row[3].split(","))))
            for row in _rows(group, 4)
            if row[2].isdigit()
        ]
        return cls({each.name: each for each in users}, {each.name: each for each in groups})


def _rows(text: str, width: int) -> List[List[str]]:
    rows = [line.split(":") for line in text.splitlines() if line and line[0] not in "#+-"]
    return [row for row in rows if len(row) == width]
