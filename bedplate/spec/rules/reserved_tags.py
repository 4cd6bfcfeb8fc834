"""SPC-016: tags keep clear of AWS's own, and leave room for those that are added."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

_OURS = ("bedplate:", "parallelcluster:")
MOST_ON_PARALLELCLUSTER = 38
"""ParallelCluster takes 40 (aws-parallelcluster 3.16.1, ``MAX_TAGS_COUNT``); two are ours."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse keys with a prefix of AWS's, Bedplate's or ParallelCluster's, and more than it takes."""
    if draft.orchestrator_kind == "slurm-parallelcluster" and len(draft.tags) > MOST_ON_PARALLELCLUSTER:
        yield Violation(
            path=("tags",),
            at_key=True,
            message="ParallelCluster takes 40 tags, and Bedplate adds two",
            given=f"{len(draft.tags)} tags",
            allowed=f"up to {MOST_ON_PARALLELCLUSTER} tags",
            remedy="Leave some away.",
        )
    for key in draft.tags:
        prefix = next((each for each in ("aws:", *_OURS) if key.lower().startswith(each)), None)
        if prefix is not None:
            yield Violation(
                path=("tags", key),
                at_key=True,
                message=f"tags that begin with '{prefix}' are reserved",
                given=key,
                allowed="other keys",
                remedy=f"Remove '{prefix}' from the key.",
            )


RULE = Rule(
    row=CheckRow(
        id="SPC-016",
        title="tags keep clear of reserved prefixes",
        what="No key in `tags` begins with `aws:`, `bedplate:` or `parallelcluster:`, and under "
        "`slurm-parallelcluster` there are at most 38.",
        why=(
            "AWS refuses tags that begin with `aws:`; those that begin with `bedplate:` select "
            "what Bedplate made, and those that begin with `parallelcluster:` are that service's, which "
            "takes 40 in all."
        ),
        fix="Use another key.",
        by_hand='Read "Tag naming limits and requirements" in the AWS General Reference.',
    ),
    check=check,
)
