"""SIMULATED: a Kubernetes cluster on paper for the gate: which nodes are bad, what is done to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bedplate.hardware import instance_type
from bedplate.node.gate.judge import FAILED, PASSED, PairVerdict
from bedplate.node.gate.memory import Memory
from bedplate.node.gate.told import Told
from bedplate.node.kubernetes.gate.hands import KubernetesHands, RefusedError
from bedplate.node.kubernetes.gate.run import run_gate
from tests.diagnosis import kubernetes_objects
from tests.support.merge_patch import merged

GATE = {"key": "bedplate.dev/gate", "value": "waiting", "effect": "NoSchedule"}
GPU = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
PASSED_BY_PAIR = {"bedplate.dev/gate-passed": "pair", "bedplate.dev/gate-boot": "5b0f"}
START = datetime(2026, 2, 3, 9, 14, 2, tzinfo=UTC).timestamp()
"""When every node was made, by its object."""
TRAINS = {"metadata": {"name": "train-0"}, "status": {"phase": "Running"}}


def waiting(index: int, kind: str = "p5.48xlarge", **parts: Any) -> dict[str, Any]:
    """A new node with the start-up taint."""
    made = {"spec__taints": [GPU, GATE], **parts}
    return kubernetes_objects.node(kind, name=f"gpu-{index}", instance=f"i-{index:017x}", **made)


def good(index: int, kind: str = "p5.48xlarge", **parts: Any) -> dict[str, Any]:
    """One that passed by a pair, in this boot."""
    made = {"spec__taints": [GPU], "metadata__annotations": dict(PASSED_BY_PAIR), **parts}
    return kubernetes_objects.node(kind, name=f"gpu-{index}", instance=f"i-{index:017x}", **made)


@dataclass
class PlayedCluster:
    """A pair with a ``bad`` node fails; ``sick`` ones fail their own check; ``refuses`` take no patch."""

    nodes: list[dict[str, Any]]
    kind: str = "p5.48xlarge"
    bad: set[str] = field(default_factory=set)
    sick: set[str] = field(default_factory=set)
    refuses: set[str] = field(default_factory=set)
    busy: set[str] = field(default_factory=set)
    pairs: bool = True
    tried: list[tuple[str, str]] = field(default_factory=list)
    journal: list[str] = field(default_factory=list)
    now: float = START + 1000

    def __post_init__(self) -> None:
        self.by_name = {each["metadata"]["name"]: each for each in self.nodes}

    def keep(self, memory: Memory | None = None) -> Memory:
        """One run of the gate; returns what it remembers."""
        kept = memory or Memory()
        hands = KubernetesHands(
            cluster=self,
            kinds={"train": instance_type(self.kind)},
            now=lambda: self.now,
            journal=self.journal.append,
            pairs=self.pairs,
        )
        run_gate(hands=hands, memory=kept, now=lambda: self.now, journal=self.journal.append)
        return kept

    def list_nodes(self) -> Sequence[Mapping[str, Any]]:
        """All nodes."""
        return deepcopy(list(self.by_name.values()))

    def get_node(self, name: str) -> Mapping[str, Any]:
        """One node."""
        return deepcopy(self.by_name[name])

    def list_pods_on(self, name: str) -> Sequence[Mapping[str, Any]]:
        """Its pods."""
        return [TRAINS] if name in self.busy else []

    def patch_node(self, name: str, patch: Mapping[str, Any]) -> Mapping[str, Any]:
        """Patch, where the version still is the one that was read."""
        node = self.by_name[name]
        if (
            name in self.refuses
            or patch["metadata"]["resourceVersion"] != node["metadata"]["resourceVersion"]
        ):
            raise RefusedError("409: the object has been modified")
        self.by_name[name] = merged(node, patch)
        version = int(node["metadata"]["resourceVersion"]) + 1
        self.by_name[name]["metadata"]["resourceVersion"] = str(version)
        return self.get_node(name)

    def ask(self, name: str) -> tuple[Told | None, str]:
        """The node's own checks."""
        sick = (("GPU-002", "a GPU counts uncorrected errors"),) if name in self.sick else ()
        return Told("n", name, name, "train", self.kind, "", "", sick), ""

    def collective(self, first: Told, second: Told) -> PairVerdict:
        """A pair."""
        self.tried.append((first.name, second.name))
        if {first.name, second.name} & self.bad:
            return PairVerdict(FAILED, "NCL-003", "200 GB/s is too slow")
        return PairVerdict(PASSED, "NCL-003", "480 GB/s")

    @property
    def open(self) -> set[str]:
        """Nodes without the start-up taint, and not marked unfit."""
        return {name for name in self.by_name if not {GATE["key"], "bedplate.dev/unfit"} & self.taints(name)}

    @property
    def unfit(self) -> dict[str, str]:
        """Nodes that are marked unfit → the value of the taint."""
        return {
            name: taint["value"]
            for name, node in self.by_name.items()
            for taint in node.get("spec", {}).get("taints", [])
            if taint["key"] == "bedplate.dev/unfit"
        }

    def taints(self, name: str) -> set[str]:
        """The keys of a node's taints."""
        return {taint["key"] for taint in self.by_name[name].get("spec", {}).get("taints", [])}

    def note(self, name: str, key: str) -> str:
        """One of our annotations on a node."""
        return str(self.by_name[name]["metadata"]["annotations"].get(f"bedplate.dev/{key}", ""))
