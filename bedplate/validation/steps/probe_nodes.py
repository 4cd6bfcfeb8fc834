"""Step 3: ask every node for its passive facts and judge them. Puts no load on anything."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.checks import node_bootstrap
from bedplate.diagnosis.node import judge_answered, judge_probe, judge_unanswered, software_versions
from bedplate.hardware import InstanceType
from bedplate.manifest import ClusterManifest
from bedplate.node.bootstrap.plan import STEPS
from bedplate.node.bootstrap.settings import Mount, NodeSettings
from bedplate.validation.deadlines import deadlines
from bedplate.validation.record import Node
from bedplate.validation.steps.compare_versions import compare_versions
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.reply import Reply
from bedplate.validation.transports.ssm import Question

PROBE_CHECKS = ("GPU-001", "GPU-002", "GPU-003", "GPU-004", "NVL-001", "EFA-001")
BOOT_CHECK = "NOD-002"
_DEADLINE_SECONDS = 180
_PAUSE_SECONDS = 5.0


def probe_nodes(context: Context) -> None:
    """One verdict a passive check and node; a node without a usable answer has an error for each.

    A young node whose bootstrap still runs is asked again until it has ended or has had its time.
    """
    record = context.record
    asked = {node.node: node for node in record.nodes if not node.found_type}
    for node in record.nodes:
        if node.found_type:
            record.add(
                judge_unanswered(node=node.node, check_ids=_owed(context, node), reason=node.why_not_loaded)
            )
    if not asked:
        return
    context.progress.phase("Probe nodes", len(asked))
    replies = _ask(context, list(asked), lambda reply: context.progress.advance(reply.instance_id))
    replies |= _ask_again(context, asked, replies)
    for name, node in asked.items():
        _judge(context, node, replies[name])
    for pool in record.manifest.pools:
        told = [node for node in record.of_pool(pool) if node.versions]
        compare_versions(record, told, lambda node: node.versions)


def bootstrap_steps(manifest: ClusterManifest, hardware: InstanceType) -> tuple[str, ...]:
    """The steps that a node's bootstrap must have done: those that the node program itself would not skip."""
    settings = NodeSettings(
        environment=manifest.environment,
        pool="",
        role="compute",
        result_bucket=manifest.validation.result_bucket,
        gpus=hardware.gpus,
        nvme_count=hardware.nvme_count,
        nvme_gb_each=hardware.nvme_gb_each,
        local_nvme=manifest.local_nvme,
        efa_count=hardware.efa_count,
        lnet_efa_count=hardware.lnet_efa_count if any(each.efa for each in manifest.file_systems) else 0,
        mounts=tuple(
            Mount(each.kind, each.mount_source, each.mount_path, efa=each.efa)
            for each in manifest.file_systems
        ),
    )
    return tuple(step.name for step in STEPS if not step.why_not(settings))


def _ask(context: Context, names: list[str], on_reply: Callable[[Reply], None]) -> dict[str, Reply]:
    question = Question("probe", deadline_seconds=_DEADLINE_SECONDS)
    return context.transport.ask(instance_ids=names, question=question, on_reply=on_reply)


def _ask_again(context: Context, nodes: dict[str, Node], first: dict[str, Reply]) -> dict[str, Reply]:
    """The later replies of young nodes whose bootstrap had not ended: agents are online before it has."""
    replies = dict(first)
    waiting = {name for name, node in nodes.items() if _boots(context, node, replies[name])}
    if waiting:
        context.progress.phase("Wait for nodes to end their bootstrap", len(waiting))
    while waiting:
        context.transport.sleep(_PAUSE_SECONDS)
        replies |= _ask(context, sorted(waiting), lambda _reply: None)
        still = {name for name in waiting if _boots(context, nodes[name], replies[name])}
        for name in sorted(waiting - still):
            context.progress.advance(name)
        waiting = still
    return replies


def _boots(context: Context, node: Node, reply: Reply) -> bool:
    """Whether the program or the bootstrap's record is not there, and the node is young enough for that."""
    grace = deadlines(simulated=context.record.simulated).bootstrap
    if node.launched_at is None or datetime.now(UTC) - node.launched_at >= grace:
        return False
    if reply.answer is None:
        return reply.silent
    return not node_bootstrap.has_record(reply.answer.body)


def _owed(context: Context, node: Node) -> list[str]:
    required = _required(context, node)
    return [check for check in (BOOT_CHECK, *PROBE_CHECKS) if check in required]


def _judge(context: Context, node: Node, reply: Reply) -> None:
    record = context.record
    if reply.answer is None:
        problem, unreachable = reply.problem, reply.unreachable
        record.add([judge_answered(node=node.node, problem=problem, unreachable=unreachable)])
        record.add(judge_unanswered(node=node.node, check_ids=_owed(context, node), reason=problem))
        node.why_not_loaded = f"it did not answer the probe: {problem}"
        context.progress.note(f"{node.node}: {problem}")
        return
    body = reply.answer.body
    name = context.evidence.keep_json(f"nodes/{node.node}/probe.json", body)
    node.answered = True
    node.hostname = str(body.get("hostname", ""))
    node.versions = software_versions(body)
    node.nccl_tests = str(body.get("nccl_tests") or "")
    record.simulated = record.simulated or reply.answer.simulated
    record.add([judge_answered(node=node.node)])
    record.add(
        judge_probe(
            node=node.node,
            answer=body,
            instance_type=node.hardware,
            bootstrap_steps=bootstrap_steps(record.manifest, node.hardware),
            evidence=(name,),
        )
    )


def _required(context: Context, node: Node) -> tuple[str, ...]:
    level = context.record.manifest.validation.dcgm_level
    return required_checks(node.hardware, dcgm_level=level, nodes=len(context.record.nodes))
