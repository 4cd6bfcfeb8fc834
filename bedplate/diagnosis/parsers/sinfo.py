"""Nodes and their states in ``sinfo``'s tables with ``|`` between columns (``sinfo -N -o '%N|%T|%P|%E'``).

A node stands in it once for each partition, titles may be there twice with different content (``%t`` and
``%T`` are both ``STATE``), rows may be ragged, and a mark behind the state says more: ``*`` does not answer,
``~`` powered off, ``#`` powering up, ``%`` powering down, ``$`` reserved for maintenance, ``@`` to reboot,
``^`` rebooting, ``!`` to power down, ``-`` planned. Source: sinfo(1), "NODE STATE CODES".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

TOOL = "sinfo"

_NAMES = ("NODELIST", "HOSTNAMES")
_MARKS = "*~#%$@^!-"
_STATE = re.compile(r"[a-z][a-z_+]*", re.ASCII)
_LONG = {"alloc": "allocated", "comp": "completing", "drng": "draining", "mix": "mixed", "maint": "maint"}
_LONG |= {"resv": "reserved", "unk": "unknown", "drain": "drained", "plnd": "planned", "futr": "future"}


@dataclass(frozen=True)
class SinfoNode:
    """One node: its state in long form and lower case, the marks behind it, its partitions and the reason."""

    name: str
    state: str
    marks: str
    partitions: tuple[str, ...]
    reason: str

    @property
    def answers(self) -> bool:
        """Whether Slurm hears of it."""
        return "*" not in self.marks


def parse_sinfo(text: str) -> tuple[SinfoNode, ...]:
    """Every node once, in the order of the first rows.

    ParseError where there is no title of a node's name or state, no row, a row without them, or two rows of a
    node that contradict each other.
    """
    lines = [line for line in clean_lines(text) if line.strip()]
    titles = [title.strip() for title in lines[0].split("|")] if lines else []
    name_at = next((titles.index(name) for name in _NAMES if name in titles), None)
    if name_at is None or "STATE" not in titles:
        raise ParseError(tool=TOOL, reason="its titles name neither nodes nor states")
    found: dict[str, SinfoNode] = {}
    for number, line in enumerate(lines[1:], start=2):
        node = _node([word.strip() for word in line.split("|")], titles, name_at, number)
        before = found.get(node.name)
        if before is not None and (before.state, before.marks) != (node.state, node.marks):
            raise ParseError(tool=TOOL, reason=f"{node.name} has two states", line=number)
        found[node.name] = node if before is None else _joined(before, node)
    if not found:
        raise ParseError(tool=TOOL, reason="there is no node in it")
    return tuple(found.values())


def _node(words: list[str], titles: list[str], name_at: int, number: int) -> SinfoNode:
    state_at = titles.index("STATE")
    if len(words) <= max(name_at, state_at) or not words[name_at]:
        raise ParseError(tool=TOOL, reason="a row ends before the node's name or state", line=number)
    if any(mark in words[name_at] for mark in "[,"):
        raise ParseError(tool=TOOL, reason="a row stands for several nodes; -N gives one a row", line=number)
    word = words[state_at].lower()
    state = word.rstrip(_MARKS)
    if not _STATE.fullmatch(state):
        raise ParseError(tool=TOOL, reason=f"`{word[:20]}` is no state", line=number)
    return SinfoNode(
        name=words[name_at],
        state=_LONG.get(state, state),
        marks=word[len(state) :],
        partitions=tuple(filter(None, [_word(words, titles, "PARTITION").rstrip("*")])),
        reason=_word(words, titles, "REASON"),
    )


def _word(words: list[str], titles: list[str], title: str) -> str:
    at = titles.index(title) if title in titles else len(words)
    return words[at] if at < len(words) else ""


def _joined(first: SinfoNode, second: SinfoNode) -> SinfoNode:
    partitions = tuple(dict.fromkeys((*first.partitions, *second.partitions)))
    return SinfoNode(first.name, first.state, first.marks, partitions, first.reason or second.reason)
