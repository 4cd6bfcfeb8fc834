"""``nvbandwidth -j -t device_local_copy`` in the shape of nvbandwidth 0.8."""

from __future__ import annotations

import json

from bedplate.hardware.gpu_rates import GPU_RATES
from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.performance import noise
from bedplate.sandbox.fleet.tools.dcgm_tests import memory_speed
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

# A copy reads and writes, and counts its bytes once.
_SHARE_OF_READING = 0.42


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if arguments != ["-j", "-t", "device_local_copy"]:
        raise ToolRefused(f"ERROR: unrecognised option {' '.join(arguments) or '(none)'}", 1)
    rates = GPU_RATES.get(node.hardware.gpu_model)
    full = (2000.0 if rates is None else rates.measured_gb_per_s) * _SHARE_OF_READING
    row = [
        f"{full * memory_speed(node, gpu) / noise(f'{node.seed}/{node.instance_id}/{gpu}/copy'):.2f}"
        for gpu in node.gpus
    ]
    case = {
        "bandwidth_description": "memcpy local GPU(column) bandwidth (GB/s)",
        "bandwidth_matrix": [row],
        "name": "device_local_copy",
        "status": "Passed",
        "sum": sum(map(float, row)),
    }
    root = {
        "CUDA Runtime Version": 12080,
        "Driver Version": versions.NVIDIA_DRIVER,
        "git_version": "v0.8",
        "testcases": [case],
    }
    say(json.dumps({"nvbandwidth": root}, indent=1))
    return 0
