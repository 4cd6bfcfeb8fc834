"""Which instance carries which fault, and the record of it that the demo compares with afterwards."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bedplate.sandbox.fleet.effects import Effects, effects_of
from bedplate.sandbox.fleet.fault import Fault
from bedplate.sandbox.fleet.faults import FaultPlan
from bedplate.sandbox.fleet.leaves import beyond_the_leaf

INJECTED_FILE = "injected.json"
LEAF = "leaf-slow"


@dataclass(frozen=True)
class Binding:
    """``effects`` by instance id; ``bound`` pairs each fault with its instances; ``unbound`` found no
    node.
    """

    effects: Mapping[str, Effects]
    bound: tuple[tuple[Fault, tuple[str, ...]], ...]
    unbound: tuple[Fault, ...]


def bind(faults: Sequence[Fault], instances: Sequence[str]) -> Binding:
    """Give each fault its instances, where ``instances`` are the compute nodes in the order of their
    addresses.
    """
    carried: dict[str, list[tuple[str, dict[str, Any]]]] = {instance: [] for instance in instances}
    bound: list[tuple[Fault, tuple[str, ...]]] = []
    unbound: list[Fault] = []
    for fault in faults:
        alone = fault.cause == LEAF and not beyond_the_leaf(int(fault.detail["leaf"]), instances)
        if alone or any(index >= len(instances) for index in fault.indices):
            unbound.append(fault)
            continue
        subjects = tuple(instances[index] for index in fault.indices)
        if fault.kind.scope == "half":
            subjects = tuple(instances[::2])
        bound.append((fault, subjects))
        if fault.cause == LEAF:
            for instance, beyond in beyond_the_leaf(int(fault.detail["leaf"]), instances).items():
                carried[instance].append((LEAF, {**fault.detail, "beyond": beyond}))
            continue
        for instance in subjects or instances:
            peers = [other for other in subjects if other != instance]
            carried[instance].append((fault.cause, {**fault.detail, "peer": peers[0] if peers else ""}))
    effects = {instance: effects_of(found) for instance, found in carried.items()}
    return Binding(effects=effects, bound=tuple(bound), unbound=tuple(unbound))


def write_injected(state_dir: Path, plan: FaultPlan, binding: Binding) -> None:
    """Write ``injected.json``: ``{"seed", "faults": [{"cause", "kind", "subjects", "detail"}], "unbound":
    […]}``.

    ``kind`` is node, link or cluster; ``subjects`` are instance ids, none for the cluster.
    """
    data = {
        "seed": plan.seed,
        "faults": [
            {
                "cause": fault.cause,
                "kind": fault.kind.scope,
                "subjects": list(subjects),
                "detail": dict(fault.detail),
            }
            for fault, subjects in binding.bound
        ],
        "unbound": [fault.to_json() for fault in binding.unbound],
    }
    target = state_dir / INJECTED_FILE
    partial = target.with_name(f".{INJECTED_FILE}.{os.getpid()}")
    partial.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    partial.replace(target)
