"""The GPU tools that a node is asked to run beside ``nvidia-smi``'s table, by their exact command lines."""

from __future__ import annotations

NVIDIA_SMI_DETAILS = ("nvidia-smi", "-q", "-x")
FABRIC_MANAGER = "nvidia-fabricmanager.service"
# One unit alone: of several, lines could be taken for another's.
FABRIC_MANAGER_UNIT = ("systemctl", "show", "--property=Id,LoadState,ActiveState", FABRIC_MANAGER)

GPU_TOOLS = (NVIDIA_SMI_DETAILS, FABRIC_MANAGER_UNIT)
"""Those of the probe."""
