"""What the gatekeeper does to Kubernetes' nodes: looks, has pairs run, opens, closes, taints."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, List, Mapping, Optional, Protocol, Sequence, Tuple

from bedplate.diagnosis.checks import node_offers
from bedplate.diagnosis.parsers.kubernetes_node import KubernetesNode, read_kubernetes_node
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Verdict
from bedplate.hardware import InstanceType
from bedplate.node.gate.bench import Tried
from bedplate.node.gate.judge import NOT_RUN, PASSED, PairVerdict, not_run
from bedplate.node.gate.mark import ALONE, BY_PAIR
from bedplate.node.gate.told import Told
from bedplate.node.gate.view import View
from bedplate.node.kubernetes.gate.marks import (
    close_patch,
    has_rebooted,
    open_patch,
    passed_by,
    say_patch,
)
from bedplate.node.kubernetes.gate.view import GateNode, view_of_nodes
from bedplate.node.kubernetes.names import POOL_LABEL
from bedplate.node.kubernetes.out_of_service import NotOursError, out_patch
from bedplate.node.kubernetes.work import is_work

GATE = "gate"
"""Whose plan it is that keeps a node out."""
NO_PAIR = "the environment asks for its own checks alone"
UNOPENED = "the start-up taint could not be taken off"
_CHECK = re.compile(r"[A-Z]{3}-\d{3}")


class RefusedError(Exception):
    """The API server refuses a patch, or the node has changed since it was read."""


class GateCluster(Protocol):
    """The API server, and the two kinds of jobs that the gate runs; objects as the API's own JSON."""

    def list_nodes(self) -> Sequence[Mapping[str, Any]]:
        """All nodes, whole."""

    def get_node(self, name: str) -> Mapping[str, Any]:
        """One, as it is now. Raises ``RefusedError``."""

    def list_pods_on(self, name: str) -> Sequence[Mapping[str, Any]]:
        """All pods that are bound to it."""

    def patch_node(self, name: str, patch: Mapping[str, Any]) -> Mapping[str, Any]:
        """A JSON merge patch. Raises ``RefusedError``."""

    def ask(self, name: str) -> Tuple[Optional[Told], str]:
        """The node's own checks, in a pod that tolerates the gate; None, and why, where that was not done."""

    def collective(self, first: Told, second: Told) -> PairVerdict:
        """All-reduce over both, judged."""


Judge = Callable[[KubernetesNode, InstanceType], Verdict]


def judge_offers(node: KubernetesNode, kind: InstanceType) -> Verdict:
    """KUB-001 where the device plugins offer GPUs and EFAs."""
    return node_offers.check(node=node.instance_id, told=Reading(node), instance_type=kind)


