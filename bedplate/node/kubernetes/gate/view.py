"""Kubernetes' nodes as the gatekeeper sees them: who waits, who may be a partner, who is kin; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from bedplate.diagnosis.parsers.kubernetes_node import KubernetesNode
from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.node.gate.view import View, Waiting
from bedplate.node.kubernetes.gate.marks import SAYS, has_rebooted, is_waiting, waits_since
from bedplate.node.kubernetes.names import DRAIN_TAINT, POOL_LABEL


@dataclass(frozen=True)
class GateNode:
    """One node of our pools: the object, what was read from it, whether work runs there, and KUB-001."""

    item: Mapping[str, Any]
    node: KubernetesNode
    busy: bool
    offers: Verdict

    @property
    def name(self) -> str:
        """Its name in Kubernetes."""
        return self.node.name

    @property
    def kind(self) -> Tuple[str, str]:
        """What nodes that can be paired share."""
        return (self.node.labels.get(POOL_LABEL, ""), self.node.instance_type)

    @property
    def is_up(self) -> bool:
        """Whether it may come to be a partner: ready, and not on its way out."""
        well = self.node.status_of("Ready") == "True" and not self.node.is_being_deleted
        return well and not self.is_kept_out

    @property
    def is_kept_out(self) -> bool:
        """By a person, or for a fault: it is nobody's to try."""
        return self.node.unschedulable or self.node.has_taint(DRAIN_TAINT)

    @property
    def may_be_tried(self) -> bool:
        """Up, empty, and with exactly its devices: nothing else is judged before that."""
        return self.is_up and not self.busy and self.offers.outcome is Outcome.PASS


def view_of_nodes(nodes: Sequence[GateNode]) -> View:
    """All of them, for ``bedplate.node.gate.keeper``."""
    held = {each.name: waits_since(each.node) for each in nodes if is_waiting(each.node)}
    waiting = {
        each.name: Waiting(as_slurm_node(each), held[each.name])
        for each in nodes
        if each.name in held and each.may_be_tried
    }
    free = {
        each.name: as_slurm_node(each)
        for each in nodes
        if each.name not in held and each.may_be_tried and not has_rebooted(each.node)
    }
    by_kind: Dict[Tuple[str, str], List[GateNode]] = {}
    for each in nodes:
        by_kind.setdefault(each.kind, []).append(each)
    kin, kin_up = {}, {}
    for each in nodes:
        if each.name in waiting:
            others = [other for other in by_kind[each.kind] if other.name != each.name]
            kin[each.name] = tuple(other.name for other in others)
            kin_up[each.name] = tuple(
                other.name for other in others if other.is_up and (other.name in waiting or _is_open(other))
            )
    return View(held, waiting, free, kin, kin_up)


def as_slurm_node(each: GateNode) -> SlurmNode:
    """In the words that the gatekeeper has for nodes."""
    pool, kind = each.kind
    return SlurmNode(
        name=each.name,
        address=each.node.address,
        hostname=each.name,
        state="ALLOCATED" if each.busy else "IDLE",
        flags=(),
        partitions=(pool,),
        gres=kind,
        allocated="pods" if each.busy else "",
        reason="",
        comment=each.node.annotations.get(SAYS, ""),
    )


def _is_open(each: GateNode) -> bool:
    return not is_waiting(each.node) and not has_rebooted(each.node)
