"""That the node is there, as one series that dashboards list nodes by.

Its labels of placement are empty, which says that it is not known: a node that asks EC2 for its place needs a
right that reads the whole account's topology, and HyperPod's instances are not in the account.
"""

from __future__ import annotations

from typing import List

from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.metrics.collector import Collector, Surroundings
from bedplate.node.metrics.exposition import Family, gauge


def _applies(_settings: NodeSettings) -> bool:
    return True


def _collect(_around: Surroundings) -> List[Family]:
    return [gauge("bedplate_node_info", 1, ultraserver="", network_node="")]


COLLECTOR = Collector("info", _applies, _collect)
