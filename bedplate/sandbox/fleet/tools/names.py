"""Which stand-ins a node has, and the module that plays each."""

from __future__ import annotations

# Tool → (module of this package, where it is found: everywhere, on GPU nodes, or where jobs are started).
_EVERYWHERE, _GPU_NODES, _LOGIN = "everywhere", "gpu", "login"

COLLECTIVE_TOOLS = (
    "all_gather_perf",
    "all_reduce_perf",
    "alltoall_perf",
    "broadcast_perf",
    "reduce_perf",
    "reduce_scatter_perf",
    "sendrecv_perf",
)

TOOLS: dict[str, tuple[str, str]] = {
    "nvidia-smi": ("nvidia_smi", _GPU_NODES),
    "dcgmi": ("dcgmi", _GPU_NODES),
    "nvbandwidth": ("nvbandwidth", _GPU_NODES),
    "nvidia-imex-ctl": ("nvidia_imex_ctl", _GPU_NODES),
    "fi_info": ("fi_info", _GPU_NODES),
    "fi_pingpong": ("fi_pingpong", _GPU_NODES),
    "ibv_devices": ("ibv_devices", _GPU_NODES),
    "gdrcopy_sanity": ("gdrcopy", _GPU_NODES),
    "gdrcopy_copybw": ("gdrcopy", _GPU_NODES),
    "chronyc": ("chronyc", _EVERYWHERE),
    "sysctl": ("sysctl", _EVERYWHERE),
    "modinfo": ("modinfo", _EVERYWHERE),
    "journalctl": ("journalctl", _EVERYWHERE),
    "uname": ("uname", _EVERYWHERE),
    "hostname": ("hostname", _EVERYWHERE),
    "scontrol": ("scontrol", _EVERYWHERE),
    "sinfo": ("sinfo", _EVERYWHERE),
    "squeue": ("squeue", _LOGIN),
    "srun": ("srun", _LOGIN),
    "scancel": ("scancel", _LOGIN),
    "aws": ("aws", _EVERYWHERE),
    "ip": ("ip", _EVERYWHERE),
    "lnetctl": ("lnetctl", _EVERYWHERE),
    "bedplate-disk-speed": ("disk_speed", _EVERYWHERE),
    "blkid": ("blkid", _EVERYWHERE),
    "df": ("df", _EVERYWHERE),
    "findmnt": ("findmnt", _EVERYWHERE),
    "lctl": ("lctl", _EVERYWHERE),
    "lfs": ("lfs", _EVERYWHERE),
    "mdadm": ("mdadm", _EVERYWHERE),
    "mkfs.xfs": ("mkfs_xfs", _EVERYWHERE),
    "modprobe": ("modprobe", _EVERYWHERE),
    "mount": ("mount", _EVERYWHERE),
    "mount.efs": ("mount_helper", _EVERYWHERE),
    "mount.lustre": ("mount_helper", _EVERYWHERE),
    "mount.nfs4": ("mount_helper", _EVERYWHERE),
    "mountpoint": ("mountpoint", _EVERYWHERE),
    "enroot": ("enroot", _EVERYWHERE),
    "nvidia-container-cli": ("enroot", _GPU_NODES),
    "dcgm-exporter": ("exporters", _GPU_NODES),
    "node_exporter": ("exporters", _EVERYWHERE),
    "vmagent": ("exporters", _EVERYWHERE),
    "systemctl": ("systemctl", _EVERYWHERE),
    "groupadd": ("shadow_utils", _EVERYWHERE),
    "useradd": ("shadow_utils", _EVERYWHERE),
    "usermod": ("shadow_utils", _EVERYWHERE),
    **dict.fromkeys(COLLECTIVE_TOOLS, ("nccl_tests", _GPU_NODES)),
}


def tools_of(role: str, *, gpus: int) -> tuple[str, ...]:
    """The names of the stand-ins on a node of this role with this many GPUs."""
    places = {_EVERYWHERE}
    if gpus:
        places.add(_GPU_NODES)
    if role == "login":
        places.add(_LOGIN)
    return tuple(sorted(name for name, (_, place) in TOOLS.items() if place in places))
