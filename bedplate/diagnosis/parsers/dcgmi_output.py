"""What ``dcgmi health`` and ``dcgmi nvlink -e`` print: a head, and a tree of names with values.

As JSON: ``{"header": […], "body": {NAME: {"value", "overflow": […], "children": {…}}}}``. As a table: one row
a name, each level three columns further right behind ``-> ``, long values going on in rows without a name.
Source: NVIDIA/DCGM ``dcgmi/DcgmiOutput.cpp``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bedplate.diagnosis.parsers.one_document import one_document
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

_ROW = re.compile(r"^\|(?P<left>[^|]{1,80})\|(?P<right>[^|]{0,200})\|?$")
_HEAD = re.compile(r"^\|(?P<head>[^|]{1,200})\|$")
_NAME = re.compile(r"^ (?P<indent> *)(?P<arrow>-> )?(?P<name>\S.*)$")
_DEPTH = 8


@dataclass
class OutputNode:
    """One name of the tree: its value, what goes on below the value, and what hangs below the name."""

    value: str = ""
    overflow: list[str] = field(default_factory=list)
    children: dict[str, OutputNode] = field(default_factory=dict)


@dataclass(frozen=True)
class DcgmiOutput:
    """The whole output."""

    header: tuple[str, ...]
    body: OutputNode


def parse_dcgmi_output(text: str, *, tool: str) -> DcgmiOutput:
    """Read JSON or table; ParseError where it is neither, is cut, or holds no name."""
    output = _document(text, tool) if "{" in text else _table(text)
    if not output.body.children:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "it is empty")
        raise ParseError(tool=tool, reason=f"there is nothing in it: {first[:200]}")
    return output


def _document(text: str, tool: str) -> DcgmiOutput:
    document = one_document(text, tool=tool, keys=("body",))
    data: Mapping[str, object] = document if isinstance(document, dict) else {}
    header = data.get("header")
    words = header if isinstance(header, list) else [header]
    return DcgmiOutput(
        tuple(word for word in words if isinstance(word, str)),
        _node({"children": data.get("body")}, _DEPTH),
    )


def _node(value: object, depth: int) -> OutputNode:
    data: Mapping[str, object] = value if isinstance(value, dict) else {}
    children, overflow = data.get("children"), data.get("overflow")
    return OutputNode(
        value=str(data.get("value", ""))[:300],
        overflow=[str(each)[:300] for each in overflow] if isinstance(overflow, list) else [],
        children={name: _node(child, depth - 1) for name, child in children.items()}
        if isinstance(children, dict) and depth
        else {},
    )


def _table(text: str) -> DcgmiOutput:
    header: list[str] = []
    body = OutputNode()
    opened: list[tuple[int, OutputNode]] = [(-1, body)]
    for line in clean_lines(text):
        row, head = _ROW.match(line), _HEAD.match(line)
        if head is not None and len(opened) == 1:
            header.append(head.group("head").strip())
        elif row is not None:
            _row(opened, row.group("left"), row.group("right").strip())
    return DcgmiOutput(tuple(header), body)


def _row(opened: list[tuple[int, OutputNode]], left: str, value: str) -> None:
    name = _NAME.match(left.rstrip())
    if name is None:
        if len(opened) > 1:
            opened[-1][1].overflow.append(value)
        return
    level = len(name.group("indent")) + 1 if name.group("arrow") else 0
    while opened[-1][0] >= level:
        opened.pop()
    node = opened[-1][1].children.setdefault(name.group("name").strip(), OutputNode())
    node.value = node.value or value
    opened.append((level, node))
