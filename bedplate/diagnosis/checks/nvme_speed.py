"""NVM-002: the scratch volume is as fast as that of the other nodes, and gives back what was written."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import ENGINE, Check
from bedplate.diagnosis.checks.nvme_array import has_scratch
from bedplate.diagnosis.checks.speed_rule import SpeedBounds, judge_speed
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.storage_speed import PlaceSpeed
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

LEAST_SHARE = 0.8
"""Of the median of the pool's nodes. Disks of one type differ by a few percent; a disk that throttles or has
worn out costs the whole stripe more than this. Our own bound, unverified on hardware."""
PLAUSIBLE_GB_PER_S_EACH = 0.6
"""What a SATA link carries (Serial ATA 3: 600 MB/s): an NVMe disk that is slower is not at its speed, however
many others are slow too."""

ROW = CheckRow(
    id="NVM-002",
    title="the scratch volume is as fast as that of the other nodes, and gives back what was written",
    what="16 GiB are written to `/scratch` and read back past the page cache (`O_DIRECT`, 16 threads, blocks "
    "of 8 MiB), at most 40 s each way, each block checked. The slower direction is at least 80 % of the "
    "median of the pool's nodes. AWS publishes no throughput for these disks, so this is relative only: a "
    "pass says so, and all nodes below 0.6 GB/s a disk are not-tested. Both bounds are ours and unverified. "
    "It is written in `/scratch/.bedplate/validation/RUN/INSTANCE`, only where twenty times as much is "
    "free, and removed afterwards, whatever happens; if not, a finding says so.",
    why="One disk that throttles slows the whole stripe, and with it every checkpoint and data loader of the "
    "job, on all nodes. No counter of the disk need tell.",
    fix="Validate again. If the node is slow again, drain it and replace the instance.",
    by_hand="`fio --name=x --directory=/scratch --rw=write --bs=8M --size=1G --numjobs=16 --direct=1 "
    "--group_reporting`, the same with `--rw=read`, on this node and on another; then remove the files.",
)


def check(
    *,
    node: str,
    place: PlaceSpeed | None,
    median: float | None,
    instance_type: InstanceType,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Judge one node's scratch volume; ``median`` (GB/s) is of the pool's nodes of this run."""
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=None if median is None else round(LEAST_SHARE * median, 3),
        unit="GB/s",
        source="relative only: 80 % of the median of this run's nodes",
    )
    if place is None:
        return writer.error("The exercise's answer has nothing about the scratch volume")
    bounds = SpeedBounds(None, LEAST_SHARE, PLAUSIBLE_GB_PER_S_EACH * instance_type.nvme_count)
    return judge_speed(writer=writer, place=place, bounds=bounds, median=median, cause="nvme-slow")


def _promised(expected: NodeExpectation) -> bool:
    return expected.throughput and expected.local_nvme == "raid0"


CHECK = Check(row=ROW, stage=ENGINE, applies=has_scratch, promised=_promised)