@dataclass
class KubernetesHands:
    """``kinds``: pool → its type; nodes of other pools are not looked at. ``pairs`` says whether a pair is
    asked for. ``now`` gives s since 1970, ``journal`` takes a line of what could not be done.
    """

    cluster: GateCluster
    kinds: Mapping[str, InstanceType]
    now: Callable[[], float]
    journal: Callable[[str], None]
    pairs: bool = True
    judge: Judge = judge_offers
    _marks: Dict[str, str] = field(default_factory=dict)

    def nodes(self) -> List[GateNode]:
        """Those of our pools. One that has rebooted since it passed is put back, once it is empty."""
        found = []
        for item in self.cluster.list_nodes():
            try:
                node = read_kubernetes_node(item)
            except ParseError as error:
                self.journal(f"a node is passed over: {error}")
                continue
            kind = self.kinds.get(node.labels.get(POOL_LABEL, ""))
            if kind is None:
                continue
            busy = any(is_work(pod) for pod in self.cluster.list_pods_on(node.name))
            each = GateNode(item, node, busy, self.judge(node, kind))
            if has_rebooted(node) and not busy and not each.is_kept_out and self._close(node.name):
                item = self.cluster.get_node(node.name)
                each = GateNode(item, read_kubernetes_node(item), busy, each.offers)
            found.append(each)
        self._marks = {each.name: passed_by(each.node) for each in found}
        return found

    def view(self) -> View:
        """As Kubernetes has it now; where no pairs are asked for, nobody has a partner."""
        view = view_of_nodes(self.nodes())
        if self.pairs:
            return view
        nobody: Mapping[str, Tuple[str, ...]] = dict.fromkeys(view.kin, ())
        return View(view.held, view.waiting, view.free, nobody, nobody)

    def try_pairs(self, pairs: Sequence[Tuple[SlurmNode, SlurmNode]]) -> List[Tried]:
        """All at once."""
        with ThreadPoolExecutor(max_workers=max(1, len(pairs))) as pool:
            return list(pool.map(lambda pair: self._try_pair(pair[0].name, pair[1].name), pairs))

    def try_alone(self, node: SlurmNode, *, because: str) -> Tuple[Optional[Told], str]:
        """Its own checks."""
        told, why = self.cluster.ask(node.name)
        if told is None or told.sick:
            return told, why
        opened = self._open(node.name, ALONE, because if self.pairs else NO_PAIR)
        return (told, "") if opened else (None, UNOPENED)

    def release(self, node: str) -> None:
        """Nothing is left to do: the patch that wrote down how it passed took the start-up taint off too."""

    def send_back(self, node: SlurmNode) -> bool:
        """Put the start-up taint back on a node that is empty; whether that was done."""
        if any(is_work(pod) for pod in self.cluster.list_pods_on(node.name)):
            return False
        return self._close(node.name)

    def drain(self, node: str, reason: str) -> None:
        """Cordon it and taint it with the check. What a person did to it stays as it is."""
        found = _CHECK.search(reason)
        check_id = found.group() if found is not None else GATE

        def patch(item: Mapping[str, Any]) -> Dict[str, Any]:
            return out_patch(item, plan=GATE, check_id=check_id, reason=reason)

        self._change(node, patch, "is not marked unfit")

    def say(self, node: SlurmNode, words: str) -> None:
        """Say why it still waits."""
        if words != node.comment:
            self._change(node.name, lambda item: say_patch(item, words), "does not say why it waits")

    def _try_pair(self, first: str, second: str) -> Tried:
        names = (first, second)
        asked = {name: self.cluster.ask(name) for name in names}
        # Where its mark lies is the node's object here, not a file of its own.
        told = {
            name: replace(one, mark=self._marks.get(name, ""))
            for name, (one, _) in asked.items()
            if one is not None
        }
        stuck = tuple(name for name in names if name not in told)
        if stuck:
            return Tried(names, not_run("; ".join(why for _, why in asked.values() if why)), told, stuck)
        if any(one.sick for one in told.values()):
            return Tried(names, not_run("a node's own check failed"), told)
        verdict = self.cluster.collective(told[first], told[second])
        if verdict.outcome != PASSED:
            return Tried(names, verdict, told, names if verdict.outcome == NOT_RUN else ())
        # A partner that was let in alone is known to be good now.
        unmarked = [name for name in names if told[name].mark != BY_PAIR]
        stuck = tuple(name for name in unmarked if not self._open(name, BY_PAIR, verdict.told))
        if stuck:
            return Tried(names, not_run(f"the pair passed, and {UNOPENED}"), told, stuck)
        return Tried(names, verdict, told)

    def _open(self, name: str, how: str, because: str) -> bool:
        def patch(item: Mapping[str, Any]) -> Dict[str, Any]:
            boot = read_kubernetes_node(item).boot_id
            return open_patch(item, how=how, boot=boot, because=because)

        return self._change(name, patch, "is not let in")

    def _close(self, name: str) -> bool:
        return self._change(name, lambda item: close_patch(item, at=self.now()), "is not put back")

    def _change(
        self, name: str, patch: Callable[[Mapping[str, Any]], Dict[str, Any]], otherwise: str
    ) -> bool:
        """Whether it was done. The next run of the gate tries again what was not."""
        try:
            self.cluster.patch_node(name, patch(self.cluster.get_node(name)))
        except (RefusedError, NotOursError, ValueError) as error:
            self.journal(f"{name} {otherwise}: {error}")
            return False
        return True
