"""Label and field selectors of lists and watches."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from bedplate.sandbox.kubernetes.kinds import Kind
from bedplate.sandbox.kubernetes.status import bad_request

Test = Callable[[Mapping[str, Any]], bool]

_SET = re.compile(r"^(?P<key>[^\s!=,()]+)\s+(?P<word>in|notin)\s*\((?P<values>[^()]*)\)$")
_EQUAL = re.compile(r"^(?P<key>[^\s!=,()]+)\s*(?P<word>==|=|!=)\s*(?P<value>[^\s!=,()]*)$")
_EXISTS = re.compile(r"^(?P<no>!?)\s*(?P<key>[^\s!=,()]+)$")
_COMMA = re.compile(r",(?![^(]*\))")


def label_test(text: str) -> Test:
    """Whether an object's labels fulfil every term of ``text``. Raises a 400 for a term that is none."""
    terms = [_label_term(term.strip()) for term in _COMMA.split(text) if term.strip()]
    return lambda found: all(term(found.get("metadata", {}).get("labels") or {}) for term in terms)


def _label_term(term: str) -> Test:
    if found := _SET.match(term):
        key, values = found["key"], {value.strip() for value in found["values"].split(",")}
        wanted = found["word"] == "in"
        # An absent key fulfils notin, as it does !=.
        return lambda labels: (labels.get(key) in values) == wanted
    if found := _EQUAL.match(term):
        key, value, wanted = found["key"], found["value"], found["word"] != "!="
        return lambda labels: (labels.get(key) == value) == wanted
    if found := _EXISTS.match(term):
        key, wanted = found["key"], not found["no"]
        return lambda labels: (key in labels) == wanted
    raise bad_request(f"unable to parse requirement: {term!r}")


def field_test(text: str, kind: Kind) -> Test:
    """Whether an object's fields fulfil every term. Raises a 400 for a field without an index."""
    terms: list[tuple[str, str, bool]] = []
    for term in filter(None, (part.strip() for part in text.split(","))):
        found = _EQUAL.match(term)
        if found is None:
            raise bad_request(f"invalid selector: {term!r}; can't understand {term!r}")
        if found["key"] not in kind.fields:
            raise bad_request(f"field label not supported: {found['key']}")
        terms.append((found["key"], found["value"], found["word"] != "!="))
    return lambda thing: all((_field(thing, path) == value) == wanted for path, value, wanted in terms)


def _field(found: Any, path: str) -> str:
    for part in path.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, bool):
        return "true" if found else "false"
    if found is None:
        return "false" if path == "spec.unschedulable" else ""
    return str(found)
