"""VAL-007: the Region has what the runner in the account is made of."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.region_types import missing_types
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a runner in Regions in which the CDK knows no CodeBuild."""
    if draft.region is None or not missing_types("runner", draft.region):
        return
    asked = [("after_deploy", draft.after_deploy), ("schedule", draft.schedule is not None)]
    for name, wanted in asked:
        if wanted:
            yield Violation(
                path=("validation", name),
                at_key=True,
                message=f"the runner needs AWS CodeBuild, which is not known in {draft.region}",
                allowed="a runner in Regions with CodeBuild",
                remedy="Remove it and run `bedplate validate` from where you deploy.",
            )


RULE = Rule(
    row=CheckRow(
        id="VAL-007",
        title="the Region has the runner",
        what=(
            "`validation.after_deploy` and `validation.schedule` are given in no Region in which the CDK "
            "knows no AWS::CodeBuild::Project."
        ),
        why=(
            "The CDK holds templates against CloudFormation's registry as it was when the CDK was released, "
            "and refuses to synthesise what a Region does not have."
        ),
        fix="Validate from where you deploy, or choose another Region.",
        by_hand="`aws codebuild list-projects --region REGION` finds no endpoint where there is none.",
    ),
    check=check,
)
