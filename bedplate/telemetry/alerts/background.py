"""What is worth knowing of an alert beside its own texts: for its runbook."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_XID = (
    "The kernel log is the source; dcgm-exporter's count of the last five minutes stands in where the "
    "log is not read. The counter begins at 1 and ends with the next boot, so the alert lasts until "
    "the node is mended. The same code again after a reset of the same GPU is a case for a "
    "replacement, whatever its class."
)

BACKGROUND: Mapping[str, str] = MappingProxyType(
    {
        "GpuXidReplace": _XID,
        "GpuXidReboot": _XID,
        "GpuXidReset": _XID,
        "GpuXidNoted": (
            "Xid 63 is the repair that works: a row was remapped, which takes effect at the next "
            "reset. Xid 94 is an error that was contained: the program that touched the page has "
            "died, and no other."
        ),
        "GpuMissing": (
            "A GPU that falls off the bus takes its metrics with it, and every rule on them falls "
            "silent. Only a count that is held against the type tells of it. The exporter's index of "
            "the other GPUs may shift; the PCI address does not."
        ),
        "GpuExporterDown": (
            "A driver that hangs lets DCGM hang, and with it the exporter. `nvidia-smi` hangs then "
            "too: use `timeout 20 nvidia-smi`. Where it answers, the exporter itself is at fault, and "
            "a restart mends it."
        ),
        "NodeDown": (
            "Three things tell of it: no exporter answers; Slurm has the node down; or its metrics "
            "have ended while Slurm still counts on it. The last is for agents that run on the node "
            "itself, whose `up` ends with them; it cannot be told where there is no Slurm. A node "
            "that Slurm powers down or reboots, and one that Bedplate has drained, is silent. So is "
            "one of which another page told within the hour, since it is rebooted or replaced for "
            "that."
        ),
        "GpuHardwareSlowdown": (
            "The power limit of software (`power_cap`) is no such event: at full load a GPU runs at "
            "its limit all the time, and that is normal."
        ),
        "GpuThermalThrottle": (
            "The counters of violations are nanoseconds, whatever older help texts say: their rate "
            "over 1e9 is a share of time."
        ),
        "EfaSilent": (
            "GPU utilization counts kernels that wait as work, so a collective over TCP and one that "
            "hangs both look busy. A job of several nodes that truly sends nothing to others, such as "
            "a sweep of single-node trials under one allocation, fires this alert too."
        ),
        "JobStalled": (
            "SM activity is asked, not GPU utilization: that shows 100 % for a collective that hangs."
        ),
        "JobSpins": (
            "A collective that waits keeps some SMs busy, so that SM activity alone may not show it; "
            "the tensor cores do nothing. Where profiling fields are off, power far below that of the "
            "job's better hours tells the same."
        ),
        "GpuCorrectedEccRate": ("No source states a rate that is bad. The driver's own signal is Xid 92."),
        "TelemetryLost": (
            "It looks for metrics that ended while jobs ran ten minutes before. A cluster that was "
            "scaled to zero has been without jobs for as long, and is silent. The watchdog's alarm "
            "tells when the rules themselves stop."
        ),
        "LustreNearlyFull": (
            "Clients see the sum of all storage targets. One full target gives `No space left on "
            "device` on a file system that is half empty: the alarm on the fullest target is "
            "CloudWatch's."
        ),
        "SeriesNearQuota": (
            "Series are counted by what scrapes bring, which leaves out recorded ones. AMP counts a "
            "series as active for two hours, so a fleet that is replaced counts twice."
        ),
    }
)
"""Alert → a paragraph."""
