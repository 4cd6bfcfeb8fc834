"""How the nccl-tests binaries are called over nodes; inside a node see ``bedplate.diagnosis.tools``.

The transport is forced, so that NCCL fails where it cannot have it rather than take another in silence:

- ``NCCL_NET`` names the one network that may be used; no other is fallen back to (NVIDIA/nccl
  ``src/plugin/net.cc``: "Failed to initialize any NET plugin", "network … not found" in older versions).
  aws-ofi-nccl was called "AWS Libfabric" up to 1.12 and is called "Libfabric" since, but answers to the
  old name where ``NCCL_NET`` gives it (``src/nccl_ofi_interface_nvidia.cpp``): it fits every version.
- ``NCCL_MNNVL_ENABLE`` is 0 where EFA is to be measured between nodes that share NVLink, and 1 where
  NVLink is: NCCL then asks for it, and ends where it is there and does not work; where NCCL sees none it
  goes on without (``src/mnnvl.cc``), so that the log must prove it (NCL-004).
- ``NCCL_NET_PLUGIN`` stays unset: the EFA installer names the plugin as NCCL looks for it,
  ``libnccl-net.so``, and enters its folder with the loader (``/etc/ld.so.conf.d/100_ofinccl.conf``), so
  that no ``LD_LIBRARY_PATH`` is needed. Nor is ``SLURM_CONF``: clients find what sackd has fetched in
  ``/run/slurm/conf`` (AWS PCS User Guide, "Configless mode"). Where either is set it is handed on.
"""

from __future__ import annotations

from typing import Dict, Mapping, Tuple

# Collective → nccl-tests binary. Those whose bus bandwidth tells the ranks: broadcast, reduce and sendrecv
# have the factor 1 whatever their number, so that their table could not prove how many ran.
BINARIES: Mapping[str, str] = {
    "all_gather": "all_gather_perf",
    "all_reduce": "all_reduce_perf",
    "alltoall": "alltoall_perf",
    "reduce_scatter": "reduce_scatter_perf",
}

PLUGIN_NETWORK = "AWS Libfabric"
"""A name that every version of aws-ofi-nccl answers to."""

# Path between nodes that was asked for → what forces it; empty for types whose nodes share no NVLink.
PATHS: Mapping[str, Mapping[str, str]] = {
    "": {},
    "efa": {"NCCL_MNNVL_ENABLE": "0"},
    "nvlink": {"NCCL_MNNVL_ENABLE": "1"},
}

# From 8 B to 16 GiB by doubling; 20 iterations after 5 to warm up; data checked.
_SWEEP = ("-b", "8", "-e", "16G", "-f", "2")
_EFFORT = ("-n", "20", "-w", "5", "-c", "1")


def between_nodes_argv(*, collective: str) -> Tuple[str, ...]:
    """One process a GPU, started by srun."""
    return (BINARIES[collective], *_SWEEP, "-g", "1", *_EFFORT)


def between_nodes_environment(*, path: str = "") -> Dict[str, str]:
    """NCCL may use one transport only, and must say which; without that a fast number proves nothing."""
    return {
        "NCCL_DEBUG": "INFO",
        "NCCL_DEBUG_SUBSYS": "INIT,NET",
        "NCCL_NET": PLUGIN_NETWORK,
        **PATHS[path],
    }
