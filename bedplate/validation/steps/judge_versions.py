"""Step 6: what the nodes told of their software, each by itself and all beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.checks import software_versions, version_skew
from bedplate.diagnosis.node import judge_unanswered
from bedplate.manifest import PoolManifest
from bedplate.validation.record import Node
from bedplate.validation.steps.context import Context

NODE_CHECK = software_versions.CHECK.id


def judge_versions(context: Context) -> None:
    """Verdict VER-001 for each node, VER-002 for each pool of two nodes or more."""
    for pool in context.record.manifest.pools:
        nodes = context.record.of_pool(pool)
        for node in nodes:
            _judge(context, node)
        if max(len(nodes), pool.node_count_min) > 1:
            _compare(context, pool, nodes)


def _judge(context: Context, node: Node) -> None:
    if not node.answered:
        reason = node.why_not_loaded or "it did not answer the probe"
        context.record.add(judge_unanswered(node=node.node, check_ids=[NODE_CHECK], reason=reason))
        return
    verdict = software_versions.check(
        node=node.node,
        versions=_versions(node),
        exercised=bool(node.nccl_versions),
        unread=node.unread_versions,
        instance_type=node.hardware,
        evidence=(f"nodes/{node.node}/probe.json",),
    )
    context.record.add([verdict])


def _compare(context: Context, pool: PoolManifest, nodes: Sequence[Node]) -> None:
    failed = {node.node for node in nodes if NODE_CHECK in context.record.failed_checks(node.node)}
    told = [node for node in nodes if node.answered and node.node not in failed]
    verdict = version_skew.check(
        pool=pool.name,
        versions={node.node: _versions(node) for node in told},
        silent=[node.node for node in nodes if not node.answered],
        left_out=sorted(failed),
    )
    context.record.add([verdict])


def _versions(node: Node) -> dict[str, str]:
    return node.versions | node.nccl_versions
