"""NVLink between nodes: the collectives over each NVLink domain of an UltraServer, judged apart from EFA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import NVLINK, ultraservers_of
from bedplate.manifest import PoolManifest
from bedplate.validation.deadlines import deadlines
from bedplate.validation.record import Node, not_made
from bedplate.validation.steps.collective_tests import run_groups
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.reference_groups import Groups, is_absolute, measure_groups

DOMAIN_CHECK = "NCL-004"


def check_nvlink_domains(
    context: Context, pool: PoolManifest, fit: Mapping[str, Node], *, total: int
) -> None:
    """NCL-004 for each domain and collective; nothing for types whose instances share no NVLink.

    ``fit`` are the nodes that may be loaded and have no fault of their own, of ``total`` in the pool.
    """
    if not ultraservers_of(pool.instance_type):
        return
    domains = _domains(pool, list(fit.values()))
    if domains is None:
        why = "the nodes do not tell which of them share NVLink (`nvidia-smi -q`, ClusterUUID)"
        context.record.add([not_made(check_id=DOMAIN_CHECK, outcome=Outcome.ERROR, why=why)])
        return
    tested = [nodes for nodes in domains.values() if len(nodes) > 1]
    if not tested:
        why = f"{len(fit)} node(s) are idle and without a fault of their own; two of one domain are needed"
        context.record.add([not_made(check_id=DOMAIN_CHECK, outcome=Outcome.NOT_TESTED, why=why)])
        return
    missing = total - sum(len(nodes) for nodes in tested)
    for name, nodes in domains.items():
        if len(nodes) > 1:
            for collective in context.record.manifest.validation.collectives:
                _test(context, pool, name, nodes, collective, missing=missing)


def _domains(pool: PoolManifest, nodes: Sequence[Node]) -> dict[str, list[Node]] | None:
    """Domain → its nodes. Nodes that do not tell their domain share one where a single UltraServer holds the
    whole pool; None where nothing tells.
    """
    found: dict[str, list[Node]] = {}
    for node in nodes:
        found.setdefault(node.nvlink_domain, []).append(node)
    largest = max(server.instances for server in ultraservers_of(pool.instance_type))
    if "" in found and (len(found) > 1 or pool.node_count_max > largest):
        return None
    return found


def _test(
    context: Context,
    pool: PoolManifest,
    domain: str,
    nodes: Sequence[Node],
    collective: str,
    *,
    missing: int,
) -> None:
    groups = Groups()
    if not is_absolute(context, pool, collective, len(nodes), path=NVLINK):
        groups = measure_groups(
            context, pool, nodes, collective, history=(), history_collective="", path=NVLINK
        )
    context.progress.phase(f"{len(nodes)} nodes of one NVLink domain: {collective}", 1)
    (test,) = run_groups(
        context,
        name=f"nvlink/{pool.name}-{collective}-{domain[-12:] or 'domain'}",
        groups=[nodes],
        collective=collective,
        scope="nvlink-domain",
        deadline_seconds=deadlines(simulated=context.record.simulated).all_nodes_seconds,
        path=NVLINK,
        reference=groups.reference,
    )
    context.progress.advance(collective)
    what = f"{collective} over {len(nodes)} nodes of one NVLink domain"
    if test.judgement is None:
        context.record.add(
            [not_made(check_id=DOMAIN_CHECK, outcome=Outcome.ERROR, why=f"{what}: {test.problem}")]
        )
        return
    seen = test.judgement
    made = seen.transport if seen.transport.outcome is Outcome.FAIL else seen.bandwidth
    verdicts = [_partial(made, missing), *groups.failed]
    context.record.add(replace(verdict, summary=f"{what}: {verdict.summary}") for verdict in verdicts)


def _partial(verdict: Verdict, missing: int) -> Verdict:
    """A pass over some of the nodes is no pass over all of them."""
    if verdict.outcome is not Outcome.PASS or not missing:
        return verdict
    return replace(
        verdict,
        outcome=Outcome.NOT_TESTED,
        summary=f"well, without {missing} node(s) that were kept out: {verdict.summary}",
        remedy="Mend or replace the nodes that were kept out, then validate again.",
    )
