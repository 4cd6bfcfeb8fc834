"""Step 1: which nodes there are, and whether as many as the environment asks for."""

from __future__ import annotations

from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.manifest import PoolManifest
from bedplate.validation.discovery import login_instances, pool_instances
from bedplate.validation.instance import Instance
from bedplate.validation.record import Node, Record
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.known_nodes import KnownNode, KnowsNodes

_WHERE_LAUNCHES_ARE_TOLD = {
    "slurm-pcs": "Look at the last events of the node group {pool} in the PCS console",
    "slurm-parallelcluster": "Read /var/log/parallelcluster/clustermgtd and slurm_resume.log on the head "
    "node, for the compute resource {pool}",
    "slurm-hyperpod": "Look at the instance group {pool} and its events in the SageMaker console, and at its "
    "life-cycle script's log in CloudWatch",
}
"""Orchestrator kind → where it tells why a node did not come (ParallelCluster: User Guide, "Troubleshooting
in AWS ParallelCluster").
"""


def find_nodes(context: Context) -> None:
    """Fill the record's nodes and its required checks; too few nodes are a fail of the whole cluster."""
    record = context.record
    clients = context.clients
    context.progress.phase("Find nodes", len(record.manifest.pools))
    context.logins = login_instances(clients=clients, manifest=record.manifest)
    for pool in record.manifest.pools:
        found = pool_instances(clients=clients, manifest=record.manifest, pool=pool)
        for one in found:
            _add(record, pool, one)
        record.required |= set(
            required_checks(
                pool.hardware,
                nodes=max(len(found), pool.node_count_min),
                expected=record.expected_of(pool),
            )
        )
        if len(found) < pool.node_count_min:
            record.add([_too_few(pool, len(found), kind=record.manifest.orchestrator.kind)])
        record.notes += _absent(pool, len(found))
        context.progress.advance(f"{pool.name}: {len(found)} nodes")
    if isinstance(context.transport, KnowsNodes):
        context.transport.know_nodes([_known(node) for node in record.nodes])


def _known(node: Node) -> KnownNode:
    pool = node.pool
    return KnownNode(
        instance_id=node.node,
        private_ip=node.private_ip,
        gpus=node.hardware.gpus,
        partitions=tuple(pool.partitions),
        selection_tags=pool.selection_tags,
    )


def _absent(pool: PoolManifest, found: int) -> list[str]:
    """What a page must say of a pool that comes and goes: the run is about the nodes that are up."""
    if pool.node_count_min == pool.node_count_max or found >= pool.node_count_max:
        return []
    absent = pool.node_count_max - found
    told = (
        f"Of pool {pool.name} {found} of at most {pool.node_count_max} nodes are up. The {absent} that Slurm "
        "launches when jobs need them were not asked, and this run says nothing about them."
    )
    return [told]


def _add(record: Record, pool: PoolManifest, one: Instance) -> None:
    """A node of another type is not judged by the pool's hardware: it fails, and is left alone."""
    node = Node(one.instance_id, pool, one.private_ip, one.launched_at)
    record.nodes.append(node)
    if one.instance_type == pool.instance_type:
        return
    node.found_type = one.instance_type
    why = f"it is a {one.instance_type}, and pool {pool.name} is of {pool.instance_type}"
    node.why_not_loaded = why
    record.add(
        [
            Verdict(
                check_id="NOD-001",
                subject=Subject("node", (node.node,)),
                outcome=Outcome.FAIL,
                summary=why,
                measured=one.instance_type,
                expected=pool.instance_type,
                source="EC2 DescribeInstances",
                remedy="Deploy again so that the pool's group has its type, then replace the instance.",
            )
        ]
    )


def _too_few(pool: PoolManifest, found: int, *, kind: str) -> Verdict:
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
        remedy=f"{_block_words(pool)}{_WHERE_LAUNCHES_ARE_TOLD[kind].format(pool=pool.name)}: most often it "
        "is capacity, or a bootstrap that failed.",
    )


def _block_words(pool: PoolManifest) -> str:
    """When a pool on a block has nodes at all; empty for any other pool."""
    if pool.capacity_end_time is None:
        return ""
    return (
        f"Its Capacity Block {pool.reservation_id} has nodes from {pool.capacity_start_time} to "
        f"{pool.capacity_taken_time}; within that time: "
    )
