"""ORC-006: no pool is called as the login group is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

TAKEN = {
    "slurm-parallelcluster": {"head": "head node", "default": "word of ParallelCluster's own"},
    "slurm-hyperpod": {"controller": "controller"},
    "eks": {"system": "node group of what is no GPU job"},
}
"""Orchestrator kind → name that a group of its own has, under Slurm beside ``login``."""
_MARK = re.compile(r"(?:^|-)(st|dy)-")
"""What stands between queue and compute resource in a node's name, ``QUEUE-st-RESOURCE-1`` for a static and
``-dy-`` for a dynamic one: ParallelCluster takes a name apart at the last such mark, so that a pool's own
would be taken for it (aws-parallelcluster-node, ``parse_nodename``).
"""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the names that groups beside the pools have."""
    login = {} if draft.orchestrator_kind == "eks" else {"login": "login nodes"}
    taken = {**login, **TAKEN.get(draft.orchestrator_kind or "", {})}
    for index, name in draft.pool_names.items():
        if name in taken:
            yield Violation(
                path=("pools", index, "name"),
                message=f"the {taken[name]}' group is called '{name}'"
                if name == "login"
                else f"the {taken[name]} is called '{name}'",
                allowed="any other name",
                remedy="Name the pool after its GPUs, such as h200.",
            )
        elif draft.orchestrator_kind == "slurm-parallelcluster" and (mark := _MARK.search(name)):
            yield Violation(
                path=("pools", index, "name"),
                message=f"ParallelCluster would read '{mark[1]}-' in '{name}' as a part of its nodes' names",
                allowed="a name without -st- or -dy- in it, and without st- or dy- at its beginning",
                remedy=f"Leave the hyphen behind '{mark[1]}' out, or name the pool after its GPUs, as h200.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-006",
        title="no pool takes the name of another group",
        what=(
            "No pool is called `login` where Slurm runs, and none `head` or `default` under "
            "ParallelCluster, "
            "`controller` under HyperPod, or `system` under EKS. Under ParallelCluster no pool's name has "
            "`-st-` or `-dy-` in it, or begins with "
            "`st-` or `dy-`."
        ),
        why=(
            "The login nodes are a group of that name beside the pools, on AWS PCS a compute node group, and "
            "so is what Slurm is run from; a second one of the same name is refused, or takes its settings. "
            "ParallelCluster names a node QUEUE-st-POOL-1, or -dy- where it comes and goes, and takes the "
            "name apart at the last such mark: with another one in the pool's name it finds neither queue "
            "nor pool."
        ),
        fix="Call the pool otherwise.",
        by_hand=(
            "`aws pcs list-compute-node-groups --cluster-identifier …` lists the groups that are there."
        ),
    ),
    check=check,
)
