"""From YAML text to plain data with the place of every key and value, or to what is wrong with the text.

PyYAML composes nodes, which carry line and column; its C parser is used where it is there. Tags,
several documents, duplicate keys, tabs and files beyond any sensible size are refused, each with an id
of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import yaml

from bedplate.spec.limits import MAX_BYTES, MAX_DEPTH, MAX_NODES
from bedplate.spec.problems import Path, Problem
from bedplate.spec.source import Place, SourceMap

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONSTRUCTOR = yaml.constructor.SafeConstructor()
_STANDARD = "tag:yaml.org,2002:"
_SCALARS: dict[str, Any] = {
    _STANDARD + "null": _CONSTRUCTOR.construct_yaml_null,
    _STANDARD + "bool": _CONSTRUCTOR.construct_yaml_bool,
    _STANDARD + "int": _CONSTRUCTOR.construct_yaml_int,
    _STANDARD + "float": _CONSTRUCTOR.construct_yaml_float,
    _STANDARD + "timestamp": _CONSTRUCTOR.construct_yaml_timestamp,
}
_PLAIN = {_STANDARD + "str", _STANDARD + "map", _STANDARD + "seq", _STANDARD + "value"}
_MERGE = _STANDARD + "merge"
_ODD_NUMBER = re.compile(r"[-+]?(0[0-7_]|[0-9_]+:)")  # octal, and base 60: numbers of YAML 1.1 only
_COMMENT = re.compile(r"""(^|(?<=\s))#[^"']*$""")
_LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # what YAML counts as the end of a line


class _TooMuch(Exception):
    def __init__(self, mark: Any, what: str) -> None:
        self.mark = mark
        self.what = what


def read_yaml(text: str, *, file: str) -> tuple[SourceMap, list[Problem]]:
    """Read the text of one file; the data is ``None`` where the text cannot be understood."""
    source = SourceMap(file=file, lines=tuple(_LINE_BREAK.split(text)))
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return source, [_too_much(source, Place(1, 1, 1), f"more than {MAX_BYTES // 1024} KiB")]
    unreadable = [*_control_characters(source), *_tabs(source)]
    if unreadable:
        return source, unreadable
    try:
        _refuse_depth(text)
        documents = list(yaml.compose_all(text, Loader=_Loader))
    except _TooMuch as error:
        return source, [_too_much(source, _mark_place(error.mark), error.what)]
    except yaml.YAMLError as error:
        return source, [_open_quote(source, text, error) or _not_yaml(source, error)]
    if not documents or _is_nothing(documents[0]):
        return source, [_empty(source)]
    if len(documents) > 1:
        return source, [_several(source, documents[1])]
    walk = _Walk(source)
    try:
        data = walk.plain(documents[0], ())
    except _TooMuch as error:
        return source, [_too_much(source, _mark_place(error.mark), error.what)]
    return (
        replace(source, data=data),
        walk.problems,
    )


