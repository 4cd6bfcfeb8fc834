"""What ``nvidia-smi -q`` tells of each GPU, whether as text or as XML: one record for both.

The names of the XML elements are those of NVIDIA's ``nvsmi_device_v12.dtd``, the names in the text those of
the ``nvidia-smi`` manual; ``clocks_throttle_reasons`` became ``clocks_event_reasons`` with driver 535.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError

REASONS = (
    "hw_slowdown",
    "hw_thermal_slowdown",
    "hw_power_brake_slowdown",
    "sw_thermal_slowdown",
    "sw_power_cap",
)
"""Why clocks may be held back, as far as somebody should know."""

# Field → (paths in the XML, paths in the text); the first that is there counts.
FIELDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "product_name": (("product_name",), ("Product Name",)),
    "uuid": (("uuid",), ("GPU UUID",)),
    "persistence_mode": (("persistence_mode",), ("Persistence Mode",)),
    "recovery_action": (("gpu_recovery_action",), ("GPU Recovery Action",)),
    "pcie_generation_max": (
        ("pci/pci_gpu_link_info/pcie_gen/max_link_gen",),
        ("PCI/GPU Link Info/PCIe Generation/Max",),
    ),
    "pcie_generation": (
        ("pci/pci_gpu_link_info/pcie_gen/current_link_gen",),
        ("PCI/GPU Link Info/PCIe Generation/Current",),
    ),
    "pcie_width_max": (
        ("pci/pci_gpu_link_info/link_widths/max_link_width",),
        ("PCI/GPU Link Info/Link Width/Max",),
    ),
    "pcie_width": (
        ("pci/pci_gpu_link_info/link_widths/current_link_width",),
        ("PCI/GPU Link Info/Link Width/Current",),
    ),
    "pcie_replays": (("pci/replay_counter",), ("PCI/Replays Since Reset",)),
    "performance_state": (("performance_state",), ("Performance State",)),
    **{
        reason: (
            (
                f"clocks_event_reasons/clocks_event_reason_{reason}",
                f"clocks_throttle_reasons/clocks_throttle_reason_{reason}",
            ),
            tuple(
                f"{title}/{'HW Slowdown/' if nested else ''}{words}"
                for title in ("Clocks Event Reasons", "Clocks Throttle Reasons")
            ),
        )
        for reason, words, nested in (
            ("hw_slowdown", "HW Slowdown", False),
            ("hw_thermal_slowdown", "HW Thermal Slowdown", True),
            ("hw_power_brake_slowdown", "HW Power Brake Slowdown", True),
            ("sw_thermal_slowdown", "SW Thermal Slowdown", False),
            ("sw_power_cap", "SW Power Cap", False),
        )
    },
    "hw_thermal_us": (
        ("clocks_event_reasons_counters/clocks_event_reasons_counters_hw_therm_slowdown",),
        ("Clocks Event Reasons Counters/HW Thermal Slowdown",),
    ),
    "hw_power_brake_us": (
        ("clocks_event_reasons_counters/clocks_event_reasons_counters_hw_power_brake",),
        ("Clocks Event Reasons Counters/HW Power Braking",),
    ),
    "power_limit_w": (
        ("gpu_power_readings/current_power_limit", "power_readings/power_limit"),
        ("GPU Power Readings/Current Power Limit", "Power Readings/Power Limit"),
    ),
    "default_power_limit_w": (
        ("gpu_power_readings/default_power_limit", "power_readings/default_power_limit"),
        ("GPU Power Readings/Default Power Limit", "Power Readings/Default Power Limit"),
    ),
    "application_clock_mhz": (("applications_clocks/graphics_clock",), ("Applications Clocks/Graphics",)),
    "default_application_clock_mhz": (
        ("default_applications_clocks/graphics_clock",),
        ("Default Applications Clocks/Graphics",),
    ),
    "max_sm_clock_mhz": (("max_clocks/sm_clock",), ("Max Clocks/SM",)),
    "retired_single_bit": (
        ("retired_pages/multiple_single_bit_retirement/retired_count",),
        ("Retired Pages/Single Bit ECC",),
    ),
    "retired_double_bit": (
        ("retired_pages/double_bit_retirement/retired_count",),
        ("Retired Pages/Double Bit ECC",),
    ),
    "retirement_pending": (("retired_pages/pending_blacklist",), ("Retired Pages/Pending Page Blacklist",)),
    "remapped_correctable": (("remapped_rows/remapped_row_corr",), ("Remapped Rows/Correctable Error",)),
    "remapped_uncorrectable": (("remapped_rows/remapped_row_unc",), ("Remapped Rows/Uncorrectable Error",)),
    "remap_pending": (("remapped_rows/remapped_row_pending",), ("Remapped Rows/Pending",)),
    "remap_failure": (
        ("remapped_rows/remapped_row_failure",),
        ("Remapped Rows/Remapping Failure Occurred",),
    ),
    "remap_banks_max": (
        ("remapped_rows/row_remapper_histogram/row_remapper_histogram_max",),
        ("Remapped Rows/Bank Remap Availability Histogram/Max",),
    ),
    "fabric_state": (("fabric/state",), ("Fabric/State",)),
    "fabric_status": (("fabric/status",), ("Fabric/Status",)),
    "fabric_clique": (("fabric/cliqueId",), ("Fabric/CliqueId",)),
    "fabric_cluster": (("fabric/clusterUuid",), ("Fabric/ClusterUUID",)),
}

_NOTHING = frozenset({"", "n/a", "[n/a]", "not supported", "unknown error", "err!"})
_NUMBER = re.compile(r"(?P<number>\d{1,19}(?:\.\d{1,6})?)\s*(?:x|us|W|MHz|MiB|bank\(s\))?", re.ASCII)
_YES, _NO = frozenset({"yes", "enabled", "active"}), frozenset({"no", "disabled", "not active"})


@dataclass(frozen=True)
class GpuDetails:
    """One GPU; ``bus_id`` as printed. A field that is missing or has no answer is None, whatever is asked."""

    bus_id: str
    values: Mapping[str, str]

    def word(self, field: str) -> str | None:
        """The word for a field of ``FIELDS``."""
        if field not in FIELDS:
            raise KeyError(field)
        value = self.values.get(field, "")
        deprecated = value.lower().startswith("requested functionality")
        return None if deprecated or value.lower() in _NOTHING else value

    def number(self, field: str) -> float | None:
        """The number for a field, without its unit; a width of ``16x`` is 16."""
        match = _NUMBER.fullmatch(self.word(field) or "")
        return None if match is None else float(match.group("number"))

    def flag(self, field: str) -> bool | None:
        """Yes or no, enabled or disabled, active or not active."""
        word = (self.word(field) or "").lower()
        return True if word in _YES else False if word in _NO else None


@dataclass(frozen=True)
class DetailsLog:
    """The whole output; ``attached`` is how many GPUs it says are there."""

    driver: str
    attached: int | None
    gpus: tuple[GpuDetails, ...]


def choose(found: Mapping[str, str], *, which: int) -> dict[str, str]:
    """The fields out of every path that one GPU has; ``which`` is 0 for the XML's paths, 1 for the text's."""
    chosen = {}
    for field, paths in FIELDS.items():
        value = next((found[path] for path in paths[which] if path in found), None)
        if value is not None:
            chosen[field] = value[:200]
    return chosen


def put(found: dict[str, str], path: str, value: str, *, tool: str, line: int = 0) -> None:
    """Keep a value; ParseError where the path has another value already."""
    if found.setdefault(path, value) != value:
        raise ParseError(tool=tool, reason=f"a GPU has two values for {path[:120]!r}", line=line)


def whole_log(*, tool: str, driver: str, attached: str, gpus: list[GpuDetails]) -> DetailsLog:
    """The record; ParseError where there is no GPU in it or one is there twice."""
    if not gpus:
        raise ParseError(tool=tool, reason="there is no GPU in it")
    if len({gpu.bus_id.lower() for gpu in gpus}) != len(gpus):
        raise ParseError(tool=tool, reason="a GPU is in it twice")
    number = int(attached) if attached.isascii() and attached.isdigit() and len(attached) < 6 else None
    return DetailsLog(driver[:60], number, tuple(gpus))
