"""ORC-006: no pool is called as the login group is."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

TAKEN = {
    "slurm-parallelcluster": {"head": "head node", "default": "word of ParallelCluster's own"},
    "slurm-hyperpod": {"controller": "controller"},
}
"""Orchestrator kind → name that a group of its own has beside ``login``, which all of them have."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the names that groups beside the pools have."""
    taken = {"login": "login nodes", **TAKEN.get(draft.orchestrator_kind or "", {})}
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


RULE = Rule(
    row=CheckRow(
        id="ORC-006",
        title="no pool takes the name of another group",
        what="No pool is called `login`, and none `head` or `default` under ParallelCluster or `controller` "
        "under HyperPod.",
        why=(
            "The login nodes are a group of that name beside the pools, on AWS PCS a compute node group, and "
            "so is what Slurm is run from; a second one of the same name is refused, or takes its settings."
        ),
        fix="Call the pool otherwise.",
        by_hand=(
            "`aws pcs list-compute-node-groups --cluster-identifier …` lists the groups that are there."
        ),
    ),
    check=check,
)
