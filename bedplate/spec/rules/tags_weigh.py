"""SPC-017: tags are not too much for a template that repeats them on everything."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

MOST_CHARACTERS = 3000
"""What all tags may come to, so that the largest legal environment's templates stay under 1 MB."""
EACH_TAG = 50
"""Characters that a tag takes in a template beside its key and value."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse tags that come to more than a template can repeat on everything."""
    weight = sum(EACH_TAG + len(key) + len(value) for key, value in draft.tags.items())
    if weight > MOST_CHARACTERS:
        yield Violation(
            path=("tags",),
            at_key=True,
            message=f"the tags come to {weight} characters, {EACH_TAG} for each of them counted in",
            given=f"{len(draft.tags)} tags of {weight} characters",
            allowed=f"up to {MOST_CHARACTERS} characters",
            remedy="Give fewer or shorter tags.",
        )


RULE = Rule(
    row=CheckRow(
        id="SPC-017",
        title="the tags are not too long",
        what="Keys and values of `tags`, with 50 characters more for each tag, come to at most 3000.",
        why=(
            "Every tag stands on each of up to two hundred resources of a stack, and CloudFormation takes "
            "templates of 1 MB."
        ),
        fix="Give fewer or shorter tags; 20 tags may have 100 characters each, 40 have 25.",
        by_hand="`wc -c cdk.out/*.template.json` shows the size of each template.",
    ),
    check=check,
)
