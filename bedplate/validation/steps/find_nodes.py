"""Step 1: which nodes there are, and whether as many as the environment asks for."""

from __future__ import annotations

from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.verdict import CLUSTER, Outcome, Verdict
from bedplate.hardware import instance_type
from bedplate.manifest import PoolManifest
from bedplate.validation.discovery import find_instances
from bedplate.validation.record import Node
from bedplate.validation.steps.context import Context


def find_nodes(context: Context) -> None:
    """Fill the record's nodes and its required checks; too few nodes are a fail of the whole cluster."""
    record = context.record
    clients = context.transport.clients
    context.progress.phase("Find nodes", len(record.manifest.pools))
    context.logins = find_instances(clients=clients, tags=record.manifest.login.selection_tags)
    for pool in record.manifest.pools:
        found = find_instances(clients=clients, tags=pool.selection_tags)
        record.nodes.extend(Node(one.instance_id, pool, one.private_ip, one.launched_at) for one in found)
        record.required |= set(
            required_checks(
                instance_type(pool.instance_type),
                dcgm_level=record.manifest.validation.dcgm_level,
                nodes=max(len(found), pool.node_count_min),
            )
        )
        if len(found) < pool.node_count_min:
            record.add([_too_few(pool, len(found))])
        context.progress.advance(f"{pool.name}: {len(found)} nodes")


def _too_few(pool: PoolManifest, found: int) -> Verdict:
    missing = pool.node_count_min - found
    return Verdict(
        check_id="NOD-001",
        subject=CLUSTER,
        outcome=Outcome.FAIL,
        summary=f"pool {pool.name}: {missing} of {pool.node_count_min} nodes are missing",
        measured=found,
        expected=pool.node_count_min,
        unit="nodes",
        source="the environment's manifest",
        remedy="Look at the node group's last events in the PCS console: most often it is capacity, "
        "or a bootstrap that failed.",
    )
