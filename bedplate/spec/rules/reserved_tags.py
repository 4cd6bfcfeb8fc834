"""SPC-016: tags keep clear of AWS's own."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

_OURS = ("bedplate:",)


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse keys that begin with ``aws:`` or with Bedplate's own prefix."""
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
        what="No key in `tags` begins with `aws:` or `bedplate:`.",
        why=(
            "AWS refuses tags that begin with `aws:`; those that begin with `bedplate:` select "
            "what Bedplate made."
        ),
        fix="Use another key.",
        by_hand='Read "Tag naming limits and requirements" in the AWS General Reference.',
    ),
    check=check,
)
