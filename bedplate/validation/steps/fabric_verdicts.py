"""From what the search found to the verdicts FAB-001 (each node) and FAB-002 (links)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bedplate.diagnosis.causes import cause
from bedplate.diagnosis.missing_programs import remedy_for
from bedplate.diagnosis.verdict import CLUSTER, Finding, Outcome, Severity, Subject, Verdict
from bedplate.validation.fabric.finding import (
    LinkFinding,
    LinkState,
    Localisation,
    NodeFinding,
    NodeState,
)
from bedplate.validation.record import Node

NODE_CHECK = "FAB-001"
LINK_CHECK = "FAB-002"
_OUTCOMES: Mapping[NodeState, Outcome] = {
    NodeState.CLEARED: Outcome.PASS,
    NodeState.AT_FAULT: Outcome.FAIL,
    NodeState.UNDETERMINED: Outcome.ERROR,
    NodeState.UNCOMPARED: Outcome.NOT_TESTED,
    NodeState.UNTESTED: Outcome.NOT_TESTED,
}
_SLOW = "efa-device-slow"
_ARGUED = frozenset({NodeState.AT_FAULT, NodeState.UNDETERMINED})
"""Where the tests that led there are told; a node that is cleared needs no argument."""


def node_verdicts(found: Localisation) -> Iterator[Verdict]:
    """FAB-001 for every node of the search."""
    for finding in found.nodes.values():
        yield _node(finding, found)


def link_verdicts(found: Localisation) -> Iterator[Verdict]:
    """FAB-002: one for each link at fault, and one for the cluster."""
    bad = [link for link in found.links if link.state is LinkState.AT_FAULT]
    open_links = [link for link in found.links if link.state is LinkState.UNDETERMINED]
    for link in bad:
        yield _link(link, found)
    covered = f"{found.links_tested} of {found.links_total} links were tested"
    if bad:
        yield _cluster(found, Outcome.FAIL, f"{len(bad)} link(s) at fault; {covered}")
    elif found.configuration:
        named = found.configuration_cause or "fabric-configuration"
        yield _cluster(found, Outcome.FAIL, f"no pair of nodes passed: {_title(named)}", named)
    elif found.not_made:
        why = f"no test between nodes could be made: {found.not_made}"
        yield replace(_cluster(found, Outcome.ERROR, why), remedy=remedy_for(why))
    elif open_links or found.no_reference:
        why = f"{len(open_links)} link(s) undetermined" if open_links else "there is no reliable reference"
        yield _cluster(found, Outcome.ERROR, f"{why}; {covered}")
    elif found.links_tested and found.nobody_passed:
        yield _cluster(found, Outcome.ERROR, f"no pair passed, and nothing tells why; {covered}")
    elif not found.links_tested or found.threshold.value_gb_per_s is None:
        yield _cluster(found, Outcome.NOT_TESTED, f"nothing could be compared: {found.threshold.source}")
    else:
        yield _cluster(found, Outcome.PASS, f"no tested link is slow; {covered}")


def excluded_verdict(node: Node, failed: tuple[str, ...]) -> Verdict:
    """FAB-001 of a node that was kept out of the search."""
    why = node.why_not_loaded or f"kept out of the search, it is at fault already ({', '.join(failed)})"
    outcome = Outcome.NOT_TESTED if node.answered else Outcome.ERROR
    return Verdict(NODE_CHECK, Subject("node", (node.node,)), outcome, why)


def _node(finding: NodeFinding, found: Localisation) -> Verdict:
    failed = finding.state is NodeState.AT_FAULT
    named = (finding.cause or _SLOW) if failed else None
    row = cause(named) if named else None
    return Verdict(
        check_id=NODE_CHECK,
        subject=Subject("node", (finding.node,)),
        outcome=_OUTCOMES[finding.state],
        summary=f"{_title(named)}: {finding.reason}" if named else f"{finding.state}: {finding.reason}",
        measured=None if finding.best_gb_per_s is None else round(finding.best_gb_per_s, 2),
        expected=_expected(found),
        unit="GB/s",
        source=found.threshold.source,
        evidence=finding.evidence,
        remedy=row.remedy if row else remedy_for(finding.reason),
        cause=named,
        confidence=_rounded(finding.confidence),
        because=finding.because if finding.state in _ARGUED else (),
    )


def _link(link: LinkFinding, found: Localisation) -> Verdict:
    row = cause("link-slow")
    return Verdict(
        check_id=LINK_CHECK,
        subject=Subject("link", link.nodes),
        outcome=Outcome.FAIL,
        summary="both nodes pass with others, and fail with each other each time",
        measured=None if link.best_gb_per_s is None else round(link.best_gb_per_s, 2),
        expected=_expected(found),
        unit="GB/s",
        source=found.threshold.source,
        evidence=link.evidence,
        remedy=row.remedy if row else "",
        cause="link-slow",
        confidence=_rounded(link.confidence),
        because=link.because,
    )


def _cluster(found: Localisation, outcome: Outcome, summary: str, named: str | None = None) -> Verdict:
    row = cause(named) if named else None
    transient = [link for link in found.links if link.state is LinkState.TRANSIENT]
    return Verdict(
        check_id=LINK_CHECK,
        subject=CLUSTER,
        outcome=outcome,
        summary=summary,
        measured=found.links_tested,
        expected=found.links_total,
        unit="links tested",
        source=found.threshold.source,
        remedy=row.remedy if row else "",
        findings=tuple(
            Finding(
                Severity.WARNING, f"{' ↔ '.join(link.nodes)} failed once and then passed", "Watch this pair."
            )
            for link in transient
        ),
        cause=named,
    )


def _expected(found: Localisation) -> float | None:
    value = found.threshold.value_gb_per_s
    return None if value is None else round(value, 2)


def _rounded(confidence: float | None) -> float | None:
    return None if confidence is None else round(confidence, 4)


def _title(named: str | None) -> str:
    row = cause(named) if named else None
    return row.title if row else str(named)
