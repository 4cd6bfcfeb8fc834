"""Labels that alerts keep. Those of a job would make a new alert of an old fault with each job."""

from __future__ import annotations

CLUSTER = "environment, cluster"
ON = f"{CLUSTER}, node"
"""What tells a node, whatever else a series says of it."""
POOL = f"{CLUSTER}, pool"
NODE = f"{POOL}, instance_type, zone, instance_id, node"
GPU = f"{NODE}, gpu, pci_bus_id"
JOB = f"{CLUSTER}, hpc_job"


def per_gpu(expression: str) -> str:
    """One series for each GPU, whichever job it works for."""
    return f"max by ({GPU}) ({expression})"


def per_node(expression: str) -> str:
    """One series for each node."""
    return f"max by ({NODE}) ({expression})"


ON_NODE = "{{ $labels.node }} ({{ $labels.instance_id }})"
ON_GPU = "{{ $labels.node }} ({{ $labels.instance_id }}), GPU {{ $labels.gpu }} at {{ $labels.pci_bus_id }}"
