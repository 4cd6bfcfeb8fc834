"""What a PromQL expression names, held against the one table of metrics."""

from __future__ import annotations

from collections.abc import Mapping

import promql_parser as promql

from bedplate.telemetry.metrics.catalogue import metric
from bedplate.telemetry.metrics.labels import COMMON_LABELS, PLACEMENT_LABELS

_ALWAYS = frozenset((*COMMON_LABELS, "job", "instance"))
_KEEP_ALL = ("topk", "bottomk")


class UnknownLabel(Exception):
    """An expression names a label that its series do not have."""


def labels_of(expression: str, recorded: Mapping[str, frozenset[str]] | None = None) -> frozenset[str]:
    """The labels that the expression's series have.

    Raises ``UnknownMetric`` for a name of no table, ``UnknownLabel`` for a label that a matcher, a grouping
    or a match names and the series lack, ``ValueError`` for what is no PromQL. ``recorded`` is recording
    rule → its labels.
    """
    return _labels(promql.parse(expression), recorded or {})


def _labels(at: object, recorded: Mapping[str, frozenset[str]]) -> frozenset[str]:
    match at:
        case promql.VectorSelector():
            found = _series(at.name or "", recorded)
            _known([each.name for each in at.matchers.matchers], found, f"a matcher of {at.name}")
            return found
        case promql.MatrixSelector():
            return _labels(at.vector_selector, recorded)
        case promql.SubqueryExpr() | promql.ParenExpr() | promql.UnaryExpr():
            return _labels(at.expr, recorded)
        case promql.AggregateExpr():
            return _aggregated(at, _labels(at.expr, recorded))
        case promql.BinaryExpr():
            return _matched(at, _labels(at.lhs, recorded), _labels(at.rhs, recorded))
        case promql.Call():
            inner = [_labels(each, recorded) for each in at.args]
            found = frozenset().union(*inner)
            if at.func.name == "label_join":
                _known([each.val for each in at.args[3:]], found, "label_join")
                return found | {at.args[1].val}
            if at.func.name == "label_replace":
                _known([at.args[3].val], found, "label_replace")
                return found | {at.args[1].val}
            return found - {"le"} if at.func.name == "histogram_quantile" else found
        case _:
            return frozenset()


def _series(name: str, recorded: Mapping[str, frozenset[str]]) -> frozenset[str]:
    if name in recorded:
        return recorded[name]
    known = metric(name)
    found = _ALWAYS | set(known.labels)
    if name == "bedplate_node_info":
        found |= set(PLACEMENT_LABELS)
    return found | {"le"} if name.endswith("_bucket") else found


def _aggregated(at: promql.AggregateExpr, inner: frozenset[str]) -> frozenset[str]:
    if str(at.op) == "count_values":
        return frozenset({at.param.val, *(at.modifier.labels if at.modifier else ())})
    if at.modifier is None:
        return inner if str(at.op) in _KEEP_ALL else frozenset()
    named = frozenset(at.modifier.labels)
    _known(named, inner, f"{at.op} by or without")
    if str(at.op) in _KEEP_ALL:
        return inner
    return named if at.modifier.type == promql.AggModifierType.By else inner - named


def _matched(at: promql.BinaryExpr, left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
    modifier = at.modifier
    if modifier is None or modifier.matching is None:
        return left or right
    named = frozenset(modifier.matching.labels)
    if modifier.matching.type == promql.LabelModifierType.Include:
        _known(named, left, "on(), left")
        _known(named, right, "on(), right")
    added = frozenset(modifier.group_labels or ())
    _known(added, right, "group_left()")
    return left | added


def _known(named: object, found: frozenset[str], where: str) -> None:
    unknown = set(named) - found  # type: ignore[call-overload]
    if unknown:
        raise UnknownLabel(f"{where}: {', '.join(sorted(unknown))} not of {', '.join(sorted(found))}")
