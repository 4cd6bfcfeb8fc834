"""The command lines that tell of a node's disks and file systems; see ``bedplate.diagnosis.tools``."""

from __future__ import annotations

from dataclasses import dataclass

ARRAY = "/dev/md/bedplate"
"""The RAID 0 array that the bootstrap makes of the instance-store disks."""
SCRATCH = "/scratch"
"""Where it is mounted."""

MOUNTS = ("findmnt", "--json", "--list", "--output", "TARGET,SOURCE,FSTYPE,OPTIONS")
MDADM = ("mdadm", "--detail", ARRAY)
LNET = ("lnetctl", "net", "show", "-v")
LFS_DF = ("lfs", "df")
OST_STATES = ("lctl", "get_param", "-n", "osc.*.ost_server_uuid")
LLITE_STATS = ("lctl", "get_param", "llite.*.stats")
"""What the node's programs did on each Lustre file system."""
NFS_DF = ("df", "-P", "-k", "-t", "nfs4")
"""A server that does not answer lets it hang, which ends at the deadline."""

STORAGE_TOOLS = (MOUNTS, MDADM, LNET, LFS_DF, OST_STATES, NFS_DF)

_LEAST_MIB, _MOST_MIB, _MOST_MIB_IN_ALL = 256, 4_096, 262_144
DISK_SPEED = "bedplate-disk-speed"
"""The node program's own ``disk-speed``, by the name under which its runs are found."""


@dataclass(frozen=True)
class DiskLoad:
    """What is written and read back: ``mib`` in all by ``files`` threads, each direction at most ``seconds``
    long, in a folder below ``place`` that ``run_id`` names. ``nodes`` do the same on it at once.
    """

    place: str
    run_id: str
    files: int
    mib: int
    seconds: float
    nodes: int = 1


def nvme_load(*, place: str, run_id: str) -> DiskLoad:
    """16 GiB: more than the caches of eight disks, a few seconds' work."""
    return DiskLoad(place, run_id, files=16, mib=16_384, seconds=40.0)


def lustre_load(*, place: str, run_id: str, nodes: int = 1) -> DiskLoad:
    """4 GiB a node, less where more than 64 nodes do it at once: 256 GiB in all, or 256 MiB a node."""
    mib = max(_LEAST_MIB, min(_MOST_MIB, _MOST_MIB_IN_ALL // max(nodes, 1)))
    return DiskLoad(place, run_id, files=8, mib=mib, seconds=60.0, nodes=nodes)


def disk_speed_argv(load: DiskLoad) -> tuple[str, ...]:
    """The command line of one run; the node program takes it without the name."""
    return (
        DISK_SPEED,
        "disk-speed",
        "--place",
        load.place,
        "--run",
        load.run_id,
        "--files",
        str(load.files),
        "--mib",
        str(load.mib),
        "--seconds",
        f"{load.seconds:g}",
        "--nodes",
        str(load.nodes),
    )
