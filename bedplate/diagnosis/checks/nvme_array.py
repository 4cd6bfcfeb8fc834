"""NVM-001: the instance-store disks are there and make one scratch volume."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.block_disks import InstanceDisk, parse_block_disks
from bedplate.diagnosis.parsers.mdadm_detail import ArrayDetail, parse_mdadm_detail
from bedplate.diagnosis.parsers.mount_list import MountedFileSystem, MountList
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.storage_tools import MDADM, SCRATCH
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="NVM-001",
    title="the NVMe disks are there and make one scratch volume",
    what="`/sys/block` holds as many disks of the model `Amazon EC2 NVMe Instance Storage` as the type has, "
    "each of its full size; one block device is made of all of them, `mdadm --detail` says that it is "
    "RAID 0 over so many members with none failed (or the image's own LVM volume holds them all), and it is "
    "mounted at `/scratch`.",
    why="RAID 0 does not survive the loss of a disk, and a mount point without its volume is a folder on the "
    "root disk: jobs fill that up, at a tenth of the speed, and nothing says so.",
    fix="A disk that is missing: replace the instance, which is the only way to other disks. An array that "
    "is not mounted: `systemctl restart bedplate-bootstrap`.",
    by_hand="`lsblk -o NAME,MODEL,SIZE,MOUNTPOINTS`; `mdadm --detail /dev/md/bedplate`; `findmnt /scratch`.",
)
_SMALLEST_SHARE = 0.95
"""AWS states sizes in 10^9 bytes, rounded; a disk under 95 % of the type's is another disk."""


def check(
    *,
    node: str,
    disks: Reading[tuple[InstanceDisk, ...]],
    mounts: Reading[MountList],
    array: Reading[ArrayDetail],
    instance_type: InstanceType,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail for missing or small disks, an array not over all of them or not mounted; error for what cannot be
    read; else pass.
    """
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=instance_type.nvme_count,
        unit="disks in the volume",
        source="; ".join(instance_type.sources[:1]),
    )
    if instance_type.nvme_count == 0:
        return writer.not_applicable(f"{instance_type.name} has no instance store")
    if disks.record is None:
        return writer.error(f"The disks cannot be counted: {disks.problem}")
    found = disks.record
    lost = _lost_disks(writer, found, instance_type)
    if lost is not None:
        return lost
    holders = sorted({holder for disk in found for holder in disk.holders})
    held = [disk for disk in found if disk.holders]
    if len(holders) != 1 or len(held) != len(found):
        free = [disk.name for disk in found if not disk.holders]
        return writer.failed(
            f"{len(held)} of {len(found)} disks are in a volume"
            if not held or free
            else f"The disks are in {len(holders)} volumes",
            cause="scratch-volume",
            measured=len(held),
            lines=[f"volumes: {', '.join(holders) or 'none'}", *(f"in none: {name}" for name in free)],
        )
    return _judge_volume(writer, holders[0], len(found), mounts, array)


def _lost_disks(writer: Writer, found: tuple[InstanceDisk, ...], kind: InstanceType) -> Verdict | None:
    lines = [f"{disk.name} {disk.serial}: {disk.size_bytes / 1e9:.0f} GB" for disk in found]
    if len(found) < kind.nvme_count:
        return writer.failed(
            f"{len(found)} of {kind.nvme_count} instance-store disks are there",
            cause="nvme-disk-lost",
            measured=len(found),
            lines=lines,
        )
    if len(found) > kind.nvme_count:
        return writer.error(
            f"{len(found)} instance-store disks where the type has {kind.nvme_count}", measured=len(found)
        )
    small = [disk for disk in found if disk.size_bytes < kind.nvme_gb_each * 10**9 * _SMALLEST_SHARE]
    if small:
        return writer.failed(
            f"{len(small)} disks are smaller than the {kind.nvme_gb_each} GB of the type",
            cause="nvme-disk-lost",
            measured=len(found) - len(small),
            lines=lines,
        )
    return None


def _judge_volume(
    writer: Writer, holder: str, disks: int, mounts: Reading[MountList], array: Reading[ArrayDetail]
) -> Verdict:
    """The volume over all disks: what it is made of, and where it is mounted."""
    if holder.startswith("md"):
        if array.record is None:
            return writer.error(f"The array cannot be read: {array.problem}", measured=disks)
        broken = _array_fault(writer, array.record, disks)
        if broken is not None:
            return broken
        if array.problem:
            return writer.error(f"The array's state cannot be trusted: {array.problem}", measured=disks)
        listed = len({device for device, state in array.record.members if state == "active sync"})
        if listed != disks:
            # The counts stand above the table: an answer that broke off between them is not whole.
            return writer.error(f"mdadm lists {listed} of {disks} members as in use", measured=listed)
    if mounts.record is None or mounts.problem:
        return writer.error(f"The mounts cannot be read: {mounts.problem}", measured=disks)
    mount = mounts.record.at(SCRATCH)
    if mount is None:
        return writer.failed(
            f"The volume {holder} is not mounted at {SCRATCH}", cause="scratch-volume", measured=disks
        )
    if not _lies_on(mount, holder):
        return writer.failed(
            f"{mount.source} is mounted at {SCRATCH}, the disks are in {holder}",
            cause="scratch-volume",
            measured=disks,
        )
    return writer.passed(f"All {disks} disks are in {holder}, mounted at {SCRATCH}", measured=disks)


def _array_fault(writer: Writer, array: ArrayDetail, disks: int) -> Verdict | None:
    lines = [
        f"Raid Level : {array.level}",
        f"State : {array.state}",
        f"Raid Devices : {array.raid_devices}, active {array.active_devices}, failed {array.failed_devices}",
        *(f"{device}: {state}" for device, state in array.members if state != "active sync"),
    ]
    if array.failed_devices or array.active_devices < array.raid_devices or not array.is_well:
        return writer.failed(
            f"The array is {array.state}: {array.active_devices} of {array.raid_devices} members work",
            cause="nvme-disk-lost",
            measured=array.active_devices,
            lines=lines,
        )
    if array.level != "raid0" or array.raid_devices != disks:
        return writer.failed(
            f"The array is {array.level} over {array.raid_devices} disks, not raid0 over {disks}",
            cause="scratch-volume",
            measured=array.raid_devices,
            lines=lines,
        )
    return None


def _lies_on(mount: MountedFileSystem, holder: str) -> bool:
    """Whether a mount's source is the volume; device mapper's volumes are shown by name, not by number."""
    if holder.startswith("dm-"):
        return mount.source == f"/dev/{holder}" or mount.source.startswith("/dev/mapper/")
    return mount.source in (f"/dev/{holder}", MDADM[-1])


def _disks(answer: Mapping[str, object]) -> Reading[tuple[InstanceDisk, ...]]:
    if answer.get("block_devices") is None:
        return Reading(None, "the answer holds no listing of /sys/block")
    try:
        return Reading(parse_block_disks(answer["block_devices"]))
    except ParseError as error:
        return Reading(None, str(error))


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        disks=_disks(facts.answer),
        mounts=facts.mounts,
        array=read_tool(answer=facts.answer, argv=MDADM, parse=parse_mdadm_detail),
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


def has_scratch(instance_type: InstanceType, _nodes: int) -> bool:
    """The type has instance store."""
    return instance_type.nvme_count > 0


def _promised(expected: NodeExpectation) -> bool:
    return expected.local_nvme == "raid0"


CHECK = Check(row=ROW, stage=PROBE, applies=has_scratch, promised=_promised, judge=_judge)
