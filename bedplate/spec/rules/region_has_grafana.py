"""OBS-005: the Region has Amazon Managed Grafana."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.region_types import missing_types
from bedplate.spec.rules.rule import Rule, Violation

NO_VPC = frozenset({"ap-northeast-2"})
"""Regions in which a workspace reaches no VPC (Grafana API, VpcConfiguration)."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a workspace where there is none to be had, and a VPC where a workspace reaches none."""
    if draft.grafana is None or draft.region is None:
        return
    if missing_types("grafana", draft.region):
        yield Violation(
            path=("observability", "grafana", "kind"),
            message=f"Amazon Managed Grafana is not known in {draft.region}",
            allowed="managed in Regions with Amazon Managed Grafana",
            remedy="Write `kind: none`, and give a Grafana of your own the dashboards.",
        )
    elif draft.grafana.vpc is not None and draft.region in NO_VPC:
        yield Violation(
            path=("observability", "grafana", "vpc"),
            at_key=True,
            message=f"in {draft.region} a workspace reaches no VPC",
            allowed="no `vpc` there",
            remedy="Remove it: Prometheus and CloudWatch are reached without it.",
        )


RULE = Rule(
    row=CheckRow(
        id="OBS-005",
        title="the Region has Amazon Managed Grafana",
        what=(
            "`observability.grafana` is managed only in Regions in which the CDK knows "
            "AWS::Grafana::Workspace, and has no `vpc` in ap-northeast-2."
        ),
        why=(
            "Amazon Managed Grafana is in some Regions, and connects to no VPC in Seoul. A workspace in "
            "another Region can read this one's metrics, but that is not built."
        ),
        fix="Write `kind: none`, or make a workspace by hand elsewhere and put the dashboards into it.",
        by_hand="`aws grafana list-workspaces --region REGION` finds no endpoint where there is none.",
    ),
    check=check,
)
