"""ORC-008: a partition's nodes, and some login node, are of one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from bedplate.explanation import CheckRow
from bedplate.hardware import INSTANCE_TYPES
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

_GRAVITON = re.compile(
    r"^(a1|[a-z]{1,3}\d+(g|gd|gn|gb|gen|gdn|gs)(-\w+)?)\.|^(hpc7g|g5g|im4gn|is4gen|x2gd)\."
)
"""Families of AWS's own arm64 processors: a g after the generation's number (EC2 naming conventions)."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a mixed partition, and login nodes whose programs no pool can run."""
    by_pool = {
        pool.name: INSTANCE_TYPES[pool.instance_type].architecture
        for pool in draft.pools.values()
        if pool.instance_type in INSTANCE_TYPES
    }
    for index, partition in draft.partitions.items():
        found = {by_pool[name]: name for name in partition.pools if name in by_pool}
        if len(found) > 1:
            yield Violation(
                path=("orchestrator", "partitions", index, "pools"),
                message="the pools are of different architectures: "
                + ", ".join(f"{name} is {architecture}" for architecture, name in sorted(found.items())),
                given=f"[{', '.join(partition.pools)}]",
                allowed="pools of one architecture",
                remedy="Make a partition for each architecture.",
            )
    if draft.all_pools and by_pool:
        yield from _beside_pools(draft, by_pool)


def _beside_pools(draft: Draft, by_pool: Mapping[str, str]) -> Iterator[Violation]:
    """Login nodes are like some pool; under ParallelCluster they, the head and every pool are alike."""
    alike = draft.orchestrator_kind == "slurm-parallelcluster"
    wanted = next(iter(by_pool.values()))
    if alike and len(set(by_pool.values())) > 1:
        yield Violation(
            path=("pools",),
            at_key=True,
            message="a cluster of ParallelCluster has one architecture, and the pools have two",
            given=", ".join(f"{name} is {word}" for name, word in by_pool.items()),
            allowed="pools of one architecture",
            remedy="Make an environment for each architecture, or use `kind: slurm-pcs`.",
        )
        return
    login = draft.login.instance_type if draft.login else None
    nodes = [(("orchestrator", "login", "instance_type"), login)]
    if alike:
        nodes.append((("orchestrator", "head_node", "instance_type"), draft.control_type))
    for path, given in nodes:
        if given is None or architecture_of(given) in by_pool.values():
            continue
        yield Violation(
            path=path,
            message=f"{given} is {architecture_of(given)}, and all pools are {wanted}",
            given=given,
            allowed=f"an {wanted} type, such as {'m7g.4xlarge' if wanted == 'arm64' else 'm7i.4xlarge'}",
            remedy="Choose nodes that run the same programs as the pools.",
        )


def architecture_of(instance_type: str) -> str:
    """Return ``arm64`` or ``x86_64`` by the name of an instance type without GPUs."""
    return "arm64" if _GRAVITON.match(instance_type) else "x86_64"


RULE = Rule(
    row=CheckRow(
        id="ORC-008",
        title="architectures are not mixed",
        what=(
            "The pools of a partition are all x86_64 or all arm64 (P6e-GB200), and the login "
            "nodes are of an architecture that a pool has. Under `slurm-parallelcluster` the head node, the "
            "login nodes and all pools are of one."
        ),
        why=(
            "A job that Slurm spreads over both kinds starts half a program; what is built on the "
            "login node runs on nodes of its own architecture only. ParallelCluster has one image and one "
            "Slurm for all of a cluster."
        ),
        fix=(
            "Make a partition for each architecture, and choose login nodes like the pools: m7i "
            "for x86_64, m7g for arm64."
        ),
        by_hand="`uname -m` on a node prints its architecture.",
    ),
    check=check,
)
