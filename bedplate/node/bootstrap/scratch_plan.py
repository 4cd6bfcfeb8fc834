"""What to do with a node's instance-store disks, decided by what is on them. Pure: no disk is touched here.

A disk that carries anything that is not our own array is never written to.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import List, Sequence

from bedplate.node.bootstrap.disks import Disk

CREATE = "create"
ASSEMBLE = "assemble"
ACTIVE = "active"
MAPPED = "mapped"
RAID_MEMBER = "linux_raid_member"
_SMALLEST_SHARE = 0.95
"""AWS states sizes in 10^9 bytes, rounded (3.8 TB for a disk of 3.84 TB); a disk under 95 % of the hardware
table's size is another disk than the type has."""


class DisksRefusedError(Exception):
    """The disks are not what the type has, or hold what is not ours; the message names them."""


@dataclass(frozen=True)
class ScratchPlan:
    """What to do: ``create`` or ``assemble`` the array, use the ``active`` one, or a ``mapped`` volume.

    ``holder`` is the block device over the disks (``md127``, ``dm-0``), empty while there is none.
    """

    action: str
    holder: str = ""


def array_uuid(instance_id: str) -> str:
    """The UUID of this instance's array, as mdadm writes it: the same at every boot, another elsewhere."""
    digits = uuid.uuid5(uuid.NAMESPACE_URL, f"https://bedplate/scratch/{instance_id}").hex
    return ":".join(digits[start : start + 8] for start in range(0, 32, 8))


def same_uuid(one: str, other: str) -> bool:
    """mdadm and blkid group the same 32 digits in different ways."""
    digits = [text.lower().replace(":", "").replace("-", "") for text in (one, other)]
    return digits[0] == digits[1] != ""


def plan_scratch(disks: Sequence[Disk], *, count: int, gb_each: int, ours: str) -> ScratchPlan:
    """Decide. ``count`` and ``gb_each`` (10^9 bytes) are the hardware table's, ``ours`` the array's UUID.

    Raises ``DisksRefusedError``.
    """
    _refuse_wrong_disks(disks, count, gb_each)
    holders = {disk.holders for disk in disks}
    if holders != {()}:
        return _held(disks, ours)
    members = [disk for disk in disks if _is_ours(disk, ours)]
    foreign = [disk for disk in disks if disk not in members and (disk.signature or disk.partitions)]
    if foreign:
        raise DisksRefusedError(
            f"{_what(foreign)}: not made by this bootstrap, so nothing is written; wipe the disks by hand"
            " (wipefs) or replace the instance"
        )
    if len(members) == len(disks):
        return ScratchPlan(ASSEMBLE)
    if members:
        blank = ", ".join(_name(disk) for disk in disks if disk not in members)
        raise DisksRefusedError(
            f"{len(members)} of {count} disks belong to the array, {blank} does not: a disk was lost or"
            " exchanged, and RAID 0 does not survive that; replace the instance"
        )
    return ScratchPlan(CREATE)


def _refuse_wrong_disks(disks: Sequence[Disk], count: int, gb_each: int) -> None:
    if len(disks) != count:
        found = ", ".join(_name(disk) for disk in disks) or "none"
        lost = "a disk is lost: replace the instance" if len(disks) < count else "the hardware table is wrong"
        raise DisksRefusedError(f"{len(disks)} instance-store disks, the type has {count}; {lost} ({found})")
    small = [disk for disk in disks if disk.size_bytes < gb_each * 10**9 * _SMALLEST_SHARE]
    if small:
        sizes = ", ".join(f"{_name(disk)} has {disk.size_bytes / 1e9:.0f} GB" for disk in small)
        raise DisksRefusedError(f"{sizes}; the type's disks have {gb_each} GB: replace the instance")


def _held(disks: Sequence[Disk], ours: str) -> ScratchPlan:
    """The disks are in use already: by one device over all of them that we know, or not at all."""
    holders = sorted({holder for disk in disks for holder in disk.holders})
    if len(holders) != 1 or any(not disk.holders for disk in disks):
        free = [_name(disk) for disk in disks if not disk.holders]
        missing = f"; not in it: {', '.join(free)}" if free else ""
        raise DisksRefusedError(
            f"the disks are held by {', '.join(holders)}{missing}; one volume over all of them was expected:"
            " replace the instance"
        )
    holder = holders[0]
    if holder.startswith("dm-"):
        return ScratchPlan(MAPPED, holder)
    foreign = [disk for disk in disks if not _is_ours(disk, ours)]
    if foreign or not holder.startswith("md"):
        raise DisksRefusedError(
            f"the disks are held by {holder}, which this bootstrap did not make ({_what(foreign or disks)}):"
            " nothing is written; stop it and wipe the disks by hand, or replace the instance"
        )
    return ScratchPlan(ACTIVE, holder)


def _is_ours(disk: Disk, ours: str) -> bool:
    found = disk.signature
    return found is not None and found.kind == RAID_MEMBER and same_uuid(found.uuid, ours)


def _what(disks: Sequence[Disk]) -> str:
    texts: List[str] = []
    for disk in disks:
        found = disk.signature
        what = f"{found.kind} {found.label}".strip() if found else f"partitions {', '.join(disk.partitions)}"
        texts.append(f"{_name(disk)} holds {what}")
    return "; ".join(texts)


def _name(disk: Disk) -> str:
    return f"{disk.device} ({disk.serial})" if disk.serial else disk.device
