"""ORC-011: the Region has AWS PCS."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.regions import WITHOUT_PCS
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse Regions in which the CDK knows no resources of PCS."""
    if draft.orchestrator_kind == "slurm-pcs" and draft.region in WITHOUT_PCS:
        yield Violation(
            path=("region",),
            message=f"AWS PCS is not known in {draft.region}",
            allowed="a Region with AWS PCS, such as us-east-1, us-west-2 or eu-north-1",
            remedy="Use a Region that PCS is in, and zones and capacity of that Region.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-011",
        title="the Region has the orchestrator",
        what="With `kind: slurm-pcs`, `region` is none in which the CDK knows no AWS::PCS resources.",
        why=(
            "AWS PCS is in some Regions. The CDK holds templates against CloudFormation's registry as it was "
            "when the CDK was released, and refuses to synthesise what a Region does not have. A Region that "
            "PCS has come to since is let in with the next version of the CDK."
        ),
        fix="Choose another Region; the AWS General Reference lists PCS's endpoints.",
        by_hand="`aws pcs list-clusters --region REGION` finds no endpoint where there is no PCS.",
    ),
    check=check,
)
