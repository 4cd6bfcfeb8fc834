"""Which alerts tell of each kind of fault, and why none does of the others: data, held against the kinds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ALERTS_BY_FAULT: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "efa-device-lost": ("EfaMissing", "NcclSlower"),
        "efa-device-slow": ("NcclSlower",),
        "efa-fallback-socket": ("EfaSilent", "NcclSlower", "TrainingSlower"),
        "gpu-lost": ("GpuMissing",),
        "row-remap-failure": ("GpuRowRemapFailed",),
        "ecc-uncorrected": ("GpuUncorrectedEcc",),
        "nvlink-down": ("GpuNvlinkRecovery", "GpuNvlinkRecoveryFailed", "GpuFabricUnhealthy"),
        "nvlink-slow": ("NcclSlower",),
        "link-slow": ("NcclSlower",),
        "leaf-slow": ("NcclSlower",),
        "fabric-configuration": ("NcclSlower", "TrainingSlower"),
        "half-configuration": ("NcclSlower", "TrainingSlower"),
        "slow-together": ("NcclSlower", "TrainingSlower"),
        "node-unreachable": ("NodeDown", "EfaTimeouts"),
        "collective-hang": ("JobSpins", "JobStalled", "TrainingStopped"),
        "collective-crash": ("TrainingStopped", "JobSpins", "JobStalled"),
        "efa-device-faulty": ("NcclSlower",),
        "efa-errors": ("EfaTimeouts",),
        "clock-wrong": ("ClockOff",),
        "huge-pages-missing": ("NodeNoHugePages",),
        "pcie-degraded": ("GpuPcieLinkNarrow",),
        "gpu-throttled": (
            "GpuHardwareSlowdown",
            "GpuNearSlowdown",
            "GpuThermalThrottle",
            "GpuStraggler",
            "TrainingSlower",
        ),
        "gpu-clocks-limited": ("GpuPowerLimitLow", "GpuStraggler"),
        "persistence-off": ("NodeServiceStopped",),
        "fabric-manager-down": ("NodeServiceFailed", "GpuFabricUnhealthy"),
        "gpu-slow": ("GpuStraggler", "TrainingSlower"),
        "nvlink-errors": (
            "GpuNvlinkRecovery",
            "GpuNvlinkCrc",
            "GpuNvlinkReplays",
            "GpuNvlinkErrors",
        ),
        "imex-down": ("NodeServiceFailed",),
        "nvme-disk-lost": ("NodeArrayDegraded", "NodeVolumeGone"),
        "scratch-volume": ("NodeVolumeGone",),
        "file-system-not-mounted": ("LustreNotMounted",),
        "disk-full": ("NodeDiskNearlyFull",),
        "wrong-plugin": ("EfaSilent", "NcclSlower", "TrainingSlower"),
        "xid-48": ("GpuXidReset", "GpuRecoveryAction", "GpuUncorrectedEcc"),
        "xid-63": ("GpuXidNoted", "GpuResetPending"),
        "xid-64": ("GpuXidReplace", "GpuRecoveryAction"),
        "xid-74": ("GpuXidReset", "GpuRecoveryAction"),
        "xid-79": ("GpuXidReplace", "GpuRecoveryAction", "GpuMissing"),
        "xid-94": ("GpuXidNoted",),
        "xid-95": ("GpuXidReset", "GpuRecoveryAction", "GpuUncorrectedEcc"),
        "xid-119": ("GpuXidReset", "GpuRecoveryAction"),
    }
)
"""Kind → the alert that tells of it, then those that may fire beside it. Those on a job need one that ran
before the fault and goes on: what was slow from the beginning is slow to nobody.
"""

BY_VALIDATION: Mapping[str, str] = MappingProxyType(
    {
        "gpu-other-model": "no metric has the model of a GPU",
        "dcgm-hardware": "only DCGM's own test under load shows it",
        "gdrcopy-off": "nothing counts copies that went another way",
        "software-incompatible": "versions are no metrics",
        "version-skew": "versions are no metrics",
        "gpu-memory-slow": "nothing counts the speed of a memory that is not loaded to its limit",
        "nvme-slow": "a disk that is not loaded to its limit looks alike",
        "file-system-unreachable": "a client that waits for its servers counts nothing; its job may stall",
        "file-system-slow": "clients count what they got, not what they could have; FSx has its own alarms",
        "association-broken": "it is between FSx and S3: an alarm of CloudWatch tells of exports that lag",
        "lustre-over-tcp": "the client counts the same bytes over TCP",
        "lnet-efa-missing": "the client counts the same bytes over fewer devices",
    }
)
"""Kind → why no metric of a node tells of it. ``ValidationFailed`` names it after the next validation."""

UNTOLD: Mapping[str, str] = MappingProxyType(
    {
        "agent-lost": "it is a run's own answer that is lost: the node is well. ValidationOpen tells of it",
        "dcgm-skip": "a test was skipped, and nothing has failed. ValidationOpen tells of it",
        "log-cut": "a log of one run is cut, and nothing has failed. ValidationOpen tells of it",
    }
)
"""Kind → why no alert names it. A validation with it is not passed, and blames nobody."""