class _Walk:
    """Turns nodes into plain data, notes their places, and collects what is wrong on the way."""

    def __init__(self, source: SourceMap) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self._nodes = 0

    def plain(self, node: yaml.Node, path: Path) -> Any:
        self._nodes += 1
        # Aliases repeat nodes: a few lines can mean thousands of values, or a list that holds itself.
        if self._nodes > MAX_NODES:
            raise _TooMuch(node.start_mark, f"more than {MAX_NODES} values, counting aliases")
        if len(path) > MAX_DEPTH:
            raise _TooMuch(node.start_mark, f"more than {MAX_DEPTH} levels")
        self.source.values[path] = _place(node)
        if node.tag == _STANDARD + "int" and _ODD_NUMBER.match(node.value):
            self.problems.append(_odd_number(self.source, node, path))
        if node.tag not in _PLAIN and node.tag not in _SCALARS:
            self.problems.append(_foreign_tag(self.source, node, path))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(item, (*path, index)) for index, item in enumerate(node.value)]
        return _scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        result: dict[str, Any] = {}
        merged: list[tuple[Place, yaml.Node, yaml.Node]] = []
        for key, value in node.value:
            if key.tag == _MERGE:
                merged.extend((_place(key), *pair) for pair in self._merged(value, path))
            elif not isinstance(key, yaml.ScalarNode):
                self.problems.append(
                    self.source.problem(
                        id="SPC-001",
                        place=_place(key),
                        path=path,
                        message="a key is a list or a mapping",
                        given="",
                        remedy="Write the key as plain text followed by a colon.",
                    )
                )
            elif key.value in result:
                self.problems.append(self._duplicate(key, (*path, key.value)))
            else:
                self.source.keys[(*path, key.value)] = _place(key)
                result[key.value] = self.plain(value, (*path, key.value))
        for merge, key, value in merged:
            if isinstance(key, yaml.ScalarNode) and key.value not in result:
                self.source.merged[(*path, key.value)] = merge
                self.source.keys[(*path, key.value)] = _place(key)
                result[key.value] = self.plain(value, (*path, key.value))
        return result

    def _merged(self, value: yaml.Node, path: Path, *, depth: int = 0) -> list[tuple[yaml.Node, yaml.Node]]:
        """The pairs of what is merged, then those that it merges itself: the first of a key holds."""
        self._nodes += 1
        if self._nodes > MAX_NODES or depth > MAX_DEPTH:
            raise _TooMuch(value.start_mark, f"merges within merges, more than {MAX_DEPTH} or in a circle")
        if isinstance(value, yaml.MappingNode):
            pairs = [(key, item) for key, item in value.value if key.tag != _MERGE]
            inner = [item for key, item in value.value if key.tag == _MERGE]
        elif isinstance(value, yaml.SequenceNode):
            pairs, inner = [], value.value
        else:
            return self._no_mapping(value, path)
        return pairs + [pair for item in inner for pair in self._merged(item, path, depth=depth + 1)]

    def _no_mapping(self, value: yaml.Node, path: Path) -> list[tuple[yaml.Node, yaml.Node]]:
        self.problems.append(
            self.source.problem(
                id="SPC-001",
                place=_place(value),
                path=path,
                message="'<<' merges a mapping, and this is none",
                remedy="Name the anchor of a mapping after '<<:'.",
            )
        )
        return []

    def _duplicate(self, key: yaml.ScalarNode, path: Path) -> Problem:
        first = self.source.keys[path]
        return self.source.problem(
            id="SPC-006",
            place=_place(key),
            path=path,
            message=f"'{key.value}' is given twice in one section; the first is on line {first.line}",
            allowed="each key once",
            remedy=f"Remove one of the two lines, {first.line} or {key.start_mark.line + 1}.",
        )


def _scalar(node: Any) -> Any:
    construct = _SCALARS.get(node.tag)
    if construct is None:
        return node.value
    try:
        return construct(node)
    except (ValueError, KeyError, OverflowError, AttributeError, IndexError):
        return node.value  # looks like a number or a date and is none, such as 2026-02-31


def _refuse_depth(text: str) -> None:
    # Composing recurses; parsing does not. So the depth is counted on the parser's events first.
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise _TooMuch(event.start_mark, f"more than {MAX_DEPTH} levels")
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            depth -= 1


def _control_characters(source: SourceMap) -> Iterator[Problem]:
    for number, line in enumerate(source.lines, start=1):
        found = yaml.reader.Reader.NON_PRINTABLE.search(line)
        if found:
            yield source.problem(
                id="SPC-001",
                place=Place(number, found.start() + 1, 1),
                message=f"there is a control character, U+{ord(found[0]):04X}, which YAML does not take",
                given=f"U+{ord(found[0]):04X}",
                allowed="printable text",
                remedy="Remove the character; perhaps the file is not text at all.",
            )


def _tabs(source: SourceMap) -> Iterator[Problem]:
    for number, line in enumerate(source.lines, start=1):
        # PyYAML's two parsers differ on tabs, so none is let through, save in comments.
        content = _COMMENT.sub("", line)
        if "\t" in content:
            indents = not content[: content.index("\t")].strip()
            yield source.problem(
                id="SPC-007",
                place=Place(number, content.index("\t") + 1, 1),
                message="the line is indented by a tab" if indents else "there is a tab in the line",
                given="a tab",
                allowed="spaces",
                remedy="Replace the tab by spaces, as many as the lines beside it have."
                if indents
                else r'Replace the tab by spaces; in text, write "\t" in double quotes.',
            )


