"""PRE-025: the quotas of EFS cover the file systems and their mount targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

NUMBER = "L-848C634D"
ROW = CheckRow(
    id="PRE-025",
    title="the quota of EFS covers the file systems",
    what=f"The EFS quota {NUMBER} (file systems of the account in the Region) against those that are asked "
    "for plus those that are there. Each has one mount target a zone; their quota, 400 in a VPC, is out of "
    "reach.",
    why="The file system fails at create time, after the network is made.",
    fix="Ask for the sum that the report names, with the command that it prints.",
    by_hand=f"`aws service-quotas get-service-quota --service-code elasticfilesystem --quota-code {NUMBER}`",
)


def applies(environment: Environment) -> bool:
    """Where an EFS file system is to be made."""
    return _asked(environment) > 0


def _asked(environment: Environment) -> int:
    return sum(each.kind == "efs" for each in environment.storage.file_systems)


def check(preflight: Preflight) -> list[Verdict]:
    """Count what is there, the environment's own left out."""
    from bedplate.validation.aws import aws_errors
    from bedplate.validation.preflight.quota import judge_quota, quota_by_code
    from bedplate.validation.preflight.usage import ENVIRONMENT_TAG

    mine = {"Key": ENVIRONMENT_TAG, "Value": preflight.environment.name}
    there: list[Mapping[str, Any]] = []
    with aws_errors("counting EFS file systems"):
        for page in preflight.clients.efs.get_paginator("describe_file_systems").paginate():
            there += page["FileSystems"]
    quota = quota_by_code(preflight, service="elasticfilesystem", code=NUMBER)
    in_use = sum(mine not in row.get("Tags", []) for row in there)
    asked = _asked(preflight.environment)
    return [judge_quota(Writer(ROW.id), quota=quota, in_use=in_use, requested=asked, unit="file systems")]
