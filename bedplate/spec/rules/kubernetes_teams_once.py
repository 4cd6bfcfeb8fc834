"""ORC-046: teams of Kubernetes are told apart."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

RESERVED = (
    "default",
    "validation",
    "aws-hyperpod",
    "gpu-operator",
    "cert-manager",
    "jobset-system",
    "lws-system",
)
"""Namespaces that Kubernetes or a component has, and the name of validation's own queue."""
RESERVED_BEGINNINGS = (
    "kube-",
    "amazon-",
    "bedplate-",
    "kueue-",
    "kubeflow-",
    "volcano-",
    "kai-",
    "karpenter",
)
_TEAMS = ("orchestrator", "teams")


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second of a name, and names of namespaces that are not a team's."""
    seen: set[str] = set()
    for index, team in enumerate(draft.kubernetes.teams if draft.kubernetes else ()):
        if team.name in RESERVED or team.name.startswith(RESERVED_BEGINNINGS):
            yield Violation(
                path=(*_TEAMS, index, "name"),
                message=f"'{team.name}' is a namespace of the cluster's own",
                allowed="any other name",
                remedy="Choose another name.",
            )
        elif team.name in seen:
            yield Violation(
                path=(*_TEAMS, index, "name"),
                message=f"there is a team '{team.name}' already",
                allowed="names that no other team has",
                remedy="Choose another name, or join the two.",
            )
        seen.add(team.name)


RULE = Rule(
    row=CheckRow(
        id="ORC-046",
        title="teams of Kubernetes are told apart",
        what=(
            "No two of `orchestrator.teams` have one name, and none is called as a namespace of "
            "Kubernetes or of a component."
        ),
        why=(
            "Each team is a namespace. Two of one name would be one, with the later quota; a team in a "
            "namespace of a component could change that component."
        ),
        fix="Choose another name.",
        by_hand="`kubectl get namespaces` lists those that are there.",
    ),
    check=check,
)
