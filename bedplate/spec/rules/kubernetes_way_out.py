"""ORC-044: nodes of Kubernetes have a way out."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a closed network: charts and images come from registries."""
    network = draft.network
    if draft.kubernetes is None or network is None or network.internet != "none":
        return
    yield Violation(
        path=("network", "internet"),
        message="charts and container images come from public registries, and nothing here reaches them",
        allowed="nat",
        remedy="Set `internet: nat`, or use `kind: slurm-pcs`, which runs in a closed network.",
    )


RULE = Rule(
    row=CheckRow(
        id="ORC-044",
        title="nodes of Kubernetes have a way out",
        what="`network.internet` is not `none` where `kind` is `eks`.",
        why=(
            "Charts and images are pulled from public registries while the stack is deployed and whenever"
            " a node comes up. Without a way out the first chart fails, and with it the deploy."
        ),
        fix="Set `internet: nat`.",
        by_hand="Read `network.internet` in the file.",
    ),
    check=check,
)
