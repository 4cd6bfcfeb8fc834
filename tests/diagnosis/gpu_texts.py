"""What GPU tools print, made for these tests: healthy by default, with one thing wrong on demand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.diagnosis.gpu_tools import nvlink_errors_argv
from tests.diagnosis import texts

FABRIC_MANAGER_RUNS = "Id=nvidia-fabricmanager.service\nLoadState=loaded\nActiveState=active\n"

DETAILS: Mapping[str, str] = {
    "product_name": "NVIDIA H200",
    "persistence_mode": "Enabled",
    "gpu_recovery_action": "None",
    "pci/pci_gpu_link_info/pcie_gen/max_link_gen": "5",
    "pci/pci_gpu_link_info/pcie_gen/current_link_gen": "5",
    "pci/pci_gpu_link_info/link_widths/max_link_width": "16x",
    "pci/pci_gpu_link_info/link_widths/current_link_width": "16x",
    "pci/replay_counter": "0",
    "performance_state": "P0",
    "clocks_event_reasons/clocks_event_reason_gpu_idle": "Active",
    "clocks_event_reasons/clocks_event_reason_sw_power_cap": "Not Active",
    "clocks_event_reasons/clocks_event_reason_hw_slowdown": "Not Active",
    "clocks_event_reasons/clocks_event_reason_hw_thermal_slowdown": "Not Active",
    "clocks_event_reasons/clocks_event_reason_hw_power_brake_slowdown": "Not Active",
    "clocks_event_reasons/clocks_event_reason_sw_thermal_slowdown": "Not Active",
    "clocks_event_reasons_counters/clocks_event_reasons_counters_hw_therm_slowdown": "0 us",
    "clocks_event_reasons_counters/clocks_event_reasons_counters_hw_power_brake": "0 us",
    "gpu_power_readings/current_power_limit": "700.00 W",
    "gpu_power_readings/default_power_limit": "700.00 W",
    "applications_clocks/graphics_clock": "1980 MHz",
    "default_applications_clocks/graphics_clock": "1980 MHz",
    "max_clocks/sm_clock": "1980 MHz",
    "fabric/state": "Completed",
    "fabric/status": "Success",
}
"""One healthy H200, by the elements' paths."""

LINK = "pci/pci_gpu_link_info/"
REASON = "clocks_event_reasons/clocks_event_reason_"


def gpu_details(
    *,
    gpus: int = 8,
    changes: Mapping[int, Mapping[str, str | None]] | None = None,
    every: Mapping[str, str | None] | None = None,
    attached: int | None = None,
) -> str:
    """``nvidia-smi -q -x``; ``changes`` sets elements of single GPUs, ``every`` of all, None leaves out."""
    lines = [
        '<?xml version="1.0" ?>',
        '<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">',
        "<nvidia_smi_log>",
        "\t<driver_version>570.172.08</driver_version>",
        f"\t<attached_gpus>{gpus if attached is None else attached}</attached_gpus>",
    ]
    for index in range(gpus):
        values = {**DETAILS, **(every or {}), **(changes or {}).get(index, {})}
        lines.append(f'\t<gpu id="00000000:{0x53 + index:02X}:00.0">')
        lines.append(f"\t\t<uuid>GPU-00000000-0000-0000-0000-{index:012d}</uuid>")
        lines += _elements({path: value for path, value in values.items() if value is not None})
        lines.append("\t</gpu>")
    return "\n".join([*lines, "</nvidia_smi_log>", ""])


def _elements(values: Mapping[str, str]) -> list[str]:
    """The paths as nested elements, each on a line of its own."""
    lines: list[str] = []
    opened: list[str] = []
    for path, value in values.items():
        *parents, leaf = path.split("/")
        while opened and opened != parents[: len(opened)]:
            lines.append("\t" * (len(opened) + 1) + f"</{opened.pop()}>")
        for parent in parents[len(opened) :]:
            opened.append(parent)
            lines.append("\t" * (len(opened) + 1) + f"<{parent}>")
        lines.append("\t" * (len(opened) + 2) + f"<{leaf}>{value}</{leaf}>")
    while opened:
        lines.append("\t" * (len(opened) + 1) + f"</{opened.pop()}>")
    return lines


def link_speeds(
    *, gpus: int = 8, links: int = 18, changes: Mapping[tuple[int, int], str] | None = None, dark: int = -1
) -> str:
    """``nvidia-smi nvlink -s``; ``changes`` sets single links' words, ``dark`` is a GPU without any."""
    lines = []
    for gpu in range(gpus):
        lines.append(f"GPU {gpu}: NVIDIA H200 (UUID: GPU-00000000-0000-0000-0000-{gpu:012d})")
        if gpu == dark:
            lines.append("NVML: Unable to retrieve NVLink information as all links are inActive")
            continue
        words = {link: (changes or {}).get((gpu, link), "26.562 GB/s") for link in range(links)}
        lines += [f"\t Link {link}: {word}" for link, word in words.items()]
    return "\n".join([*lines, ""])


THROUGHPUT_TESTS = (
    ("Deployment", "software"),
    ("Hardware", "diagnostic"),
    ("Stress", "memory_bandwidth"),
    ("Stress", "targeted_stress"),
)
STRESS_LEVEL = "Max stress level of 21000.0 did not reach desired stress level of 37500.0 for GPU 3"
GFLOPS = "Detected 515.00 GFLOPs for GPU 3 which is below the threshold 735.00"
MEMORY = "GPU 3 only achieved a memory bandwidth of 1500.00 GB/s, failing to meet 2333.00 GB/s for test 0"


