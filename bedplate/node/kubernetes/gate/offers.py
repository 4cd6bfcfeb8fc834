"""What the gate makes of what nodes offer, before anything else is judged; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Sequence

from bedplate.diagnosis.verdict import Outcome
from bedplate.node.gate.names import MARK, REASON
from bedplate.node.kubernetes.gate.marks import is_waiting, waits_since
from bedplate.node.kubernetes.gate.view import GateNode
from bedplate.node.set_nodes import REASON_PREFIX

SETTLE_SECONDS = 900.0
"""Our own choice, not a sourced figure: device plugins start, and offer device by device, in the first
minutes of a node.
"""
UNFIT_CAUSES = ("devices-short",)
"""The others are settings, which the next node would have too, or may pass by themselves: a node is not ready
for a moment whenever its kubelet starts. The start-up taint holds such a node as it is.
"""


@dataclass(frozen=True)
class OfferStep:
    """One node that waits and does not offer what it must: ``unfit`` says that it is marked so."""

    node: GateNode
    unfit: bool
    words: str


def offer_steps(nodes: Sequence[GateNode], *, now: float, settle: float = SETTLE_SECONDS) -> List[OfferStep]:
    """For each node before the gate whose KUB-001 is no pass: that it is unfit, or why it waits.

    Nothing is said in its first minutes, and nothing of nodes that a person keeps out, or that are busy: a
    device that a pod uses is offered all the same, so a fail on such a node is told when it is empty.
    """
    steps = []
    for each in nodes:
        verdict, since = each.offers, waits_since(each.node)
        if not is_waiting(each.node) or verdict.outcome is Outcome.PASS or each.is_kept_out or each.busy:
            continue
        if since is None or now - since.timestamp() < settle or each.node.is_being_deleted:
            continue
        unfit = verdict.outcome is Outcome.FAIL and verdict.cause in UNFIT_CAUSES
        words = f"{verdict.check_id} {MARK}: {verdict.summary}"
        steps.append(OfferStep(each, unfit, f"{REASON_PREFIX if unfit else REASON}{words}"))
    return steps
