"""The JSON of ``dcgmi diag`` in the shape of DCGM 4 (NVIDIA/DCGM: testing/python3/dcgm_diag_schema.json)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.devices import gpu_serial
from bedplate.sandbox.fleet.tools.dcgm_tests import Outcome, run_test
from bedplate.sandbox.fleet.truth import NodeTruth

EXIT_ISOLATE = 205  # the negative of the isolate class of errors, modulo 256
EXIT_FAILED = 226  # the same of a diagnostic that failed

# Level → (category, test) that it adds to those of the levels below.
_TESTS: dict[int, tuple[tuple[str, str], ...]] = {
    1: (("Deployment", "software"),),
    2: (("Hardware", "memory"), ("Integration", "pcie")),
    3: (
        ("Hardware", "diagnostic"),
        ("Hardware", "nvbandwidth"),
        ("Stress", "memory_bandwidth"),
        ("Stress", "targeted_power"),
        ("Stress", "targeted_stress"),
    ),
    4: (("Hardware", "pulse_test"), ("Hardware", "memtest")),
}
LEVELS = tuple(map(str, _TESTS))
NAMES = tuple(name for rows in _TESTS.values() for _, name in rows)
# The PCI device ids of the GPUs, as DCGM lists them.
_DEVICE_IDS = {
    "H100": "2330",
    "H200": "2335",
    "GB200": "2941",
    "B200": "2901",
    "B300": "3182",
    "A100": "20b2",
}


def tests_of(run: str) -> tuple[tuple[str, str], ...]:
    """(category, test) of a level, or of names with commas; the deployment test always runs. Raises
    ``KeyError`` with a name that there is not.
    """
    rows = [row for level in _TESTS.values() for row in level]
    if run in LEVELS:
        return tuple(row for level in range(1, int(run) + 1) for row in _TESTS[level])
    wanted = run.split(",")
    for name in wanted:
        if name not in NAMES:
            raise KeyError(name)
    return tuple(row for row in rows if row[1] in wanted or row[1] == "software")


def diagnose(
    node: NodeTruth, *, tests: Sequence[tuple[str, str]], parameters: Mapping[str, float], verbose: bool
) -> tuple[str, int]:
    """The whole answer, and the exit code."""
    outcomes = {name: [run_test(node, name, gpu, parameters) for gpu in node.gpus] for _, name in tests}
    answer = {
        "DCGM Diagnostic": {
            "test_categories": [
                {
                    "category": category,
                    "tests": [
                        _test(name, outcomes[name], verbose=verbose) for own, name in tests if own == category
                    ],
                }
                for category in dict.fromkeys(category for category, _ in tests)
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
        "metadata": {"Driver Version Detected": versions.NVIDIA_DRIVER, "version": versions.DCGM},
    }
    failed = [outcome for each in outcomes.values() for outcome in each if outcome.error_id is not None]
    code = 0
    if failed:
        code = EXIT_ISOLATE if any(outcome.severity == 2 for outcome in failed) else EXIT_FAILED
    return json.dumps(answer, indent=2), code


def _test(name: str, outcomes: Sequence[Outcome], *, verbose: bool) -> dict[str, Any]:
    results = [_result(position, outcome, verbose=verbose) for position, outcome in enumerate(outcomes)]
    failed = any(result["status"] == "Fail" for result in results)
    return {"name": name, "results": results, "test_summary": {"status": "Fail" if failed else "Pass"}}


def _result(position: int, outcome: Outcome, *, verbose: bool) -> dict[str, Any]:
    result: dict[str, Any] = {
        "entity_group": "GPU",
        "entity_group_id": 1,
        "entity_id": position,
        "status": "Skip" if outcome.skipped else "Pass" if outcome.error_id is None else "Fail",
    }
    if outcome.error_id is not None:
        result["warnings"] = [
            {
                "error_category": outcome.category,
                "error_id": outcome.error_id,
                "error_severity": outcome.severity,
                "warning": outcome.text.format(gpu=position),
            }
        ]
    if verbose and outcome.info:
        result["info"] = [text.format(gpu=position) for text in outcome.info]
    return result


def _device_id(node: NodeTruth) -> str:
    return next((number for part, number in _DEVICE_IDS.items() if part in node.hardware.gpu_model), "0000")
