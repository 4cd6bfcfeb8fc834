"""After the exercises: each node's bandwidth inside it beside that of its peers in the same run."""

from __future__ import annotations

from bedplate.diagnosis.bandwidth_expectation import NAMED_SIZES, Reference
from bedplate.diagnosis.checks import nccl_in_node
from bedplate.validation.steps.context import Context

_ENOUGH_NODES = 3
"""Of two nodes nobody knows which is the odd one."""


def compare_in_node(context: Context) -> None:
    """NCL-001 anew for the pools with three nodes or more that were measured, held to their median too."""
    record = context.record
    check_id = nccl_in_node.ROW.id
    measured = {
        each.nodes[0]: each.busbw_gb_per_s
        for each in record.bandwidths
        if each.scope == "in-node" and each.size_bytes == NAMED_SIZES[-1]
    }
    for pool in record.manifest.pools:
        values = {node.node: measured[node.node] for node in record.of_pool(pool) if node.node in measured}
        if len(values) < _ENOUGH_NODES:
            continue
        peers = Reference(1, tuple(values.values()))
        links_down = {node for node in values if "NVL-001" in record.failed_checks(node)}
        for index, verdict in enumerate(record.verdicts):
            if verdict.check_id == check_id and verdict.subject.names[0] in values:
                node = verdict.subject.names[0]
                anew = nccl_in_node.beside_peers(
                    verdict=verdict,
                    slow_cause="nvlink-down" if node in links_down else "nvlink-slow",
                    busbw_gb_per_s=values[node],
                    peers=peers,
                    instance_type=pool.hardware,
                )
                record.say_anew(index, anew)
