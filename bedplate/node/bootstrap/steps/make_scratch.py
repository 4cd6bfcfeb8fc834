"""One RAID 0 array over all instance-store disks, mounted at ``/scratch``; never formatted twice."""

from __future__ import annotations

from typing import List, Optional

from bedplate.node.bootstrap import dlami, packages, scratch_plan
from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.disks import Disk, holders_of, instance_disks, signature_of
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.readers.mount_table import mounted_at
from bedplate.node.bootstrap.readers.pairs import read_pairs
from bedplate.node.bootstrap.scratch_plan import DisksRefusedError, ScratchPlan, plan_scratch, same_uuid
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, StepFailedError

SCRATCH = "/scratch"
ARRAY = "/dev/md/bedplate"
LABEL = "bedplate"
_OPTIONS = "noatime,discard"
"""``discard`` as the EC2 User Guide advises for instance store ("SSD instance store volumes", TRIM)."""


def _why_not(settings: NodeSettings) -> str:
    if settings.local_nvme != "raid0":
        return "the environment leaves the disks alone"
    return "" if settings.nvme_count else "no instance-store disks on this node"


def _run(host: Host, settings: NodeSettings) -> str:
    dlami.settle(host)
    disks = instance_disks(host)
    ours = scratch_plan.array_uuid(host.instance_id)
    try:
        plan = plan_scratch(disks, count=settings.nvme_count, gb_each=settings.nvme_gb_each, ours=ours)
    except DisksRefusedError as refused:
        raise StepFailedError(str(refused)) from refused
    host.log.say(f"scratch: {plan.action} {plan.holder}".rstrip())
    if plan.action == scratch_plan.MAPPED:
        return _bind(host, plan)
    return _mount_array(host, plan, disks, ours)


def _bind(host: Host, plan: ScratchPlan) -> str:
    """The image's own volume over all disks is taken as it is, and so is ParallelCluster's, which is made in
    the same way and mounted at ``/scratch`` itself.
    """
    over = mounted_at(host.read("/proc/mounts") or "", SCRATCH)
    if over is not None and over.source in dlami.names_of(host, plan.holder):
        host.path(SCRATCH).chmod(0o1777)
        return f"the volume {over.source} over all disks was mounted already"
    source = dlami.mounted_from(host, plan.holder)
    if over is None:
        _make_mount_point(host)
        must(host, "mount", "--bind", dlami.MOUNT, SCRATCH)
    else:
        raise StepFailedError(f"{over.source} is mounted at {SCRATCH}, not {source}: unmount it")
    host.path(SCRATCH).chmod(0o1777)
    return f"the image's volume {source} over all disks"


def _mount_array(host: Host, plan: ScratchPlan, disks: List[Disk], ours: str) -> str:
    packages.ensure(host, program="mdadm", apt="mdadm", dnf="mdadm")
    holder = plan.holder or _bring_up(host, plan, disks, ours)
    device = f"/dev/{holder}"
    _check_array(host, device, len(disks), ours)
    over = mounted_at(host.read("/proc/mounts") or "", SCRATCH)
    if over is not None:
        if not _names(host, over.source, device):
            raise StepFailedError(f"{over.source} is mounted at {SCRATCH}, not {device}: unmount it")
        return f"{device} was mounted already"
    formatted = _format(host, device)
    _make_mount_point(host)
    must(host, "mount", "-o", _OPTIONS, device, SCRATCH)
    host.path(SCRATCH).chmod(0o1777)
    return f"{len(disks)} disks in {device}, {formatted}"


def _bring_up(host: Host, plan: ScratchPlan, disks: List[Disk], ours: str) -> str:
    devices = [disk.device for disk in disks]
    if plan.action == scratch_plan.ASSEMBLE:
        must(host, "mdadm", "--assemble", ARRAY, f"--uuid={ours}", *devices, seconds=120)
    else:
        must(
            host,
            "mdadm",
            "--create",
            ARRAY,
            "--run",
            "--force",
            "--level=0",
            "--metadata=1.2",
            "--homehost=any",
            f"--name={LABEL}",
            f"--uuid={ours}",
            f"--raid-devices={len(devices)}",
            *devices,
            seconds=120,
        )
    holders = {holders_of(host, disk.name) for disk in disks}
    if len(holders) != 1 or len(next(iter(holders))) != 1:
        raise StepFailedError(f"mdadm ended well, but the disks are held by {sorted(holders)}")
    return next(iter(holders))[0]


def _check_array(host: Host, device: str, count: int, ours: str) -> None:
    """What is up is what was asked for: level, number of disks, identity."""
    found = read_pairs(must(host, "mdadm", "--detail", "--export", device).stdout)
    level, disks, name = (found.get(key, "") for key in ("MD_LEVEL", "MD_DEVICES", "MD_UUID"))
    if level != "raid0" or disks != str(count) or not same_uuid(name, ours):
        raise StepFailedError(
            f"{device} is {level or 'unknown'} over {disks or '?'} disks with UUID {name or 'unknown'};"
            f" raid0 over {count} with UUID {ours} was expected"
        )


def _format(host: Host, device: str) -> str:
    """Make the file system where there is none. mkfs.xfs without -f refuses what it takes for data."""
    found = signature_of(host, device)
    if found is None:
        # -K: instance store comes trimmed, and trimming it again takes minutes.
        must(host, "mkfs.xfs", "-K", "-L", LABEL, device, seconds=300)
        return "formatted"
    if (found.kind, found.label) != ("xfs", LABEL):
        raise StepFailedError(
            f"{device} holds {found.kind} {found.label}".rstrip() + ", which this bootstrap did not make"
        )
    return "its file system kept"


def _names(host: Host, source: str, device: str) -> bool:
    """Whether the source of a mount is the device, by name or by a link such as ``/dev/md/bedplate``."""
    if source == device:
        return True
    link: Optional[str] = None
    try:
        link = host.path(source).resolve().name
    except OSError:
        return False
    return link == device.rpartition("/")[2]


def _make_mount_point(host: Host) -> None:
    host.path(SCRATCH).mkdir(mode=0o755, parents=True, exist_ok=True)


STEP = Step("make_scratch", _why_not, _run)
