"""From a judged run to the nodes that something may be done with, and the faults that are left alone.

Pure. Every fault of the run is in exactly one of the two lists, save that all faults of one node are one
action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from bedplate.validation.actions.dispositions import Disposition, disposition
from bedplate.validation.actions.model import Action, LeftAlone, Rule
from bedplate.validation.actions.policy import ActionPolicy
from bedplate.validation.judgement import Fault, judge
from bedplate.validation.reports.wording import fault_title
from bedplate.validation.result import NodeResult, RunResult

INFERRED = ("FAB",)
"""Families whose verdicts are inferred from tests of several nodes: without a confidence they say too
little."""

Found = tuple[tuple[Action, ...], tuple[LeftAlone, ...]]


def candidates(
    *, result: RunResult, policy: ActionPolicy, xid_policies: Mapping[int, str] = MappingProxyType({})
) -> Found:
    """The actions that the run alone speaks for, strongest first, and what is left alone.

    ``xid_policies`` are the environment's own policies by code, under which the run was judged.
    """
    nodes = {node.node: node for node in result.nodes}
    wanted: dict[str, list[Fault]] = {}
    left: list[LeftAlone] = []
    faults = judge(result=result).faults
    shared = _shared_causes(faults, nodes, policy)
    for fault in faults:
        kind = disposition(str(fault.cause), xid_policies)
        why = _why_not(fault, kind, nodes, shared, policy)
        if why is None:
            wanted.setdefault(fault.subject.names[0], []).append(fault)
        else:
            left.append(_left(fault, *why))
    actions = [_action(nodes[name], group, policy, xid_policies) for name, group in wanted.items()]
    if policy.on_failure == "report":
        said = "on_failure is report: nothing is done, whatever is found"
        reported = [_left(fault, "report-only", said) for group in wanted.values() for fault in group]
        return (), (*reported, *left)
    # Stable: nodes of equal weight stay in the order of the run.
    actions.sort(key=lambda action: (action.do != "replace", -(action.confidence or 1.0)))
    return tuple(actions), tuple(left)


def confidence_of(fault: Fault) -> float | None:
    """How sure the run is that this subject is at fault: the surest verdict counts.

    None where a part was read directly; 0 where the fault was inferred and no confidence is stated.
    """
    stated = [verdict.confidence for verdict in fault.verdicts if verdict.confidence is not None]
    direct = [
        verdict
        for verdict in fault.verdicts
        if verdict.confidence is None and verdict.check_id.partition("-")[0] not in INFERRED
    ]
    if direct:
        return None
    return max(stated, default=0.0)


def _why_not(
    fault: Fault,
    kind: Disposition | None,
    nodes: Mapping[str, NodeResult],
    shared: Mapping[tuple[str, str], int],
    policy: ActionPolicy,
) -> tuple[Rule, str] | None:
    subject = fault.subject
    if subject.kind != "node" or len(subject.names) != 1:
        return "not-a-node", f"it is about {_kind(subject.kind)}, and no node is drained for that"
    node = nodes.get(subject.names[0])
    if node is None:
        return "foreign-node", "the run does not list this node"
    if fault.cause is None:
        return "no-cause", f"{fault.check_id} failed and names no kind of fault"
    if kind is None:
        return "unknown-cause", f"nobody has weighed {fault.cause}"
    if kind is Disposition.NEVER:
        return "configuration", "it is a matter of settings or programs: other hardware would have it too"
    if kind is Disposition.LOOK:
        return "look-again", "one run does not prove that it is this node's; look at it again first"
    common = shared.get((node.pool, fault.cause))
    if common is not None:
        return (
            "common-cause",
            f"{common} nodes of pool {node.pool} have it: look for what they share",
        )
    confidence = confidence_of(fault)
    if confidence is not None and confidence < policy.least_confidence:
        return (
            "low-confidence",
            f"the run is {confidence:.0%} sure of this node; {policy.least_confidence:.0%} are needed",
        )
    return None


def _kind(kind: str) -> str:
    return {"link": "the link between two nodes", "cluster": "the cluster as a whole"}.get(kind, f"a {kind}")


def _shared_causes(
    faults: Sequence[Fault], nodes: Mapping[str, NodeResult], policy: ActionPolicy
) -> dict[tuple[str, str], int]:
    """(pool, cause) → nodes, where too many nodes have the cause for it to be theirs."""
    sizes = Counter(node.pool for node in nodes.values())
    hit = {
        (nodes[fault.subject.names[0]].pool, fault.cause, fault.subject.names[0])
        for fault in faults
        if fault.cause and fault.subject.kind == "node" and fault.subject.names[0] in nodes
    }
    counts = Counter((pool, cause) for pool, cause, _ in hit)
    return {
        key: count
        for key, count in counts.items()
        if count > 1 and count > policy.common_share * sizes[key[0]]
    }


def _action(
    node: NodeResult, faults: Sequence[Fault], policy: ActionPolicy, xid_policies: Mapping[int, str]
) -> Action:
    decided = max(faults, key=lambda fault: _weight(fault, xid_policies))
    replaces = disposition(str(decided.cause), xid_policies) is Disposition.REPLACE
    cautions = []
    if policy.on_failure == "replace" and not replaces:
        cautions.append(f"It is drained and not replaced: {decided.remedy}")
    others = [fault_title(fault) for fault in faults if fault is not decided]
    return Action(
        do="replace" if policy.on_failure == "replace" and replaces else "drain",
        node=node.node,
        hostname=node.hostname,
        pool=node.pool,
        cause=str(decided.cause),
        checks=_checks(faults),
        why="; also: ".join([f"{fault_title(decided)}: {decided.verdicts[0].summary}", *others]),
        confidence=confidence_of(decided),
        because=tuple(dict.fromkeys(line for verdict in decided.verdicts for line in verdict.because)),
        cautions=tuple(cautions),
    )


def _weight(fault: Fault, xid_policies: Mapping[int, str]) -> tuple[bool, float]:
    confidence = confidence_of(fault)
    return (
        disposition(str(fault.cause), xid_policies) is Disposition.REPLACE,
        1.0 if confidence is None else confidence,
    )


def _checks(faults: Sequence[Fault]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(verdict.check_id for fault in faults for verdict in fault.verdicts))


def _left(fault: Fault, rule: Rule, why: str) -> LeftAlone:
    return LeftAlone(subject=fault.subject, cause=fault.cause, checks=_checks([fault]), rule=rule, why=why)
