"""One run of the gate on Kubernetes: first what nodes offer, then pairs, by the one gatekeeper."""

from __future__ import annotations

from typing import Callable

from bedplate.node.gate.keeper import Keeper, Patience
from bedplate.node.gate.memory import Memory
from bedplate.node.kubernetes.gate.hands import KubernetesHands
from bedplate.node.kubernetes.gate.offers import SETTLE_SECONDS, offer_steps
from bedplate.node.kubernetes.gate.view import as_slurm_node


def run_gate(
    *,
    hands: KubernetesHands,
    memory: Memory,
    now: Callable[[], float],
    journal: Callable[[str], None],
    patience: Patience = Patience(),  # noqa: B008 - frozen
    settle: float = SETTLE_SECONDS,
) -> None:
    """Judge, pair, let in, mark unfit, and say why the others wait; what it learned is in ``memory`` then."""
    for step in offer_steps(hands.nodes(), now=now(), settle=settle):
        if step.unfit:
            hands.drain(step.node.name, step.words)
            memory.drop(step.node.name)
        else:
            hands.say(as_slurm_node(step.node), step.words)
        journal(f"{step.node.name}: {step.words}")
    Keeper(hands=hands, memory=memory, patience=patience, now=now, journal=journal).run()
