"""PRE-013: the quota of Lustre storage covers the file systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-013",
    title="the quota of Lustre storage covers the file systems",
    what="The FSx quota of Lustre PERSISTENT_2 SSD storage (GiB), found by its name, against the file "
    "systems that are asked for plus those that are there.",
    why="The quota is per account and Region; the file system fails at create time, after the network is "
    "made.",
    fix="Ask for the sum that the report names, with the command that it prints.",
    by_hand="`aws service-quotas list-service-quotas --service-code fsx`",
)


def applies(environment: Environment) -> bool:
    """Where a Lustre file system on SSD is to be made."""
    return _asked_gib(environment) > 0


def _asked_gib(environment: Environment) -> int:
    from bedplate.spec.file_systems import Lustre

    return sum(each.capacity_gib for each in environment.storage.file_systems if isinstance(each, Lustre))


def _fits(name: str) -> bool:
    words = name.replace("-", "_").replace(" ", "_")
    other = any(word in words for word in ("hdd", "tiering"))
    return all(word in words for word in ("lustre", "persistent_2", "storage")) and not other


def check(preflight: Preflight) -> list[Verdict]:
    """Find the quota by its name: no page of AWS has its code."""
    from bedplate.validation.preflight.quota import judge_quota, quotas_by_name
    from bedplate.validation.preflight.usage import other_file_systems

    writer = Writer(ROW.id)
    found = quotas_by_name(preflight, service="fsx", fits=_fits)
    if len(found) != 1:
        return [writer.not_made(f"{len(found)} quotas of FSx are about Lustre PERSISTENT_2 storage")]
    in_use = sum(
        row.get("StorageCapacity", 0)
        for row in other_file_systems(preflight)
        if row.get("LustreConfiguration", {}).get("DeploymentType") == "PERSISTENT_2"
        and row.get("StorageType", "SSD") == "SSD"
    )
    asked = _asked_gib(preflight.environment)
    return [judge_quota(writer, quota=found[0], in_use=in_use, requested=asked, unit="GiB")]
