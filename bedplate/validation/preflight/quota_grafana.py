"""PRE-042: the quota of Grafana workspaces covers one more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bedplate.explanation import CheckRow
from bedplate.spec.grafana import ManagedGrafana
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

NUMBER = "L-2C2D5119"
ROW = CheckRow(
    id="PRE-042",
    title="the quota of Grafana covers the workspace",
    what=f"The quota {NUMBER} of Amazon Managed Grafana (workspaces of the account in the Region, 5 by "
    "default) against the environment's and those that are there.",
    why="The workspace fails at create time, after network, storage and cluster are made.",
    fix="Ask for the sum that the report names, with the command that it prints, or delete a workspace.",
    by_hand=f"`aws service-quotas get-service-quota --service-code grafana --quota-code {NUMBER}`",
)


def applies(environment: Environment) -> bool:
    """Where a workspace is to be made."""
    return isinstance(environment.observability.grafana, ManagedGrafana)


def check(preflight: Preflight) -> list[Verdict]:
    """Count what is there, the environment's own left out."""
    from bedplate.validation.aws import aws_errors
    from bedplate.validation.preflight.quota import judge_quota, quota_by_code
    from bedplate.validation.preflight.usage import ENVIRONMENT_TAG

    there: list[Mapping[str, Any]] = []
    with aws_errors("counting Grafana workspaces"):
        for page in preflight.clients.grafana.get_paginator("list_workspaces").paginate():
            there += page["workspaces"]
    quota = quota_by_code(preflight, service="grafana", code=NUMBER)
    mine = preflight.environment.name
    in_use = sum(each.get("tags", {}).get(ENVIRONMENT_TAG) != mine for each in there)
    return [judge_quota(Writer(ROW.id), quota=quota, in_use=in_use, requested=1, unit="workspaces")]
