"""The one JSON document in what a tool printed, behind whatever banner stands before it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bedplate.diagnosis.parsers.problem import ParseError


def one_document(text: str, *, tool: str, keys: Sequence[str]) -> object:
    """Read the document; ParseError where there is none, it is cut, a key is in an object twice, or more
    follows that holds one of ``keys``: of two runs in one output neither is taken for both.
    """
    start = text.find("{")
    if start < 0:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "it is empty")
        raise ParseError(tool=tool, reason=f"there is no JSON in it: {first[:200]}")
    try:
        document, end = json.JSONDecoder(object_pairs_hook=_unique).raw_decode(text[start:])
    except (ValueError, RecursionError) as error:
        raise ParseError(tool=tool, reason=f"its JSON is cut or broken: {str(error)[:200]}") from error
    rest = text[start + end :]
    if any(f'"{key}"' in rest for key in keys):
        raise ParseError(tool=tool, reason="it holds two runs")
    found: object = document
    return found


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys are distinct: of two equal keys one would silently win."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is in an object twice")
    return found
