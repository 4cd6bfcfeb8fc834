"""Step 6: everything between the nodes of each pool: the search, the run over all cleared nodes, and what
they say together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.bandwidth_expectation import RELATIVE
from bedplate.diagnosis.collective import CollectiveJudgement
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.manifest import PoolManifest
from bedplate.validation.deadlines import deadlines
from bedplate.validation.fabric.finding import Localisation, NodeState
from bedplate.validation.record import Node, not_made
from bedplate.validation.steps.collective_tests import run_groups
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.dividing_settings import dividing_settings
from bedplate.validation.steps.explained_slowness import Slowness, slowness_of
from bedplate.validation.steps.fabric_counters import (
    NOTHING_COUNTED,
    CounterFindings,
    counted,
    read_counters,
)
from bedplate.validation.steps.fabric_verdicts import (
    LINK_CHECK,
    excluded_verdict,
    link_verdicts,
    node_verdicts,
)
from bedplate.validation.steps.nvlink_domains import check_nvlink_domains
from bedplate.validation.steps.reference_groups import Groups, is_absolute, measure_groups
from bedplate.validation.steps.search_fabric import Search, candidates, new_search

CLUSTER_CHECKS = ("NCL-002", "NCL-003")
_COVER_AT_MOST_ROUNDS = 32
"""Covering all links takes N - 1 rounds, all leaves one less than there are: so many are worth it to explain
a slow cluster.
"""


def check_between_nodes(context: Context) -> None:
    """Verdicts FAB-001 for each node, FAB-002, NCL-002 and NCL-003 for the cluster, pool by pool."""
    for pool in context.record.manifest.pools:
        nodes = context.record.of_pool(pool)
        if nodes and LINK_CHECK in _required(context, pool, nodes):
            _test_pool(context, pool, nodes)


def _required(context: Context, pool: PoolManifest, nodes: Sequence[Node]) -> tuple[str, ...]:
    count = max(len(nodes), pool.node_count_min)
    expected = context.record.expected_of(pool)
    return required_checks(nodes[0].hardware, nodes=count, expected=expected)


def _test_pool(context: Context, pool: PoolManifest, nodes: Sequence[Node]) -> None:
    record = context.record
    fit = candidates(context, nodes)
    record.add(
        excluded_verdict(node, record.failed_checks(node.node)) for node in nodes if node.node not in fit
    )
    if len(fit) < 2:
        _too_few(context, fit)
        return
    search = new_search(context, pool, fit)
    found = search.run()
    together = _all_nodes(context, pool, search, found)
    if _unexplained(found, together):
        before = found
        if search.leaf_rounds <= _COVER_AT_MOST_ROUNDS:
            found = search.cover_leaves()
        if not found.links and not found.leaves and len(fit) <= _COVER_AT_MOST_ROUNDS:
            found = search.cover_links()
        if found.in_state(NodeState.AT_FAULT) != before.in_state(NodeState.AT_FAULT):
            together = _all_nodes(context, pool, search, found)
    record.rounds.extend(search.rounds())
    record.add(node_verdicts(found))
    divided = dividing_settings(fit, found.halves or found.groups_apart)
    record.add(link_verdicts(found, settings=divided))
    slowness = slowness_of(found, _bandwidths(together), false_failures=search.planner.policy.false_failures)
    record.add(_cluster_verdicts(slowness, together, total=len(nodes)))
    check_nvlink_domains(context, pool, fit, total=len(nodes))


def _cleared(search: Search, found: Localisation) -> list[Node]:
    good = set(found.in_state(NodeState.CLEARED)) | set(found.in_state(NodeState.UNCOMPARED))
    return [node for name, node in search.nodes.items() if name in good and not node.why_not_loaded]


@dataclass(frozen=True)
class _Together:
    """One collective over all cleared nodes: its judgement, or why there is none; and the verdicts of smaller
    groups that failed when they were to be its measure.
    """

    collective: str
    nodes: int
    judgement: CollectiveJudgement | None
    problem: str = ""
    failed_groups: tuple[Verdict, ...] = ()
    counters: CounterFindings = NOTHING_COUNTED

    @property
    def of_all(self) -> str:
        """What ran over all of the nodes."""
        return f"{self.collective} over {self.nodes} nodes"

    @property
    def of_a_group(self) -> str:
        """What ran over some of them."""
        return f"{self.collective} over a group of them"


def _all_nodes(context: Context, pool: PoolManifest, search: Search, found: Localisation) -> list[_Together]:
    """One run for each collective asked for, and for the search's own: others may leave NICs idle."""
    nodes = _cleared(search, found)
    wanted = dict.fromkeys((*context.record.manifest.validation.collectives, search.collective))
    if len(nodes) < 2:
        why = "fewer than two nodes were cleared by the search"
        return [_Together(collective, len(nodes), None, why) for collective in wanted]
    taken_up, before = context.batches_taken_up, read_counters(context, nodes)
    together = [_one_collective(context, pool, search, nodes, collective) for collective in wanted]
    if context.batches_taken_up > taken_up:
        # They ran before this reading began: devices that counted nothing since say nothing.
        return together
    after = read_counters(context, nodes)
    counters = counted(context, pool=pool.name, nodes=nodes, before=before, after=after)
    return [replace(one, counters=counters) for one in together]


