"""PRE-023: the quotas of Intelligent-Tiering cover the file systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.file_systems import LustreTiering

THROUGHPUT, CACHE = "L-0CD18A5D", "L-B7391FCE"
ROW = CheckRow(
    id="PRE-023",
    title="the quotas of Intelligent-Tiering cover the file systems",
    what=f"The FSx quotas {THROUGHPUT} (throughput of Lustre Intelligent-Tiering, MB/s) and {CACHE} (its "
    "read caches, GiB) against what is asked for plus what is there. No page of AWS has the codes: they "
    "are as accounts list them.",
    why="The quotas are per account and Region; the file system fails at create time, after the network is "
    "made.",
    fix="Ask for the sums that the report names, with the commands that it prints.",
    by_hand="`aws service-quotas list-service-quotas --service-code fsx`",
)


def applies(environment: Environment) -> bool:
    """Where such a file system is to be made."""
    return bool(_asked(environment))


def _asked(environment: Environment) -> list[LustreTiering]:
    from bedplate.spec.file_systems import LustreTiering

    return [each for each in environment.storage.file_systems if isinstance(each, LustreTiering)]


def check(preflight: Preflight) -> list[Verdict]:
    """The first quota that does not fit decides; both sums are told."""
    from bedplate.validation.preflight.quota import first_that_fails, judge_quota, quota_by_code
    from bedplate.validation.preflight.usage import other_file_systems

    writer, asked = Writer(ROW.id), _asked(preflight.environment)
    there = [
        row.get("LustreConfiguration", {})
        for row in other_file_systems(preflight)
        if row.get("StorageType") == "INTELLIGENT_TIERING"
    ]
    verdicts = [
        judge_quota(
            writer,
            quota=quota_by_code(preflight, service="fsx", code=THROUGHPUT),
            in_use=sum(row.get("ThroughputCapacity", 0) for row in there),
            requested=sum(each.throughput_mbps for each in asked),
            unit="MB/s",
        ),
        judge_quota(
            writer,
            quota=quota_by_code(preflight, service="fsx", code=CACHE),
            in_use=sum(row.get("DataReadCacheConfiguration", {}).get("SizeGiB", 0) for row in there),
            requested=sum(each.read_cache_gib for each in asked),
            unit="GiB",
        ),
    ]
    return first_that_fails(writer, verdicts)
