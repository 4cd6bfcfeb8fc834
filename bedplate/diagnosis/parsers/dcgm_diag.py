"""``dcgmi diag``: its JSON, of DCGM 3 and DCGM 4, with whatever banner stands before it, or its table.

DCGM 3: root ``DCGM GPU Diagnostic``, tests by human names, ``gpu_id`` a string (older: ``gpu_ids``, a list
by comma), deployment tests without any. DCGM 4: root ``DCGM Diagnostic``, tests by plugin name,
``entity_group`` and ``entity_id``, a ``test_summary``. A parser that knows one root only finds no tests in
the other, and no tests must never be a pass. Source: NVIDIA/DCGM ``testing/python3/dcgm_diag_schema.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bedplate.diagnosis.parsers.dcgm_diag_table import parse_dcgm_table
from bedplate.diagnosis.parsers.dcgm_results import TOOL, DcgmDiag, DiagResult, DiagWarning, status_of
from bedplate.diagnosis.parsers.one_document import one_document
from bedplate.diagnosis.parsers.problem import ParseError

ROOT_V3 = "DCGM GPU Diagnostic"
ROOT_V4 = "DCGM Diagnostic"


def parse_dcgm_diag(text: str) -> DcgmDiag:
    """Read the JSON, or the table where there is no JSON; ParseError where it is cut, is no diagnostic, or
    holds neither a test nor a runtime error.
    """
    if "{" not in text and "|" in text:
        return parse_dcgm_table(text)
    document = _document(text)
    roots = [name for name in (ROOT_V4, ROOT_V3) if isinstance(document.get(name), dict)]
    if len(roots) != 1:
        told = "both" if roots else "neither"
        raise ParseError(tool=TOOL, reason=f"of {ROOT_V3!r} and {ROOT_V4!r} {told} is in it")
    root_name = roots[0]
    root = _mapping(document[root_name])
    metadata = _mapping(document.get("metadata")) if root_name == ROOT_V4 else root
    results, summaries = [], []
    for category, test in _tests(root):
        name = _word(test.get("name"))
        if not name:
            raise ParseError(tool=TOOL, reason="a test has no name")
        results += list(_results(name, category, test.get("results")))
        summary = _mapping(test.get("test_summary"))
        if summary:
            status, warnings = _status(summary.get("status")), tuple(_warnings(summary.get("warnings")))
            summaries.append((name, status))
            if warnings:  # what DCGM ties to no part stands here alone
                results.append(DiagResult(name, category, None, status, warnings))
    error = root.get("runtime_error")
    runtime_error = _word(error) or ("; ".join(map(_word, error)) if isinstance(error, list) else "")
    if not results and not runtime_error:
        raise ParseError(tool=TOOL, reason="it holds no result of any test")
    return DcgmDiag(
        generation=4 if root_name == ROOT_V4 else 3,
        version=_word(metadata.get("version")),
        driver=_word(metadata.get("Driver Version Detected")),
        results=tuple(results),
        summaries=tuple(summaries),
        runtime_error=runtime_error[:300],
    )


def _document(text: str) -> Mapping[str, object]:
    return _mapping(one_document(text, tool=TOOL, keys=(ROOT_V4, ROOT_V3)))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _status(value: object) -> str:
    return status_of(_word(value))


def _tests(root: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Every test with its category; DCGM leaves ``null`` holes in its lists, which are passed over."""
    for category in map(_mapping, _list(root.get("test_categories"))):
        for test in map(_mapping, _list(category.get("tests"))):
            if test:
                yield _word(category.get("category")), test


def _results(name: str, category: str, value: object) -> Iterator[DiagResult]:
    for entry in map(_mapping, _list(value)):
        if not entry:
            continue
        group = entry.get("entity_group")
        if isinstance(group, str) and group.strip().upper() not in {"GPU", ""}:
            continue  # CPUs and switches: not what the checks ask about
        warnings = tuple(_warnings(entry.get("warnings")))
        told = entry.get("info")
        info = tuple(_word(each)[:300] for each in ([told] if isinstance(told, str) else _list(told)))
        for gpu in _gpus(entry):
            yield DiagResult(name, category, gpu, _status(entry.get("status")), warnings, info)


def _gpus(entry: Mapping[str, object]) -> tuple[int | None, ...]:
    """The GPUs that a result is about; ``(None,)`` for the whole node."""
    for key in ("entity_id", "gpu_id", "gpu_ids"):
        value = entry.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return (value,)
        if isinstance(value, str) and value.strip():
            words = [word.strip() for word in value.split(",")]
            if all(word.isascii() and word.isdigit() and len(word) < 6 for word in words):
                return tuple(int(word) for word in words)
            raise ParseError(tool=TOOL, reason=f"{key} is {value[:50]!r}, no list of numbers")
    return (None,)


def _warnings(value: object) -> Iterator[DiagWarning]:
    entries = [value] if isinstance(value, (str, dict)) else _list(value)
    for entry in entries:
        if isinstance(entry, str) and entry.strip():
            yield DiagWarning(entry.strip()[:300], None, None)
        elif isinstance(entry, dict):
            text = _word(entry.get("warning")) or _word(entry.get("message"))
            yield DiagWarning(text[:300], _number(entry, "error_id"), _number(entry, "error_severity"))


def _number(entry: Mapping[str, object], key: str) -> int | None:
    value = entry.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    word = _word(value)
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None