def throughput(
    *,
    gpus: int = 8,
    stress: Mapping[int, float | None] | None = None,
    mixed: Mapping[int, float | None] | None = None,
    statuses: Mapping[tuple[str, int], str] | None = None,
    errors: Mapping[tuple[str, int], tuple[int, str]] | None = None,
    without: str = "",
) -> str:
    """DCGM's run for the rates; ``stress`` and ``mixed`` set what single GPUs tell (None: nothing),
    ``errors`` are (id, text) by test and GPU, ``without`` names a test that is left out.
    """
    categories = []
    for category, name in THROUGHPUT_TESTS:
        if name == without:
            continue
        results = []
        for gpu in range(gpus):
            result: dict[str, Any] = {"entity_group": "GPU", "entity_group_id": 1, "entity_id": gpu}
            error = (errors or {}).get((name, gpu))
            result["status"] = (statuses or {}).get((name, gpu), "Fail" if error else "Pass")
            if error:
                remark = {"error_id": error[0], "error_category": 1, "error_severity": 4, "warning": error[1]}
                result["warnings"] = [remark]
            level, rate = (stress or {}).get(gpu, 37_460.0), (mixed or {}).get(gpu, 859.08)
            if name == "targeted_stress" and level is not None and not error:
                result["info"] = [f"GPU {gpu} relative stress level\t{level:.0f}"]
            if name == "diagnostic" and rate is not None and not error:
                told = f"GPU {gpu} calculated at approximately {rate:.2f} gigaflops during this test"
                result["info"] = ["Running with precisions: FP64 1, FP32 1, FP16 1", told]
            results.append(result)
        summary = {"status": "Fail" if any(each["status"] == "Fail" for each in results) else "Pass"}
        tests = [{"name": name, "results": results, "test_summary": summary}]
        categories.append({"category": category, "tests": tests})
    document = {
        "DCGM Diagnostic": {"test_categories": categories},
        "metadata": {"Driver Version Detected": "570.172.08", "version": "4.4.1"},
    }
    return json.dumps(document, indent=1) + "\n"


def copies(*, rates: Mapping[int, float | str] | None = None, gpus: int = 8, status: str = "Passed") -> str:
    """``nvbandwidth -j -t device_local_copy``."""
    row = [str((rates or {}).get(gpu, 1305.5)) for gpu in range(gpus)]
    case = {"bandwidth_matrix": [row], "name": "device_local_copy", "status": status, "sum": 1.0}
    return json.dumps({"nvbandwidth": {"git_version": "v0.8", "testcases": [case]}}, indent=1) + "\n"


def imex(
    *,
    status: str = "UP",
    nodes: Mapping[str, str] | None = None,
    connections: Mapping[tuple[str, str], str | None] | None = None,
) -> str:
    """``nvidia-imex-ctl -N -j``: ``nodes`` by their state, ``connections`` that differ (None: none)."""
    hosts = nodes or {"10.0.0.1": "READY", "10.0.0.2": "READY"}
    entries = {}
    for index, (host, state) in enumerate(hosts.items()):
        told = {
            str(number): {"host": peer, "status": word, "changed": True}
            for number, peer in enumerate(hosts)
            if (word := (connections or {}).get((host, peer), "CONNECTED")) is not None
        }
        entries[str(index)] = {"status": state, "host": host, "hostName": "N/A", "connections": told}
    return json.dumps({"nodes": entries, "timestamp": "9/4/2026 00:00:00.000", "status": status}) + "\n"


def link_errors(gpu: int, *, links: int = 18, counted: Mapping[tuple[int, str], int] | None = None) -> str:
    """``dcgmi nvlink -e -g GPU -j`` up to Hopper; ``counted`` by link and counter."""
    body = {
        f"Link {link}": {
            "children": {name: {"value": str((counted or {}).get((link, name), 0))} for name in LINK_COUNTERS}
        }
        for link in range(links)
    }
    return json.dumps({"body": body, "header": ["NVLINK Error Counts", f"GPU {gpu}"]})


def link_error_sum(gpu: int, **counted: float) -> str:
    """The same since Blackwell: one sum; underscores in the names of counters stand for blanks."""
    told = {"Rx_Error": 0, "Link_Integrity_Error": 0, "Symbol_BER": 1.5e-254, **counted}
    children = {name.replace("_", " "): {"value": str(value)} for name, value in told.items()}
    body = {"Error Detail": {"children": children}}
    return json.dumps({"body": body, "header": ["NVLINK Error Counts", f"GPU {gpu}"]})


def link_error_runs(gpus: int = 8) -> list[dict[str, Any]]:
    """A node's runs, all at zero."""
    return [texts.tool(nvlink_errors_argv(gpu=gpu), link_errors(gpu)) for gpu in range(gpus)]


LINK_COUNTERS = ("CRC FLIT Error", "CRC Data Error", "Replay Error", "Recovery Error")
HEALTH_HEAD = """\
+---------------------------+----------------------------------------------------------+
| Health Monitor Report                                                                |
+===========================+==========================================================+
"""
HEALTH_FOOT = "+---------------------------+----------------------------------------------------------+\n"


def health(*, overall: str = "Healthy", rows: Sequence[tuple[str, str]] = ()) -> str:
    """``dcgmi health -c``; ``rows`` are the left and right cells below the overall health."""
    told = [("Overall Health", overall), *rows]
    return HEALTH_HEAD + "".join(f"| {left:<25} | {right:<56} |\n" for left, right in told) + HEALTH_FOOT


REPLAYS = (
    ("GPU", ""),
    ("-> 0", "Warning"),
    ("   -> Errors", ""),
    ("      -> PCIe system", "Warning"),
    ("", "Detected more than 8 PCIe replays per minute for GPU 0:"),
    ("", "13 Reconnect PCIe card."),
)
