"""``nvidia-smi -q -x`` in the shape of driver 570 (``nvsmi_device_v12.dtd``), as far as checks read it."""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.devices import gpu_bus, gpu_identity_of, gpu_serial, gpu_uuid
from bedplate.sandbox.fleet.truth import NodeTruth

# Part of the model's name → (PCIe generation, default power limit in W, highest SM clock in MHz).
_PARTS = {
    "H100": (5, 700, 1980),
    "H200": (5, 700, 1980),
    "GB200": (5, 1200, 2062),
    "B200": (5, 1000, 1965),
    "B300": (6, 1100, 1920),
}
_USUAL = (4, 400, 1410)
_CLUSTER = "0a4bb9a5-6bd0-4b71-8d5c-3bc6e6f1d0aa"
_REASONS = (
    "gpu_idle",
    "applications_clocks_setting",
    "sw_power_cap",
    "hw_slowdown",
    "hw_thermal_slowdown",
    "hw_power_brake_slowdown",
    "sync_boost",
    "sw_thermal_slowdown",
    "display_clocks_setting",
)


def details_xml(node: NodeTruth) -> str:
    """The whole document."""
    head = [
        '<?xml version="1.0" ?>',
        '<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">',
        "<nvidia_smi_log>",
        "\t<timestamp>Mon Nov 30 10:00:00 2026</timestamp>",
        f"\t<driver_version>{versions.NVIDIA_DRIVER}</driver_version>",
        f"\t<cuda_version>{versions.CUDA}</cuda_version>",
        f"\t<attached_gpus>{len(node.gpus)}</attached_gpus>",
    ]
    lines = [line for gpu in node.gpus for line in _gpu(node, gpu)]
    return "\n".join([*head, *lines, "</nvidia_smi_log>", ""])


def _gpu(node: NodeTruth, gpu: int) -> list[str]:
    generation, power, clock = next(
        (part for name, part in _PARTS.items() if name in node.hardware.gpu_model), _USUAL
    )
    effects = node.effects
    bus_id = f"00000000:{gpu_bus(gpu):02X}:00.0"
    name = gpu_identity_of(node, gpu)[0]
    width = next((lanes for index, lanes in effects.pcie_lanes if index == gpu), 16)
    limit = power // 2 if gpu in effects.power_limited else power
    return [
        f'\t<gpu id="{bus_id}">',
        f"\t\t<product_name>{name}</product_name>",
        f"\t\t<persistence_mode>{'Disabled' if effects.persistence_off else 'Enabled'}</persistence_mode>",
        f"\t\t<serial>{gpu_serial(node, gpu)}</serial>",
        f"\t\t<uuid>{gpu_uuid(node, gpu)}</uuid>",
        "\t\t<gpu_recovery_action>None</gpu_recovery_action>",
        "\t\t<pci>",
        f"\t\t\t<pci_bus_id>{bus_id}</pci_bus_id>",
        "\t\t\t<pci_gpu_link_info>",
        "\t\t\t\t<pcie_gen>",
        *_leaves(5, {f"{which}_link_gen": generation for which in ("max", "current", "device_current")}),
        *_leaves(5, {"max_device_link_gen": generation, "max_host_link_gen": "N/A"}),
        "\t\t\t\t</pcie_gen>",
        "\t\t\t\t<link_widths>",
        *_leaves(5, {"max_link_width": "16x", "current_link_width": f"{width}x"}),
        "\t\t\t\t</link_widths>",
        "\t\t\t</pci_gpu_link_info>",
        *_leaves(3, {"replay_counter": 0, "replay_rollover_counter": 0}),
        "\t\t</pci>",
        "\t\t<performance_state>P0</performance_state>",
        *_reasons(throttled=gpu in effects.throttled_gpus),
        *_remapped(node, gpu),
        *_block(
            "gpu_power_readings",
            {"current_power_limit": f"{limit}.00 W", "default_power_limit": f"{power}.00 W"},
        ),
        *_block("applications_clocks", {"graphics_clock": f"{clock} MHz", "mem_clock": "N/A"}),
        *_block("default_applications_clocks", {"graphics_clock": f"{clock} MHz", "mem_clock": "N/A"}),
        *_block("max_clocks", {"graphics_clock": f"{clock} MHz", "sm_clock": f"{clock} MHz"}),
        *_fabric(node),
        "\t</gpu>",
    ]


def _reasons(*, throttled: bool) -> list[str]:
    active = {"hw_slowdown", "hw_thermal_slowdown"} if throttled else {"gpu_idle"}
    reasons = {
        f"clocks_event_reason_{reason}": "Active" if reason in active else "Not Active" for reason in _REASONS
    }
    counted = {
        "sw_power_cap": 0,
        "sync_boost": 0,
        "sw_therm_slowdown": 0,
        "hw_therm_slowdown": 91_403_239 if throttled else 0,
        "hw_power_brake": 0,
    }
    counters = {f"clocks_event_reasons_counters_{name}": f"{us} us" for name, us in counted.items()}
    return _block("clocks_event_reasons", reasons) + _block("clocks_event_reasons_counters", counters)


def _remapped(node: NodeTruth, gpu: int) -> list[str]:
    effects = node.effects
    failed, pending = gpu in effects.remap_failures, gpu in effects.remap_pending
    return _block(
        "remapped_rows",
        {
            "remapped_row_corr": 0,
            "remapped_row_unc": int(failed or pending),
            "remapped_row_pending": "Yes" if pending else "No",
            "remapped_row_failure": "Yes" if failed else "No",
        },
    )


def _fabric(node: NodeTruth) -> list[str]:
    hardware = node.hardware
    if not hardware.nvlinks:
        state, status, cluster = "N/A", "N/A", "N/A"
    elif node.effects.fabric_manager_down:
        state, status, cluster = "In Progress", "N/A", "N/A"
    else:
        state, status = "Completed", "Success"
        cluster = _CLUSTER if hardware.imex else "00000000-0000-0000-0000-000000000000"
    return _block("fabric", {"state": state, "status": status, "cliqueId": 0, "clusterUuid": cluster})


def _block(tag: str, values: Mapping[str, object]) -> list[str]:
    return [f"\t\t<{tag}>", *_leaves(3, values), f"\t\t</{tag}>"]


def _leaves(depth: int, values: Mapping[str, object]) -> list[str]:
    return [f"{chr(9) * depth}<{tag}>{value}</{tag}>" for tag, value in values.items()]
