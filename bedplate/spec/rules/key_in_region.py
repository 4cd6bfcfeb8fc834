"""STO-017: the key that encrypts a file system is of the environment's Region."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import place_of
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse keys of another Region."""
    for index, each in draft.file_systems.items():
        key = getattr(each, "kms_key", None)
        if key is None or draft.region is None or key.split(":")[3] == draft.region:
            continue
        yield Violation(
            path=place_of(index, "kms_key"),
            message=f"the key is of {key.split(':')[3]}, the file system of {draft.region}",
            allowed=f"a key of {draft.region}",
            remedy="Give the ARN of a key in the environment's Region; a multi-Region key has one in each.",
        )


RULE = Rule(
    row=CheckRow(
        id="STO-017",
        title="a file system's key is of its Region",
        what="`kms_key` of a file system names the environment's Region.",
        why="KMS answers in its own Region only. FSx and EFS refuse the key, minutes into the deploy.",
        fix="Use a key of the Region.",
        by_hand="`aws kms list-keys --region REGION`",
    ),
    check=check,
)
