"""ORC-048: nodes of Kubernetes collect no metrics by packages."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse what is set up by Slurm nodes' bootstrap."""
    kind = draft.collection.kind if draft.collection is not None else "none"
    if draft.kubernetes is not None and kind != "none":
        yield Violation(
            path=("observability", "collection", "kind"),
            message=("the bootstrap of Slurm's nodes sets exporters up, and nodes of Kubernetes have none"),
            allowed="none",
            remedy="Write `collection: {kind: none}`, or leave it out.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-048",
        title="nodes of Kubernetes collect no metrics by packages",
        what="`observability.collection` is `none` where `kind` is `eks`.",
        why=(
            "What the field sets up are services of the node, by the bootstrap of nodes under Slurm. In "
            "this version nothing collects metrics in a Kubernetes cluster."
        ),
        fix="Leave `collection` out.",
        by_hand="Read `observability.collection` in the file.",
    ),
    check=check,
)
