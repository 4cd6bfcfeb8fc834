"""The Deep Learning AMIs' own scratch: a service that makes one LVM volume of the instance-store disks.

``dlami-nvme.service`` is a oneshot after network-online.target, ordered neither before nor after user data,
so at a first boot it may have ended, be at work, or wait (awslabs/awsome-distributed-ai, LifecycleScripts
``install_enroot_pyxis.sh``, waits for it). Its script comes from aws/aws-parallelcluster-cookbook
``setup-ephemeral-drives.sh``: a volume ``vg.01/lv_ephemeral`` striped over all disks, which is RAID 0 by
another name, with ext4, mounted at ``/opt/dlami/nvme``.
"""

from __future__ import annotations

from typing import Tuple

from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.readers.mount_table import mounted_at
from bedplate.node.bootstrap.readers.pairs import read_pairs
from bedplate.node.bootstrap.step import StepFailedError

MOUNT = "/opt/dlami/nvme"
UNIT = "dlami-nvme.service"
_WAITS = 24
_WAIT_SECONDS = 5.0


def settle(host: Host) -> None:
    """See to it that the image's service is not at the disks while we are: let it end, or never begin."""
    for _ in range(_WAITS):
        state = _state(host)
        if state in ("none", "ended"):
            return
        if state == "waiting":
            host.run("systemctl", "mask", UNIT)
            if _state(host) == "none":
                return
        host.pause(_WAIT_SECONDS)
    raise StepFailedError(f"{UNIT} of the image did not end within {_WAITS * _WAIT_SECONDS:.0f} s")


def mounted_from(host: Host, holder: str) -> str:
    """The source of the mount at ``/opt/dlami/nvme``, which must be ``holder`` (a ``dm-`` device)."""
    over = mounted_at(host.read("/proc/mounts") or "", MOUNT)
    volume = (host.read(f"/sys/block/{holder}/dm/name") or "").strip()
    if over is None:
        raise StepFailedError(
            f"the volume {volume or holder} holds the disks and is not mounted at {MOUNT}: mount it, or"
            " replace the instance"
        )
    if over.source not in names_of(host, holder):
        raise StepFailedError(f"{over.source} is mounted at {MOUNT}, the disks are in {volume or holder}")
    return over.source


def names_of(host: Host, holder: str) -> Tuple[str, ...]:
    """The names by which the table of mounts may call a ``dm-`` device."""
    volume = (host.read(f"/sys/block/{holder}/dm/name") or "").strip()
    return (*((f"/dev/mapper/{volume}",) if volume else ()), f"/dev/{holder}")


def _state(host: Host) -> str:
    """``none`` (not there, or masked or disabled), ``waiting`` (not begun), ``running`` or ``ended``."""
    ran = host.run(
        "systemctl",
        "show",
        UNIT,
        "--property=LoadState,ActiveState,UnitFileState,ExecMainExitTimestampMonotonic",
    )
    if not ran.ok:
        raise StepFailedError(f"systemctl cannot tell about {UNIT}: {ran.last_words}")
    found = read_pairs(ran.stdout)
    if found.get("LoadState") != "loaded":
        return "none"
    active = found.get("ActiveState", "")
    if active in ("active", "failed"):
        return "ended"
    if active != "inactive":
        return "running"
    if found.get("ExecMainExitTimestampMonotonic", "0") not in ("", "0"):
        return "ended"
    return "waiting" if found.get("UnitFileState", "").startswith("enabled") else "none"
