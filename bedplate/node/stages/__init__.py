"""The stages of an exercise: each puts one kind of load on the node, and says what came of it, unjudged.

A stage is a module with ``deadline_seconds(settings)``, the longest that it may take, and ``run(settings)``,
which returns ``{"tools": [runs …]}`` and whatever else its checks read. Its programs have deadlines of
their own, which together are no longer than the stage's.
"""

from __future__ import annotations

from typing import Mapping

# Stage → module, in the order in which they run: never two at once, each wants the node to itself.
STAGES: Mapping[str, str] = {
    "dcgm": "bedplate.node.stages.dcgm",
    "throughput": "bedplate.node.stages.throughput",
    "imex": "bedplate.node.stages.imex",
    "collective": "bedplate.node.stages.collective",
    "nvlink_errors": "bedplate.node.stages.nvlink_errors",
    "nvme": "bedplate.node.stages.nvme",
    "lustre": "bedplate.node.stages.lustre",
    "gdrcopy": "bedplate.node.stages.gdrcopy",
    "efa_loopback": "bedplate.node.stages.efa_loopback",
}
