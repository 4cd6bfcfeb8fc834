"""What the EFA devices count while collectives run over all nodes: evidence beside the bandwidth.

A bandwidth says how fast it was, and the counters say by which devices: one that carried nothing, or that
counted timeouts, stands behind a number that may still be enough. They are findings, never a pass: AWS
publishes no limits for them, and that every device carries something of these collectives is our expectation,
unverified on hardware.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bedplate.diagnosis.parsers.efa_counters import EVENTS, SIGNALS, TOOL, CounterRise, counter_rise
from bedplate.diagnosis.parsers.efa_sysfs import parse_efa_sysfs
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.verdict import Finding, Severity
from bedplate.validation.record import Node
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.question import Question

_DEADLINE_SECONDS = 60
_NAMED = 8
Readings = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Node → EFA device → counter → number; a node that gave no reading is not there."""


@dataclass(frozen=True)
class CounterFindings:
    """What to say of the devices, and the evidence that it stands on."""

    findings: tuple[Finding, ...] = ()
    evidence: tuple[str, ...] = ()


NOTHING_COUNTED = CounterFindings()


def read_counters(context: Context, nodes: Sequence[Node]) -> Readings:
    """The counters of the nodes' EFA devices now."""
    question = Question("efa-counters", deadline_seconds=_DEADLINE_SECONDS)
    replies = context.transport.ask(instance_ids=[node.node for node in nodes], question=question)
    found: dict[str, Mapping[str, Mapping[str, int]]] = {}
    for node, reply in replies.items():
        if reply.answer is None:
            continue
        try:
            listed = parse_efa_sysfs(reply.answer.body.get("infiniband"))
        except ParseError:
            continue
        found[node] = {each.name: dict(each.hw_counters) for each in listed.devices if each.is_efa}
    return found


def counted(
    context: Context, *, pool: str, nodes: Sequence[Node], before: Readings, after: Readings
) -> CounterFindings:
    """What rose between two readings, kept as evidence, and what of it somebody should know."""
    rises: dict[str, list[CounterRise]] = {}
    unread = []
    for node in nodes:
        try:
            rises[node.node] = _rises(before[node.node], after[node.node])
        except (KeyError, ParseError):
            unread.append(node.node)
    body = {node: {each.device: dict(each.rise) for each in found} for node, found in rises.items()}
    name = context.evidence.keep_json(f"all-nodes/{pool}-efa-counters.json", body)
    return CounterFindings(tuple(_findings(rises, unread)), (name,))


def _rises(
    before: Mapping[str, Mapping[str, int]], after: Mapping[str, Mapping[str, int]]
) -> list[CounterRise]:
    if not after:
        raise ParseError(tool=TOOL, reason="no EFA device is listed")
    return [
        counter_rise(device=device, before=before.get(device), after=counters)
        for device, counters in sorted(after.items())
    ]


def _findings(rises: Mapping[str, Sequence[CounterRise]], unread: Sequence[str]) -> Iterator[Finding]:
    if unread:
        yield Finding(Severity.INFO, f"The EFA counters of {_some(unread)} could not be compared")
    idle = [
        f"{node} {each.device}" for node, found in rises.items() for each in found if each.carried_bytes == 0
    ]
    if idle:
        yield Finding(
            Severity.WARNING,
            f"EFA devices carried nothing while the collectives ran: {_some(idle)}",
            "Look at the device's EFA-002 and EFA-003, and at NCCL's channels in the log.",
        )
    for names, severity in ((EVENTS, Severity.WARNING), (SIGNALS, Severity.INFO)):
        risen = [
            f"{node} {each.device}: {', '.join(f'{name} {value}' for name, value in each.risen(names))}"
            for node, found in rises.items()
            for each in found
            if each.risen(names)
        ]
        if risen:
            yield Finding(severity, f"EFA devices counted events while the collectives ran: {_some(risen)}")


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return "; ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
