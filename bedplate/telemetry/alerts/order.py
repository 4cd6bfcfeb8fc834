"""Which of several pages of one node wakes somebody: the first here, with the others as its consequences."""

from __future__ import annotations

PAGES_OF_A_NODE = (
    "NodeDown",
    "GpuXidReplace",
    "GpuXidReboot",
    "GpuXidReset",
    "GpuNvlinkXid",
    "GpuRecoveryAction",
    "GpuRowRemapFailed",
    "GpuUncorrectedEcc",
    "GpuNvlinkRecoveryFailed",
    "NodeArrayDegraded",
    "GpuMissing",
    "NodeServiceFailed",
    "GpuExporterDown",
    "GpuHardwareSlowdown",
    "GpuNearSlowdown",
    "GpuFabricUnhealthy",
    "GpuPcieLinkNarrow",
    "EfaMissing",
    "NodeFileSystemReadOnly",
    "LustreNotMounted",
)
"""What is nearest to the cause stands first, and is true no later than what follows from it."""
