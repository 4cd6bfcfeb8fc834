"""PRE-024: the quotas of OpenZFS cover the file systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.file_systems import OpenZfs

NUMBER, STORAGE, THROUGHPUT = "L-59D0763F", "L-88479C21", "L-4EDE4065"
ROW = CheckRow(
    id="PRE-024",
    title="the quotas of OpenZFS cover the file systems",
    what=f"The FSx quotas {NUMBER} (OpenZFS file systems), {STORAGE} (their SSD storage, GiB) and "
    f"{THROUGHPUT} (their throughput, MB/s) against what is asked for plus what is there. No page of AWS "
    "has the codes: they are as accounts list them.",
    why="The quotas are per account and Region; AWS's default of throughput, 10,240 MB/s, is one file system "
    "of the largest kind.",
    fix="Ask for the sums that the report names, with the commands that it prints.",
    by_hand="`aws service-quotas list-service-quotas --service-code fsx`",
)


def applies(environment: Environment) -> bool:
    """Where such a file system is to be made."""
    return bool(_asked(environment))


def _asked(environment: Environment) -> list[OpenZfs]:
    from bedplate.spec.file_systems import OpenZfs

    return [each for each in environment.storage.file_systems if isinstance(each, OpenZfs)]


def check(preflight: Preflight) -> list[Verdict]:
    """The first quota that does not fit decides; all sums are told."""
    from bedplate.validation.preflight.quota import first_that_fails, judge_quota, quota_by_code
    from bedplate.validation.preflight.usage import other_file_systems

    writer, asked = Writer(ROW.id), _asked(preflight.environment)
    there = [row for row in other_file_systems(preflight) if row.get("FileSystemType") == "OPENZFS"]
    throughput = [row.get("OpenZFSConfiguration", {}).get("ThroughputCapacity", 0) for row in there]
    sums = (
        (NUMBER, len(there), len(asked), "file systems"),
        (
            STORAGE,
            sum(row.get("StorageCapacity", 0) for row in there),
            sum(each.capacity_gib for each in asked),
            "GiB",
        ),
        (THROUGHPUT, sum(throughput), sum(each.throughput_mbps for each in asked), "MB/s"),
    )
    return first_that_fails(
        writer,
        [
            judge_quota(
                writer,
                quota=quota_by_code(preflight, service="fsx", code=code),
                in_use=in_use,
                requested=requested,
                unit=unit,
            )
            for code, in_use, requested, unit in sums
        ],
    )
