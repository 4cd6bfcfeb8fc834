"""Labels that every series has, whichever exporter it comes from."""

from __future__ import annotations

COMMON_LABELS = ("environment", "cluster", "pool", "instance_id", "instance_type", "zone", "node")
"""``node`` is the node's name in Slurm, or its host name where Slurm has none; ``cluster`` the cluster's
name; ``zone`` an AZ id. The agent adds them, so that they are the same everywhere.
"""

PLACEMENT_LABELS = ("ultraserver", "network_node")
"""Where known: the UltraServer that a node is part of, and the switch that it hangs on (the last element of
EC2 DescribeInstanceTopology). Labels of ``bedplate_node_info`` alone, since they change with a replacement.
"""
