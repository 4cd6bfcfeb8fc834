"""ORC-049: every kind of job that is asked for is installed."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.orchestrator import Eks
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the operator that comes by no chart, and a kind that is named twice."""
    if not isinstance(draft.kubernetes, Eks):
        return
    seen: set[str] = set()
    for index, name in enumerate(draft.kubernetes.jobs):
        if name == "mpi-operator":
            yield Violation(
                path=("orchestrator", "jobs", index),
                message="the MPI operator has no chart, and this version installs charts and add-ons alone",
                allowed="trainer, jobset, leader-worker-set",
                remedy="Leave it out; `kubectl apply` its manifest yourself where you need it.",
            )
        elif name in seen:
            yield Violation(
                path=("orchestrator", "jobs", index),
                message=f"`{name}` is named twice",
                allowed="each kind once",
                remedy="Leave the second one out.",
            )
        seen.add(name)


RULE = Rule(
    row=CheckRow(
        id="ORC-049",
        title="every kind of job that is asked for is installed",
        what="`orchestrator.jobs` names each kind once, and under `eks` not `mpi-operator`.",
        why=(
            "The MPI operator is published as a manifest and by no chart. A kind that Kueue is told of and "
            "that the cluster does not have keeps Kueue from starting."
        ),
        fix="Leave `mpi-operator` out, and apply its manifest by hand.",
        by_hand="`kubectl get crd` lists the kinds that the cluster knows.",
    ),
    check=check,
)
