"""Step 3: ask every node for its passive facts and judge them. Puts no load on anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.node import judge_answered, judge_probe, judge_unanswered, software_versions
from bedplate.diagnosis.verdict import Finding, Severity
from bedplate.validation.record import Node
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.reply import Reply
from bedplate.validation.transports.ssm import Question

PROBE_CHECKS = ("GPU-001", "GPU-002", "GPU-003", "GPU-004", "NVL-001", "EFA-001")
_DEADLINE_SECONDS = 180


def probe_nodes(context: Context) -> None:
    """One verdict a passive check and node; a node without a usable answer has an error for each."""
    record = context.record
    if not record.nodes:
        return
    context.progress.phase("Probe nodes", len(record.nodes))
    replies = context.transport.ask(
        instance_ids=[node.node for node in record.nodes],
        question=Question("probe", deadline_seconds=_DEADLINE_SECONDS),
        on_reply=lambda reply: context.progress.advance(reply.instance_id),
    )
    for node in record.nodes:
        _judge(context, node, replies[node.node])
    for pool in record.manifest.pools:
        _compare_versions(context, record.of_pool(pool))


def _judge(context: Context, node: Node, reply: Reply) -> None:
    record = context.record
    if reply.answer is None:
        problem, unreachable = reply.problem, reply.unreachable
        record.add([judge_answered(node=node.node, problem=problem, unreachable=unreachable)])
        asked = [check for check in PROBE_CHECKS if check in _required(context, node)]
        record.add(judge_unanswered(node=node.node, check_ids=asked, reason=problem))
        node.why_not_loaded = f"it did not answer the probe: {problem}"
        context.progress.note(f"{node.node}: {problem}")
        return
    body = reply.answer.body
    name = context.evidence.keep_json(f"nodes/{node.node}/probe.json", body)
    node.answered = True
    node.hostname = str(body.get("hostname", ""))
    node.versions = software_versions(body)
    record.simulated = record.simulated or reply.answer.simulated
    record.add([judge_answered(node=node.node)])
    record.add(judge_probe(node=node.node, answer=body, instance_type=node.hardware, evidence=(name,)))


def _required(context: Context, node: Node) -> tuple[str, ...]:
    level = context.record.manifest.validation.dcgm_level
    return required_checks(node.hardware, dcgm_level=level, nodes=len(context.record.nodes))


def _compare_versions(context: Context, nodes: Sequence[Node]) -> None:
    """A node whose software differs from most of its pool carries a finding."""
    told = [node for node in nodes if node.versions]
    for component in sorted({component for node in told for component in node.versions}):
        counts = Counter(node.versions.get(component, "") for node in told)
        usual, often = counts.most_common(1)[0]
        for node in told:
            version = node.versions.get(component, "")
            if version != usual:
                most = f"{often} of {len(told)} nodes have {usual or 'none'}"
                text = f"{component} is {version or 'not told'}; {most}"
                finding = Finding(Severity.WARNING, text, "Bring all nodes of a pool to one image.")
                context.record.add_finding(check_id="NOD-001", node=node.node, finding=finding)
