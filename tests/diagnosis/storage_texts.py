"""What the tools of disks and file systems print on a healthy p5en, with one thing wrong on demand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from bedplate.diagnosis import storage_tools
from tests.diagnosis import texts

DISKS = tuple(f"nvme{number}n1" for number in range(1, 9))
SOURCE = "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com@tcp:/abcdef12"


def block_devices(
    names: Sequence[str] = DISKS, *, holder: str = "md127", sectors: int = 7_500_000_000
) -> list[dict[str, Any]]:
    """The probe's listing of /sys/block: an EBS volume and the instance store."""
    root = {"name": "nvme0n1", "model": "Amazon Elastic Block Store", "serial": "vol0", "sectors": 1}
    return [
        {**root, "holders": []},
        *(
            {
                "name": name,
                "model": "Amazon EC2 NVMe Instance Storage        ",
                "serial": f"AWS{name}",
                "sectors": sectors,
                "holders": [holder] if holder else [],
            }
            for name in names
        ),
    ]


def mount_list(*mounts: tuple[str, str, str], options: str = "rw,noatime") -> str:
    """``findmnt``'s JSON with the root and these (target, source, type)."""
    rows = [("/", "/dev/nvme0n1p1", "ext4"), *mounts]
    return json.dumps(
        {
            "filesystems": [
                {"target": target, "source": source, "fstype": kind, "options": options}
                for target, source, kind in rows
            ]
        },
        indent=3,
    )


MOUNTED = (("/scratch", "/dev/md127", "xfs"), ("/fsx", "10.0.1.7@tcp:/abcdef12", "lustre"))


def array_detail(*, state: str = "clean", active: int = 8, devices: int = 8, level: str = "raid0") -> str:
    """``mdadm --detail``."""
    members = "".join(
        f"       {number}     259        {number}        {number}      active sync   /dev/{name}\n"
        for number, name in enumerate(DISKS[:active])
    )
    return (
        "/dev/md/bedplate:\n"
        "           Version : 1.2\n"
        "     Creation Time : Mon Jan  5 08:00:00 2026\n"
        f"        Raid Level : {level}\n"
        "        Array Size : 29999480832 (27.94 TiB 30.72 TB)\n"
        f"      Raid Devices : {devices}\n"
        f"     Total Devices : {active}\n"
        "       Persistence : Superblock is persistent\n\n"
        f"             State : {state} \n"
        f"    Active Devices : {active}\n"
        f"   Working Devices : {active}\n"
        "    Failed Devices : 0\n"
        "     Spare Devices : 0\n\n"
        "        Chunk Size : 512K\n\n"
        "    Number   Major   Minor   RaidDevice State\n" + members
    )


def lnet(*, efas: int = 8, status: str = "up", messages: int = 100, tcp: int = 10, health: int = 1000) -> str:
    """``lnetctl net show -v``: loopback, TCP, and so many EFAs."""

    def interface(nid: str, device: str, count: int) -> str:
        return (
            f"        - nid: {nid}\n          status: {status if 'efa' in nid else 'up'}\n"
            f"          interfaces:\n              0: {device}\n          statistics:\n"
            f"              send_count: {count}\n              recv_count: {count}\n"
            "              drop_count: 0\n          health stats:\n"
            f"              health value: {health}\n"
        )

    text = "net:\n    - net type: lo\n      local NI(s):\n        - nid: 0@lo\n          status: up\n"
    text += "    - net type: tcp\n      local NI(s):\n" + interface("10.0.1.5@tcp", "ens32", tcp)
    if efas:
        text += "    - net type: efa\n      local NI(s):\n"
        text += "".join(interface(f"1.5.{n}.0@efa", f"rdmap{n}s0", messages) for n in range(efas))
    return text


def lfs_df(*, path: str = "/fsx", silent: Sequence[int] = (), osts: int = 4, summary: bool = True) -> str:
    """``lfs df`` of one file system."""
    lines = [
        "UUID                   1K-blocks        Used   Available Use% Mounted on",
        f"abcdef12-MDT0000_UUID   579633408        8192   579625216   1% {path}[MDT:0]",
    ]
    for number in range(osts):
        name = f"abcdef12-OST{number:04x}_UUID"
        lines.append(
            f"{name} : Resource temporarily unavailable"
            if number in silent
            else f"{name}  1125308416        8192  1125300224   1% {path}[OST:{number}]"
        )
    if summary:
        lines += ["", f"filesystem_summary:   4501233664       32768  4501200896   1% {path}", ""]
    return "\n".join(lines) + "\n"


def ost_states(*states: str) -> str:
    """``lctl get_param -n osc.*.ost_server_uuid``."""
    words = states or ("FULL", "IDLE", "FULL", "FULL")
    return "".join(f"abcdef12-OST{number:04x}_UUID\t{state}\n" for number, state in enumerate(words))


NFS_DF = (
    "Filesystem     1024-blocks  Used  Available Capacity Mounted on\n"
    "fs-1.fsx.us-west-2.amazonaws.com:/fsx 1073741824 4096 1073737728 1% /home\n"
)


def disk_speed(
    *,
    place: str = "/scratch",
    run: str = "run",
    write_gb: float = 10.0,
    read_gb: float = 20.0,
    **changes: Any,
) -> str:
    """An answer of ``disk-speed``; speeds in GB/s."""
    count = 16 * 1024**3
    answer = {
        "schema": 1,
        "place": place,
        "run": run,
        "direct": True,
        "asked_bytes": count,
        "write": {"bytes": count, "seconds": count / write_gb / 1e9},
        "read": {"bytes": count, "seconds": count / read_gb / 1e9, "wrong_blocks": 0},
        "problem": "",
        "removed": True,
    }
    return json.dumps({**answer, **changes})


def speed_run(stdout: str, **changes: Any) -> dict[str, Any]:
    """A stage's run of ``disk-speed``."""
    return {**texts.tool((storage_tools.DISK_SPEED, "disk-speed"), stdout), **changes}


def storage_probe() -> dict[tuple[str, ...], str]:
    """What a healthy node's tools of disks and file systems print."""
    return {
        storage_tools.MOUNTS: mount_list(*MOUNTED),
        storage_tools.MDADM: array_detail(),
        storage_tools.LNET: lnet(),
        storage_tools.LFS_DF: lfs_df(),
        storage_tools.OST_STATES: ost_states(),
        storage_tools.NFS_DF: NFS_DF,
    }
