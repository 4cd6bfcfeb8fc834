"""``nvidia-smi``: queries as CSV, ``-q -x``, ``nvlink -s``, ``-L`` and ``-pm 1``."""

from __future__ import annotations

import sys
from collections.abc import Callable

from bedplate.diagnosis.tools import COMPUTE_APPS
from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.devices import gpu_bus, gpu_identity_of, gpu_serial, gpu_uuid
from bedplate.sandbox.fleet.leftover import gpu_process
from bedplate.sandbox.fleet.tools.nvidia_smi_xml import details_xml
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_Value = Callable[[NodeTruth, int], str]


def _yes(flag: bool) -> str:
    return "Yes" if flag else "No"


def _always(value: str) -> _Value:
    def constant(node: NodeTruth, gpu: int) -> str:
        del node, gpu
        return value

    return constant


def _of_model(part: int, unit: str = "") -> _Value:
    def value(node: NodeTruth, gpu: int) -> str:
        return f"{gpu_identity_of(node, gpu)[part]}{unit}"

    return value


def _bus_id(node: NodeTruth, gpu: int) -> str:
    del node
    return f"00000000:{gpu_bus(gpu):02X}:00.0"


def _uncorrected(node: NodeTruth, gpu: int) -> str:
    return str(sum(count for index, count in node.effects.uncorrected_ecc if index == gpu))


def _remapped(node: NodeTruth, gpu: int) -> str:
    return str(int(gpu in node.effects.remap_failures or gpu in node.effects.remap_pending))


def _remap_pending(node: NodeTruth, gpu: int) -> str:
    return _yes(gpu in node.effects.remap_pending)


def _remap_failure(node: NodeTruth, gpu: int) -> str:
    return _yes(gpu in node.effects.remap_failures)


def _persistence(node: NodeTruth, gpu: int) -> str:
    del gpu
    return "Disabled" if node.effects.persistence_off else "Enabled"


def _index(node: NodeTruth, gpu: int) -> str:
    return str(node.gpus.index(gpu))


# Field → value of one GPU. The header repeats the field, with its unit where it has one.
_FIELDS: dict[str, _Value] = {
    "index": _index,
    "uuid": gpu_uuid,
    "serial": gpu_serial,
    "pci.bus_id": _bus_id,
    "name": _of_model(0),
    "driver_version": _always(versions.NVIDIA_DRIVER),
    "vbios_version": _of_model(2),
    "memory.total": _of_model(1, " MiB"),
    "ecc.mode.current": _always("Enabled"),
    "ecc.errors.uncorrected.volatile.total": _uncorrected,
    "remapped_rows.correctable": _always("0"),
    "remapped_rows.uncorrectable": _remapped,
    "remapped_rows.pending": _remap_pending,
    "remapped_rows.failure": _remap_failure,
    "persistence_mode": _persistence,
}
_UNITS = {"memory.total": " [MiB]"}


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if not node.gpus:
        raise ToolRefused("No devices were found", 6)
    if arguments == ["-L"]:
        for position, gpu in enumerate(node.gpus):
            say(f"GPU {position}: {gpu_identity_of(node, gpu)[0]} (UUID: {gpu_uuid(node, gpu)})")
        return 0
    if arguments == ["-q", "-x"]:
        sys.stdout.write(details_xml(node))
        return 0
    if arguments == list(COMPUTE_APPS[1:]):
        say("pid, process_name, gpu_uuid")
        found = gpu_process(node.folder)
        for gpu in node.gpus if found else ():
            say(f"{found[0]}, {found[1]}, {gpu_uuid(node, gpu)}" if found else "")
        return 0
    if arguments == ["nvlink", "-s"]:
        return _nvlink(node)
    if arguments == ["-pm", "1"]:
        for gpu in node.gpus:
            say(f"Persistence mode is already Enabled for GPU 00000000:{gpu_bus(gpu):02X}:00.0.")
        say("All done.")
        return 0
    return _query(arguments, node)


def _nvlink(node: NodeTruth) -> int:
    """Every link of every GPU; the driver has one line for a GPU of which none is up."""
    links = node.hardware.nvlinks
    speed = 53.125 if "B" in node.hardware.gpu_model else 26.562
    for position, gpu in enumerate(node.gpus):
        say(f"GPU {position}: {gpu_identity_of(node, gpu)[0]} (UUID: {gpu_uuid(node, gpu)})")
        down = min(sum(count for index, count in node.effects.nvlinks_down if index == gpu), links)
        if down == links:
            say("NVML: Unable to retrieve NVLink information as all links are inActive")
            continue
        for link in range(links):
            say(f"\t Link {link}: " + ("<inactive>" if link < down else f"{speed} GB/s"))
    return 0


def _query(arguments: list[str], node: NodeTruth) -> int:
    query = form = ""
    for argument in arguments:
        name, _, value = argument.partition("=")
        if name == "--query-gpu" and value:
            query = value
        elif name == "--format" and value:
            form = value
        else:
            raise ToolRefused(
                f"Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n{argument}",
                2,
            )
    options = form.split(",")
    if not query or options[0] != "csv" or set(options[1:]) - {"noheader", "nounits"}:
        raise ToolRefused("Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.", 2)
    fields = query.split(",")
    for field in fields:
        if field not in _FIELDS:
            raise ToolRefused(f'Field "{field}" is not a valid field to query.', 2)
    units = "nounits" not in options
    if "noheader" not in options:
        say(", ".join(field + _UNITS.get(field, "") for field in fields))
    for gpu in node.gpus:
        values = [_FIELDS[field](node, gpu) for field in fields]
        say(", ".join(value if units else value.removesuffix(" MiB") for value in values))
    return 0
