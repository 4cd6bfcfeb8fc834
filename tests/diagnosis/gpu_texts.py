"""What GPU tools print, made for these tests: healthy by default, with one thing wrong on demand."""

from __future__ import annotations

from collections.abc import Mapping

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
    """``nvidia-smi -q -x``; ``changes`` sets elements of single GPUs, ``every`` of all, None leaves one out."""
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