def _one_collective(
    context: Context, pool: PoolManifest, search: Search, nodes: Sequence[Node], collective: str
) -> _Together:
    groups = Groups()
    if not is_absolute(context, pool, collective, len(nodes)):
        groups = measure_groups(
            context,
            pool,
            nodes,
            collective,
            history=tuple(search.planner.ledger.rounds),
            history_collective=search.collective,
        )
    context.progress.phase(f"All {len(nodes)} cleared nodes at once: {collective}", 1)
    test = run_groups(
        context,
        name=f"all-nodes/{pool.name}-{collective}",
        groups=[nodes],
        collective=collective,
        scope="all-nodes",
        deadline_seconds=deadlines(simulated=context.record.simulated).all_nodes_seconds,
        reference=groups.reference,
    )[0]
    context.progress.advance(collective)
    return _Together(collective, len(nodes), test.judgement, test.problem, groups.failed)


def _unexplained(found: Localisation, together: Sequence[_Together]) -> bool:
    """Whether the nodes are slow together although each pair that was tested is well."""
    slow = any(
        one.failed_groups or (one.judgement is not None and _is_slow(one.judgement.bandwidth))
        for one in together
    )
    return slow and not found.links and not found.leaves and found.links_tested < found.links_total


def _is_slow(bandwidth: Verdict) -> bool:
    """Below its floor; or, held to its peers alone, so far below the wires that it is not believed."""
    doubted = bandwidth.outcome is Outcome.NOT_TESTED and bandwidth.basis == RELATIVE
    return doubted or bandwidth.outcome is Outcome.FAIL


def _bandwidths(together: Sequence[_Together]) -> list[tuple[str, Verdict]]:
    """Each test of many nodes, by what it was over, with what it says of the bandwidth."""
    return [
        (what, verdict)
        for one in together
        for what, verdict in (
            *((one.of_a_group, verdict) for verdict in one.failed_groups),
            *(() if one.judgement is None else ((one.of_all, one.judgement.bandwidth),)),
        )
    ]


def _cluster_verdicts(slowness: Slowness, together: Sequence[_Together], *, total: int) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for one in together:
        what = one.of_all
        if one.judgement is None:
            verdicts += [
                not_made(check_id=check, outcome=Outcome.NOT_TESTED, why=f"{what}: {one.problem}")
                for check in CLUSTER_CHECKS
            ]
            continue
        transport = replace(
            one.judgement.transport,
            findings=(*one.judgement.transport.findings, *one.counters.findings),
            evidence=(*one.judgement.transport.evidence, *one.counters.evidence),
        )
        made = (transport, slowness.explained(one.judgement.bandwidth))
        verdicts += [_partial(_about(what, verdict), one.nodes, total) for verdict in made]
        for verdict in one.failed_groups:
            verdicts.append(_about(one.of_a_group, slowness.explained(verdict)))
    return verdicts


def _about(what: str, verdict: Verdict) -> Verdict:
    return replace(verdict, summary=f"{what}: {verdict.summary}")


def _partial(verdict: Verdict, tested: int, total: int) -> Verdict:
    """A pass over some of the nodes is no pass over all of them."""
    if verdict.outcome is not Outcome.PASS or tested == total:
        return verdict
    return replace(
        verdict,
        outcome=Outcome.NOT_TESTED,
        summary=f"well over {tested} of {total} nodes, the others were kept out: {verdict.summary}",
        remedy="Mend or replace the nodes that were kept out, then validate again.",
    )


def _too_few(context: Context, fit: dict[str, Node]) -> None:
    record = context.record
    why = f"{len(fit)} node(s) are idle and without a fault of their own; two are needed"
    outcome = Outcome.NOT_TESTED if context.login else Outcome.ERROR
    why = why if context.login else f"the scheduler could not be asked: {context.login_problem}"
    for check in (*CLUSTER_CHECKS, LINK_CHECK):
        record.add([not_made(check_id=check, outcome=outcome, why=why)])
    for name in fit:
        record.add([not_made(check_id="FAB-001", outcome=outcome, why=why, node=name)])
