"""What all objects of a Kubernetes API have in common, read from JSON with distrust."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.diagnosis.parsers.one_document import one_document
from bedplate.diagnosis.parsers.problem import ParseError

MOST_ITEMS = 20_000
"""More than EKS takes nodes into a cluster; a list beyond is not read."""
_WORD = 2000
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
"""DNS-1123 subdomain (Kubernetes, "Object Names and IDs")."""


def read_document(text: str, *, tool: str) -> Mapping[str, Any]:
    """The one object in a text; ParseError where there is none, or more than one."""
    document = one_document(text, tool=tool, keys=("kind", "metadata", "status", "items"))
    if not isinstance(document, dict):
        raise ParseError(tool=tool, reason="its JSON is no object")
    return document


def items_of(document: Mapping[str, Any], *, tool: str) -> Sequence[Any]:
    """The items of a whole list; ParseError for a page of it, behind which more would follow."""
    items = document.get("items")
    if not isinstance(items, list):
        raise ParseError(tool=tool, reason="it is no list of objects: it has no items")
    if mapping(document.get("metadata")).get("continue"):
        raise ParseError(tool=tool, reason="it is one page of a list, and the rest is not there")
    if len(items) > MOST_ITEMS:
        raise ParseError(tool=tool, reason=f"it holds {len(items)} objects; {MOST_ITEMS} are read")
    return items


def metadata_of(item: object, *, kind: str, tool: str) -> Mapping[str, Any]:
    """The metadata of an object of this kind; ParseError for another kind or an illegal name.

    Items of a list need not name their kind: the API server leaves it out.
    """
    told = mapping(item)
    if told.get("kind", kind) != kind:
        raise ParseError(tool=tool, reason=f"it is a {str(told.get('kind'))[:60]}, not a {kind}")
    metadata = mapping(told.get("metadata"))
    if not _NAME.fullmatch(word(metadata.get("name"))):
        raise ParseError(tool=tool, reason=f"a {kind} has no legal name")
    return metadata


def mapping(value: object) -> Mapping[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def listing(value: object) -> Sequence[Any]:
    """The list, or an empty one."""
    return value if isinstance(value, list) else ()


def word(value: object) -> str:
    """The string, at most 2,000 characters of it; empty for anything else."""
    return value[:_WORD] if isinstance(value, str) else ""


def words(value: object) -> dict[str, str]:
    """Those entries of an object that are strings."""
    return {key: word(each) for key, each in mapping(value).items() if isinstance(each, str)}
