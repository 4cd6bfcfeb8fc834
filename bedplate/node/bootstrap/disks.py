"""The instance-store disks of a node, found by what they say of themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import List, Optional, Tuple

from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.readers.pairs import read_pairs
from bedplate.node.bootstrap.step import StepFailedError

MODEL = "Amazon EC2 NVMe Instance Storage"
"""The model number of instance-store disks; an EBS volume is "Amazon Elastic Block Store" (EC2 User Guide,
"NVMe instance store volumes")."""
_NAMESPACE = re.compile(r"^nvme[0-9]+n[0-9]+$")
_SECTOR_BYTES = 512
_NOTHING_FOUND = 2


@dataclass(frozen=True)
class Signature:
    """What blkid finds on a device. ``kind`` is xfs, linux_raid_member, LVM2_member, a partition table …"""

    kind: str
    label: str = ""
    uuid: str = ""


@dataclass(frozen=True)
class Disk:
    """One disk: the kernel's name, its serial number, its size, who holds it open, and what is on it."""

    name: str
    serial: str
    size_bytes: int
    holders: Tuple[str, ...] = ()
    partitions: Tuple[str, ...] = ()
    signature: Optional[Signature] = None

    @property
    def device(self) -> str:
        """Its device file."""
        return f"/dev/{self.name}"


def instance_disks(host: Host) -> List[Disk]:
    """All instance-store disks, ordered by serial number, each looked at. Raises ``StepFailedError``."""
    names = [
        name
        for name in host.names("/sys/block")
        if _NAMESPACE.match(name) and _text(host, name, "device/model") == MODEL
    ]
    disks = [_disk(host, name) for name in names]
    return sorted(disks, key=lambda disk: (disk.serial, disk.name))


def signature_of(host: Host, device: str) -> Optional[Signature]:
    """What is on a device, None where nothing is. Raises ``StepFailedError`` where that cannot be told."""
    ran = host.run("blkid", "-p", "-o", "export", device, seconds=60)
    if ran.rc == _NOTHING_FOUND and not ran.stdout.strip():
        return None
    pairs = read_pairs(ran.stdout)
    kind = pairs.get("TYPE") or (f"partition table {pairs['PTTYPE']}" if "PTTYPE" in pairs else "")
    if ran.rc != 0 or not kind:
        raise StepFailedError(f"blkid cannot tell what is on {device} (status {ran.rc}): {ran.last_words}")
    return Signature(kind, pairs.get("LABEL", ""), pairs.get("UUID", ""))


def holders_of(host: Host, name: str) -> Tuple[str, ...]:
    """The block devices that are made of this one, e.g. ``md127``."""
    return tuple(host.names(f"/sys/block/{name}/holders"))


def _disk(host: Host, name: str) -> Disk:
    sectors = _text(host, name, "size")
    if not sectors.isdigit():
        raise StepFailedError(f"/sys/block/{name}/size holds {sectors!r}; a number of sectors was expected")
    return Disk(
        name=name,
        serial=_text(host, name, "device/serial"),
        size_bytes=int(sectors) * _SECTOR_BYTES,
        holders=holders_of(host, name),
        partitions=tuple(each for each in host.names(f"/sys/block/{name}") if each.startswith(f"{name}p")),
        signature=signature_of(host, f"/dev/{name}"),
    )


def _text(host: Host, name: str, attribute: str) -> str:
    return (host.read(f"/sys/block/{name}/{attribute}") or "").strip()
