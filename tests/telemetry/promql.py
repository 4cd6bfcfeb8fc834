"""Reads PromQL, and holds the metrics and labels in it against the tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import promql_parser as promql

from bedplate.telemetry.metrics.catalogue import SAMPLES
from bedplate.telemetry.metrics.labels import COMMON_LABELS
from bedplate.telemetry.recording.catalogue import RECORDED

SCRAPED = frozenset({*COMMON_LABELS, "job", "instance"})
"""Labels that every scraped series has: those of Prometheus itself beside ours."""
_OVER_COUNTERS = frozenset({"rate", "increase", "irate", "resets"})
_KEEP = frozenset({"topk", "bottomk"})


class Wrong(Exception):
    """An expression that names what no series has."""


def labels_of(text: str) -> frozenset[str]:
    """The labels that the result may have. Raises ``Wrong`` for a metric or a label that is in no table."""
    return _labels(promql.parse(text))


def metrics_of(text: str) -> frozenset[str]:
    """The names of all series that are read."""
    return frozenset(each.name for each in _selectors(promql.parse(text)))


def series_labels(name: str) -> frozenset[str]:
    """All labels that series of this name have. Raises ``Wrong``."""
    if name in RECORDED:
        return frozenset(RECORDED[name].labels)
    if name not in SAMPLES:
        raise Wrong(f"{name} is in no table of metrics or recorded series")
    found = {*SCRAPED, *SAMPLES[name].labels}
    return frozenset(found | {"le"} if name.endswith("_bucket") else found)


def _selectors(node: Any) -> Iterator[Any]:
    if isinstance(node, promql.VectorSelector):
        yield node
    elif isinstance(node, promql.MatrixSelector):
        yield node.vector_selector
    else:
        for child in _children(node):
            yield from _selectors(child)


def _children(node: Any) -> Iterator[Any]:
    for name in ("lhs", "rhs", "expr", "param"):
        child = getattr(node, name, None)
        if child is not None:
            yield child
    yield from getattr(node, "args", ())


def _labels(node: Any) -> frozenset[str]:
    if isinstance(node, promql.MatrixSelector):
        return _labels(node.vector_selector)
    if isinstance(node, promql.VectorSelector):
        return _selector(node)
    if isinstance(node, promql.AggregateExpr):
        return _aggregate(node)
    if isinstance(node, promql.BinaryExpr):
        return _binary(node)
    if isinstance(node, promql.Call):
        return _call(node)
    inner = getattr(node, "expr", None)
    return frozenset() if inner is None else _labels(inner)


def _selector(node: Any) -> frozenset[str]:
    known = series_labels(node.name)
    _demand({each.name for each in node.matchers.matchers}, known, f"selector of {node.name}")
    return known


def _aggregate(node: Any) -> frozenset[str]:
    inner = _labels(node.expr)
    by = frozenset(node.modifier.labels) if node.modifier else frozenset()
    _demand(by, inner, f"{node.op} by")
    if str(node.op) == "count_values":
        return by | {node.param.val}
    return inner if str(node.op) in _KEEP else by


def _binary(node: Any) -> frozenset[str]:
    left, right = _labels(node.lhs), _labels(node.rhs)
    matching = node.modifier.matching if node.modifier else None
    if matching is not None:
        _demand(matching.labels, left, f"left of {node.op} on")
        _demand(matching.labels, right, f"right of {node.op} on")
    if str(node.op) == "or":
        return left & right
    return left or right


def _call(node: Any) -> frozenset[str]:
    vectors = [each for each in node.args if not isinstance(each, promql.StringLiteral)]
    found = frozenset().union(*(_labels(each) for each in vectors)) if vectors else frozenset()
    if node.func.name in _OVER_COUNTERS:
        _demand_counters(node)
    if node.func.name != "label_replace":
        return found
    _, target, replacement, source, pattern = node.args
    _demand({source.val}, found, "label_replace")
    assert re.compile(pattern.val)
    assert replacement.val
    return found | {target.val}


def _demand(wanted: Any, known: frozenset[str], where: str) -> None:
    missing = sorted(set(wanted) - known)
    if missing:
        raise Wrong(
            f"{where}: no series has the label {', '.join(missing)}; known are {', '.join(sorted(known))}"
        )


def _demand_counters(node: Any) -> None:
    for each in _selectors(node):
        kind = SAMPLES[each.name].kind if each.name in SAMPLES else "gauge"
        if kind == "gauge":
            raise Wrong(f"{node.func.name} of {each.name}, which is a gauge")
