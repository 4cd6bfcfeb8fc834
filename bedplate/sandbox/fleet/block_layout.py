"""The kernel's view of a node's disks in its root tree: an EBS volume, and the type's instance store."""

from __future__ import annotations

from bedplate.hardware import instance_type
from bedplate.sandbox.fleet.truth import NodeTruth

_EBS = "Amazon Elastic Block Store"
_INSTANCE_STORE = "Amazon EC2 NVMe Instance Storage"
_EBS_GB = 200


def write_disks(truth: NodeTruth) -> None:
    """Write ``sys/block`` and the device files; every disk is blank, as EC2 hands it over."""
    _write_disk(truth, 0, _EBS, f"vol{truth.instance_id.removeprefix('i-')}", _EBS_GB)
    count = truth.hardware.nvme_count
    if not count:
        return
    size_gb = instance_type(truth.instance_type).nvme_gb_each
    for number in range(count):
        serial = f"AWS{int(truth.instance_id[-6:], 16):08X}{number:09X}"
        _write_disk(truth, number + 1, _INSTANCE_STORE, serial, size_gb)


def settle_disks(truth: NodeTruth) -> None:
    """Take away the disks that are lost and give back those that no longer are; an array on them goes on
    without, as the kernel lets it.
    """
    away = truth.folder / "lost-disks"
    for number in range(truth.hardware.nvme_count):
        name = f"nvme{number + 1}n1"
        lost = number in truth.effects.lost_disks
        for kind in ("sys/block", "dev"):
            here, there = truth.root / kind / name, away / kind / name
            source, target = (here, there) if lost else (there, here)
            if source.exists() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                source.rename(target)


def _write_disk(truth: NodeTruth, number: int, model: str, serial: str, size_gb: int) -> None:
    name = f"nvme{number}n1"
    folder = truth.root / "sys/block" / name
    (folder / "device").mkdir(parents=True)
    (folder / "holders").mkdir()
    # The kernel pads both to the width of their fields.
    (folder / "device/model").write_text(f"{model:<40}\n", encoding="ascii")
    (folder / "device/serial").write_text(f"{serial:<20}\n", encoding="ascii")
    (folder / "size").write_text(f"{size_gb * 10**9 // 512}\n", encoding="ascii")
    (truth.root / "dev" / name).touch()
