"""Which collective shows a lost or slow network device between two nodes.

A pair's all-reduce is reduced inside each node first, so it can be as fast as the NVLinks allow while a
third of the network stands idle; a moderate loss then hides behind a good number. Where the fastest
all-reduce published inside one node is below what the network would allow between two, the NVLinks are the
limit, and all-gather, which every byte must cross the network for, is the detector.
"""

from __future__ import annotations

from bedplate.hardware import NVLINK, PUBLISHED, InstanceType, bandwidth_ceiling

HEADLINE = "all_reduce"
NETWORK_BOUND = "all_gather"


def pair_collective(instance_type: InstanceType) -> str:
    """``all_gather`` where a pair's all-reduce hides a network loss, or where nothing is published; else
    ``all_reduce``.
    """
    inside = [
        row.gb_per_s
        for row in PUBLISHED
        if (row.instance_type, row.collective, row.nodes, row.path)
        == (instance_type.name, HEADLINE, 1, NVLINK)
    ]
    between = bandwidth_ceiling(instance_type=instance_type.name, collective=HEADLINE, nodes=2)
    hidden = not inside or between.limited_by != "efa" or max(inside) < between.value_gb_per_s
    return NETWORK_BOUND if hidden else HEADLINE
