"""Step 3: ask every node for its passive facts and judge them. Puts no load on anything."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.checks import PROBE_CHECKS, node_bootstrap
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.node import (
    judge_answered,
    judge_probe,
    judge_unanswered,
    nvlink_domain,
)
from bedplate.diagnosis.told_versions import read_versions
from bedplate.validation.deadlines import deadlines
from bedplate.validation.record import Node
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply

_DEADLINE_SECONDS = 180
_PAUSE_SECONDS = 5.0
_USABLE_SECONDS = 900.0
"""Of a run that was cut off: longer ago the facts of a node may be others, and asking costs no GPU time."""


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


def _ask(context: Context, names: list[str], on_reply: Callable[[Reply], None]) -> dict[str, Reply]:
    question = Question("probe", deadline_seconds=_DEADLINE_SECONDS, usable_seconds=_USABLE_SECONDS)
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
    return [check.id for check in PROBE_CHECKS if check.id in required]


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
    node.boot_id = str(body.get("boot_id", ""))
    told = read_versions(body)
    node.versions, node.unread_versions = dict(told.versions), dict(told.unread)
    node.nccl_tests = str(body.get("nccl_tests") or "")
    record.simulated = record.simulated or reply.answer.simulated
    record.add([judge_answered(node=node.node)])
    facts = NodeFacts(
        node=node.node,
        answer=body,
        instance_type=node.hardware,
        expected=record.expected_of(node.pool),
        evidence=(name,),
    )
    node.nvlink_domain = nvlink_domain(facts)
    record.add(judge_probe(facts))


def _required(context: Context, node: Node) -> tuple[str, ...]:
    record = context.record
    return required_checks(node.hardware, nodes=len(record.nodes), expected=record.expected_of(node.pool))