def _place(node: Any) -> Place:
    start, end = node.start_mark, node.end_mark
    width = end.column - start.column if end.line == start.line else 1
    text = node.value if isinstance(node, yaml.ScalarNode) else ""
    return Place(line=start.line + 1, column=start.column + 1, width=max(1, width), text=text)


def _mark_place(mark: Any) -> Place:
    return Place(1, 1, 1) if mark is None else Place(mark.line + 1, mark.column + 1, 1)


def _is_nothing(node: Any) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == _STANDARD + "null"


def _not_yaml(source: SourceMap, error: yaml.YAMLError) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    place = _mark_place(mark)
    context, began = getattr(error, "context", None), getattr(error, "context_mark", None)
    if context and began is not None and mark is not None and began.line != mark.line:
        context += f" that begins on line {began.line + 1}"
    return source.problem(
        id="SPC-001",
        place=place,
        message=f"this is not YAML: {what}{f' ({context})' if context else ''}",
        remedy="Mend the line, or the one above it: look for a missing colon, quote, bracket or space.",
    )


def _open_quote(source: SourceMap, text: str, error: yaml.YAMLError) -> Problem | None:
    """The quote that was never closed, where that is what went wrong: the parser stops far below it."""
    stopped: Any = getattr(error, "problem_mark", None)
    began: Any = None
    ended: Any = None
    try:
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.ScalarEvent) and event.style in ("'", '"'):
                began, ended = event.start_mark, event.end_mark
    except yaml.YAMLError:
        pass
    if "quoted scalar" in (getattr(error, "context", None) or ""):
        began = ended = getattr(error, "context_mark", None)  # it runs to the end of the file
    elif began is None or stopped is None or began.line == ended.line or ended.line != stopped.line:
        return None
    if began is None:
        return None
    return source.problem(
        id="SPC-001",
        place=_mark_place(began),
        message="this is not YAML: the text in quotes that begins here does not end on its line",
        allowed="a quote at the end of the text, as at its beginning",
        remedy="Close the quote on this line.",
    )


def _empty(source: SourceMap) -> Problem:
    return source.problem(
        id="SPC-009",
        place=Place(1, 1, 1),
        message="the file is empty",
        given="nothing, or comments only",
        allowed="an environment",
        remedy="Write one with `bedplate init`, or copy environments/demo.yaml.",
    )


def _several(source: SourceMap, second: Any) -> Problem:
    return source.problem(
        id="SPC-010",
        place=_mark_place(second.start_mark),
        message="a second YAML document begins here",
        given="",
        allowed="one document in a file",
        remedy="Remove the line `---` between them, or put each environment into a file of its own.",
    )


def _too_much(source: SourceMap, place: Place, what: str) -> Problem:
    return source.problem(
        id="SPC-011",
        place=place,
        message=f"the file is too large or too deep: {what}",
        given="",
        allowed=f"{MAX_BYTES // 1024} KiB, {MAX_DEPTH} levels, {MAX_NODES} values",
        remedy="Give an environment file; this looks like something else.",
    )


def _odd_number(source: SourceMap, node: Any, path: Path) -> Problem:
    return source.problem(
        id="SPC-004",
        place=_place(node),
        path=path,
        message=f"YAML reads {node.value[:40]} as {str(_scalar(node))[:40]}, which is hardly what is meant",
        allowed="whole numbers without a leading 0 and without colons",
        remedy="Write the number plainly, such as 8; put it in quotes if it is text.",
    )


def _foreign_tag(source: SourceMap, node: Any, path: Path) -> Problem:
    return source.problem(
        id="SPC-001",
        place=_place(node),
        path=path,
        message=f"the YAML tag {node.tag} means nothing here",
        given=node.tag,
        allowed="plain text, numbers, true, false, lists and mappings",
        remedy="Remove the tag.",
    )
