"""From what the search found to the verdicts FAB-001 (each node) and FAB-002 (links)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
_NAMES_SHOWN = 4
_ARGUED = frozenset({NodeState.AT_FAULT, NodeState.UNDETERMINED})
"""Where the tests that led there are told; a node that is cleared needs no argument."""


def node_verdicts(found: Localisation) -> Iterator[Verdict]:
    """FAB-001 for every node of the search."""
    for finding in found.nodes.values():
        yield _node(finding, found)


def link_verdicts(found: Localisation, *, settings: Sequence[str] = ()) -> Iterator[Verdict]:
    """FAB-002: one for each link at fault, and one for the cluster. ``settings`` say what divides the nodes
    exactly as the search does, where it found two groups.
    """
    for link in found.links_in_state(LinkState.AT_FAULT):
        yield _link(link, found)
    yield _cluster(found, settings)


def _cluster(found: Localisation, settings: Sequence[str]) -> Verdict:
    bad, doubted = found.links_in_state(LinkState.AT_FAULT), found.links_in_state(LinkState.UNDETERMINED)
    covered = f"{found.links_tested} of {found.links_total} links were tested"
    if found.leaves:
        return _of_leaves(found, covered)
    if found.configuration:
        return _of_configuration(found, settings, covered)
    if bad:
        return _argued(_about_links(found, Outcome.FAIL, f"{len(bad)} link(s) at fault; {covered}"), bad)
    if found.not_made:
        why = f"no test between nodes could be made: {found.not_made}"
        return replace(_about_links(found, Outcome.ERROR, why), remedy=remedy_for(why))
    if found.halves:
        return _of_halves(found, settings, covered)
    if doubted:
        why = f"{len(doubted)} link(s) undetermined; {covered}"
        return _argued(_about_links(found, Outcome.ERROR, why), doubted)
    if found.no_reference:
        return _about_links(found, Outcome.ERROR, f"there is no reliable reference; {covered}")
    if found.links_tested and found.nobody_passed:
        return _about_links(found, Outcome.ERROR, f"no pair passed, and nothing tells why; {covered}")
    if not found.links_tested or found.threshold.value_gb_per_s is None:
        why = f"nothing could be compared: {found.threshold.source}"
        return _about_links(found, Outcome.NOT_TESTED, why)
    return _about_links(found, Outcome.PASS, f"no tested link is slow; {covered}")


def _of_leaves(found: Localisation, covered: str) -> Verdict:
    """One verdict for all: a leaf is no node and no link, and what it takes down is the cluster's."""
    told = "; ".join(
        f"{'leaf' if len(leaf.leaves) == 1 else 'the path between leaves'} {' and '.join(leaf.leaves)}: "
        f"{leaf.reason} ({_some(leaf.nodes)})"
        for leaf in found.leaves
    )
    return replace(
        _about_links(found, Outcome.FAIL, f"{told}; {covered}", "leaf-slow"),
        confidence=_rounded(min(leaf.confidence for leaf in found.leaves)),
        because=tuple(sentence for leaf in found.leaves for sentence in leaf.because),
        evidence=tuple(name for leaf in found.leaves for name in leaf.evidence),
    )


def _of_halves(found: Localisation, settings: Sequence[str], covered: str) -> Verdict:
    """No majority: a setting that divides the nodes in the same way is named, else nothing is."""
    failing, others = found.halves
    why = (
        f"two groups of nodes differ: {len(failing)} ({_some(failing)}) fail alike, "
        f"{len(others)} ({_some(others)}) do not"
    )
    if settings:
        told = f"{why}; {'; '.join(settings)}; {covered}"
        return _about_links(found, Outcome.FAIL, told, "fabric-configuration")
    return replace(
        _about_links(found, Outcome.ERROR, f"{why}, and no version that was read divides them so; {covered}"),
        remedy="Compare images, plugin, libfabric, environment variables and placement of the two groups, "
        "then validate again with a node that is known to be good.",
    )


def _of_configuration(found: Localisation, settings: Sequence[str], covered: str) -> Verdict:
    named = found.configuration_cause or "fabric-configuration"
    why = f"no pair of nodes passed: {_title(named)}"
    if not found.nobody_passed:
        why = "many pairs fail, and their nodes pass with others: nodes are of two kinds"
    if len(found.groups_apart) == 1:
        (group,) = found.groups_apart
        why = (
            f"{len(group)} nodes ({_some(group)}) work with each other, and with none of the others they met"
        )
    elif found.groups_apart:
        one, other = found.groups_apart
        why = (
            f"two groups of nodes do not work with each other: {len(one)} nodes ({_some(one)}) and "
            f"{len(other)} nodes ({_some(other)}); "
            + ("; ".join(settings) or "compare their versions and settings")
        )
    return _about_links(found, Outcome.FAIL, f"{why}; {covered}", named)


def _some(nodes: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    more = len(nodes) - _NAMES_SHOWN
    return ", ".join(nodes[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


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


def _argued(verdict: Verdict, links: Sequence[LinkFinding]) -> Verdict:
    """A verdict about the cluster by single links: as sure as the least sure of them, by their tests."""
    told = [sentence for link in links[:_NAMES_SHOWN] for sentence in link.because]
    more = len(links) - _NAMES_SHOWN
    least = min((link.confidence for link in links if link.confidence is not None), default=None)
    return replace(
        verdict,
        confidence=_rounded(least),
        because=(*told, *([f"and the tests of {more} links more"] if more > 0 else [])),
    )


def _about_links(found: Localisation, outcome: Outcome, summary: str, named: str | None = None) -> Verdict:
    row = cause(named) if named else None
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
        findings=tuple(_passing(link) for link in found.links_in_state(LinkState.TRANSIENT)),
        cause=named,
        confidence=_rounded(found.confidence),
        because=found.because,
    )


def _passing(link: LinkFinding) -> Finding:
    sure = "" if link.confidence is None else f"; by {link.confidence:.0%} nothing lasting"
    text = f"{' ↔ '.join(link.nodes)} failed and then passed{sure}"
    return Finding(Severity.WARNING, text, "Watch this pair.")


def _expected(found: Localisation) -> float | None:
    value = found.threshold.value_gb_per_s
    return None if value is None else round(value, 2)


def _rounded(confidence: float | None) -> float | None:
    return None if confidence is None else round(confidence, 4)


def _title(named: str | None) -> str:
    row = cause(named) if named else None
    return row.title if row else str(named)
