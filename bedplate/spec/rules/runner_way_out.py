"""VAL-005: a runner in the account has a way out."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a runner where nothing in the VPC reaches the internet."""
    if draft.network is None or draft.network.internet != "none":
        return
    asked = [("after_deploy", draft.after_deploy), ("schedule", draft.schedule is not None)]
    for name, wanted in asked:
        if wanted:
            yield Violation(
                path=("validation", name),
                at_key=True,
                message="the runner needs a way out, and `network.internet` is none",
                allowed="a runner with `internet: nat`",
                remedy="Remove it and run `bedplate validate` from where you deploy, or set `internet: nat`.",
            )


RULE = Rule(
    row=CheckRow(
        id="VAL-005",
        title="a runner in the account has a way out",
        what="`validation.after_deploy` and `validation.schedule` are given with `internet: nat` alone.",
        why=(
            "The runner stands in the control subnets, calls services without an endpoint there (CodeBuild, "
            "EC2, CloudFormation, CloudWatch, SNS), and installs locked packages from PyPI."
        ),
        fix="Validate a closed network from where it is deployed: `bedplate validate` needs no way into it.",
        by_hand="Read `network.internet` in the file.",
    ),
    check=check,
)
