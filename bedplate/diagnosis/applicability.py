"""Which checks a type of instance must pass: what applies by the hardware table, nothing by a check's own
wish.
"""

from __future__ import annotations

from bedplate.hardware import InstanceType


def required_checks(instance_type: InstanceType, *, dcgm_level: int, nodes: int) -> tuple[str, ...]:
    """The ids of the checks that ``nodes`` nodes of a type must pass, sorted.

    Per node: NOD-001, NOD-002, GPU-001 to GPU-004, DCG-001 (and DCG-002 from level 2 on), NVL-001 where GPUs
    have NVLinks, EFA-001 where the type has EFA, NCL-001 where a node has two GPUs or more. For the
    cluster, from two nodes with EFA on: NCL-002, NCL-003, FAB-001, FAB-002.
    """
    ids = {"NOD-001", "NOD-002", "GPU-001", "GPU-002", "GPU-003", "GPU-004", "DCG-001"}
    if dcgm_level >= 2:
        ids.add("DCG-002")
    if instance_type.has_nvlink:
        ids.add("NVL-001")
    if instance_type.gpus > 1:
        ids.add("NCL-001")
    if instance_type.efa_count > 0:
        ids.add("EFA-001")
        if nodes > 1:
            ids.update({"NCL-002", "NCL-003", "FAB-001", "FAB-002"})
    return tuple(sorted(ids))
