"""How the nccl-tests binaries are called over nodes; inside a node see ``bedplate.diagnosis.tools``."""

from __future__ import annotations

from typing import Dict, Mapping, Tuple

# Collective → nccl-tests binary.
BINARIES: Mapping[str, str] = {
    "all_gather": "all_gather_perf",
    "all_reduce": "all_reduce_perf",
    "alltoall": "alltoall_perf",
    "reduce_scatter": "reduce_scatter_perf",
}

# From 8 B to 16 GiB by doubling; 20 iterations after 5 to warm up; data checked.
_SWEEP = ("-b", "8", "-e", "16G", "-f", "2")
_EFFORT = ("-n", "20", "-w", "5", "-c", "1")


def between_nodes_argv(*, collective: str) -> Tuple[str, ...]:
    """One process a GPU, started by srun."""
    return (BINARIES[collective], *_SWEEP, "-g", "1", *_EFFORT)


def between_nodes_environment() -> Dict[str, str]:
    """NCCL must say which transport it uses; without that a fast number proves nothing."""
    return {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET"}
