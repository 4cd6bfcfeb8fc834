"""PRE-041: IAM Identity Center is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bedplate.explanation import CheckRow
from bedplate.spec.grafana import ManagedGrafana
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-041",
    title="IAM Identity Center is there",
    what="Whether the account sees an instance of IAM Identity Center that is active, in any Region, where "
    "people are to come into Grafana by it.",
    why="Without one AWS refuses the workspace, when the stacks before it stand already. An instance belongs "
    "to an organisation, and its management account enables it: that takes other people.",
    fix="Have Identity Center enabled for the organisation, or let people in by `saml`; without either write "
    "`kind: none` and give the dashboards to a Grafana of your own.",
    by_hand="`aws sso-admin list-instances --region-scope ALL_REGIONS`",
)
_REMEDY = (
    "Have IAM Identity Center enabled in the organisation's management account. Or write `saml:` with your "
    "identity provider in place of `identity_center:`. Or write `grafana: {kind: none}`, and give the "
    "dashboards to a Grafana of your own."
)


def applies(environment: Environment) -> bool:
    """Where people come in by Identity Center."""
    grafana = environment.observability.grafana
    return isinstance(grafana, ManagedGrafana) and grafana.identity_center is not None


def check(preflight: Preflight) -> list[Verdict]:
    """Look for an active instance."""
    from bedplate.validation.aws import aws_errors

    writer, found = Writer(ROW.id), list[dict[str, Any]]()
    with aws_errors("looking for IAM Identity Center"):
        pages = preflight.clients.sso_admin.get_paginator("list_instances")
        for page in pages.paginate(RegionScope="ALL_REGIONS"):
            found += page["Instances"]
    active = [each for each in found if each.get("Status") == "ACTIVE"]
    if active:
        return [
            writer.passed(f"{active[0]['InstanceArn']} of account {active[0].get('OwnerAccountId', '?')}")
        ]
    if found:
        summary = f"{found[0]['InstanceArn']} is {found[0].get('Status', 'of no known status')}, not ACTIVE"
        return [writer.failed(summary, remedy=f"Wait until it is, or ask who runs it. {_REMEDY}")]
    return [writer.failed("the account sees no instance of IAM Identity Center", remedy=_REMEDY)]
