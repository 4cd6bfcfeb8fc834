"""One line a node from ``scontrol show node -o``: ``Key=value`` pairs, where values may hold blanks (OS,
Reason).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

TOOL = "scontrol show node"

_KEY = re.compile(r"(?:^|\s)(?P<key>[A-Za-z][A-Za-z0-9_:/]*)=")
_LAST_KEYS = ("Reason", "Comment", "Extra")
"""What a person writes stands last and may hold ``a=b``; nothing behind the first of them is read as a
key, but for a comment behind the stamp that Slurm ends a reason with.
"""
_STAMPED = re.compile(r"^(?P<reason>.*?\[[^\s@\]]+@[0-9T:-]+\])\s+Comment=(?P<comment>.*)$")

_USABLE_FLAGS = frozenset({"CLOUD", "DYNAMIC_NORM", "DYNAMIC_FUTURE", "PLANNED"})


@dataclass(frozen=True)
class SlurmNode:
    """One node: ``state`` is the base state (``IDLE``), ``flags`` the rest (``CLOUD``, ``DRAIN``), in upper
    case.
    """

    name: str
    address: str
    hostname: str
    state: str
    flags: tuple[str, ...]
    partitions: tuple[str, ...]
    gres: str
    allocated: str
    reason: str
    comment: str = ""

    @property
    def idle(self) -> bool:
        """Whether the scheduler would place a job on it now, and nothing runs on it."""
        return self.state == "IDLE" and set(self.flags) <= _USABLE_FLAGS and not self.allocated


def parse_scontrol_nodes(text: str) -> tuple[SlurmNode, ...]:
    """Read all nodes; ParseError where there is none, a line is no node, or a node is there twice."""
    nodes = []
    for number, line in enumerate(clean_lines(text), start=1):
        if not line.strip():
            continue
        pairs = _pairs(line)
        if not pairs.get("NodeName") or not pairs.get("State"):
            raise ParseError(tool=TOOL, reason="a line has no NodeName or no State", line=number)
        nodes.append(_node(pairs))
    if not nodes:
        raise ParseError(tool=TOOL, reason="there is no node in it")
    if len({node.name for node in nodes}) != len(nodes):
        raise ParseError(tool=TOOL, reason="a node is in it twice")
    return tuple(nodes)


def _pairs(line: str) -> dict[str, str]:
    """The pairs of a line, the first of a key counting."""
    pairs: dict[str, str] = {}
    matches = list(_KEY.finditer(line))
    for index, match in enumerate(matches):
        last = match.group("key") in _LAST_KEYS
        end = len(line) if last or index + 1 == len(matches) else matches[index + 1].start()
        pairs.setdefault(match.group("key"), line[match.end() : end].strip())
        if last:
            stamped = _STAMPED.match(pairs.get("Reason", ""))
            if stamped is not None:
                pairs.update(Reason=stamped["reason"], Comment=stamped["comment"])
            break
    return pairs


def _node(pairs: dict[str, str]) -> SlurmNode:
    words = [word for word in re.split(r"\+", pairs["State"].upper()) if word]
    # A star says that the node does not answer; other marks (~ # % $ @ ^ !) mean power or boot.
    base = words[0].rstrip("*~#%$@^!-") if words else ""
    marks = words[0][len(base) :] if words else ""
    flags = [
        *words[1:],
        *(("NOT_RESPONDING",) if "*" in marks else ()),
        *(("MARKED",) if marks.strip("*") else ()),
    ]
    return SlurmNode(
        name=pairs["NodeName"],
        address=pairs.get("NodeAddr", ""),
        hostname=pairs.get("NodeHostName", ""),
        state=base,
        flags=tuple(flags),
        partitions=tuple(word for word in pairs.get("Partitions", "").split(",") if word),
        gres=pairs.get("Gres", ""),
        allocated=pairs.get("AllocTRES", ""),
        reason=pairs.get("Reason", ""),
        comment=pairs.get("Comment", ""),
    )
