"""STO-022: the Region has the file systems that are to be made there."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.region_types import missing_types
from bedplate.spec.rules.file_systems import place_of
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse new file systems of which the CDK knows no resources in the Region."""
    if draft.region is None:
        return
    for index, each in draft.file_systems.items():
        missing = missing_types(each.kind, draft.region)
        if missing:
            yield Violation(
                path=place_of(index, "kind"),
                message=f"{missing[0]} is not known in {draft.region}, so none of `kind: {each.kind}` can be "
                "made there",
                allowed=", ".join(_made_in(draft.region)) + ", or one that is there already",
                remedy="Use another kind, or a Region that has it.",
            )


def _made_in(region: str) -> list[str]:
    return [
        kind for kind in ("lustre", "lustre-tiering", "openzfs", "efs") if not missing_types(kind, region)
    ]


RULE = Rule(
    row=CheckRow(
        id="STO-022",
        title="the Region has the new file systems",
        what="No file system that Bedplate is to make is of a type that the CDK does not know in `region`.",
        why=(
            "The CDK holds templates against CloudFormation's registry as it was when the CDK was released, "
            "and refuses to synthesise what a Region does not have. A Region that the service has come to "
            "since is let in with the next version of the CDK."
        ),
        fix="Use a kind of file system that the Region has, such as `efs`, or another Region.",
        by_hand="`aws fsx describe-file-systems --region REGION` finds no endpoint where there is no FSx.",
    ),
    check=check,
)
