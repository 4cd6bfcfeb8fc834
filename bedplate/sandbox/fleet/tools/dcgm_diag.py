"""The JSON of ``dcgmi diag`` in the shape of DCGM 4 (NVIDIA/DCGM: testing/python3/dcgm_diag_schema.json)."""

from __future__ import annotations

import json
from typing import Any

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.devices import gpu_serial
from bedplate.sandbox.fleet.truth import NodeTruth

EXIT_ISOLATE = 205  # the negative of the isolate class of errors, modulo 256

# Level → (category, test) that it adds to those of the levels below.
_TESTS: dict[int, tuple[tuple[str, str], ...]] = {
    1: (("Deployment", "software"),),
    2: (("Hardware", "memory"), ("Integration", "pcie")),
    3: (
        ("Hardware", "diagnostic"),
        ("Stress", "memory_bandwidth"),
        ("Stress", "targeted_power"),
        ("Stress", "targeted_stress"),
    ),
    4: (("Hardware", "pulse_test"), ("Stress", "memtest")),
}
_FAILING_TEST = "memory"
# The PCI device ids of the GPUs, as DCGM lists them.
_DEVICE_IDS = {"H100": "2330", "H200": "2335", "B200": "2901", "B300": "3182", "A100": "20b2"}


def diag_text(node: NodeTruth, *, level: int) -> str:
    """The whole answer to ``dcgmi diag -r LEVEL -j``."""
    tests = [row for step in range(1, level + 1) for row in _TESTS[step]]
    categories = list(dict.fromkeys(category for category, _ in tests))
    answer = {
        "DCGM Diagnostic": {
            "test_categories": [
                {"category": category, "tests": [_test(node, name) for c, name in tests if c == category]}
                for category in categories
            ]
        },
        "entity_groups": [
            {
                "entities": [
                    {
                        "device_id": _device_id(node),
                        "entity_id": position,
                        "serial_num": gpu_serial(node, gpu),
                    }
                    for position, gpu in enumerate(node.gpus)
                ],
                "entity_group": "GPU",
                "entity_group_id": 1,
            }
        ],
        "metadata": {
            "Driver Version Detected": versions.NVIDIA_DRIVER,
            "version": versions.DCGM,
        },
    }
    return json.dumps(answer, indent=2)


def _test(node: NodeTruth, name: str) -> dict[str, Any]:
    results = [_result(node, name, position, gpu) for position, gpu in enumerate(node.gpus)]
    failed = any(result["status"] == "Fail" for result in results)
    return {"name": name, "results": results, "test_summary": {"status": "Fail" if failed else "Pass"}}


def _result(node: NodeTruth, name: str, position: int, gpu: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "entity_group": "GPU",
        "entity_group_id": 1,
        "entity_id": position,
        # A part that DCGM does not know makes it skip each test (NVIDIA/DCGM issues 55 and 139).
        "status": "Skip" if gpu in node.effects.dcgm_skips and name != "software" else "Pass",
    }
    if name == _FAILING_TEST and gpu in node.effects.dcgm_failures:
        result["status"] = "Fail"
        result["warnings"] = [
            {
                "error_category": 2,
                "error_id": 57,
                "error_severity": 2,
                "warning": f"CUDA detected a double-bit error while testing the memory of GPU {position}. "
                "Drain the GPU and reset it or reboot the node.",
            }
        ]
    return result


def _device_id(node: NodeTruth) -> str:
    return next((number for part, number in _DEVICE_IDS.items() if part in node.hardware.gpu_model), "0000")
