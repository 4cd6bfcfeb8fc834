"""``nvidia-smi --query-gpu=FIELDS --format=csv[,noheader][,nounits]``, ``-L``, and ``-pm 1``."""

from __future__ import annotations

from collections.abc import Callable

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.devices import gpu_bus, gpu_serial, gpu_uuid
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_Value = Callable[[NodeTruth, int], str]


def _yes(flag: bool) -> str:
    return "Yes" if flag else "No"


def _identity(node: NodeTruth) -> tuple[str, int, str]:
    return versions.gpu_identity(node.hardware.gpu_model, node.hardware.gpu_memory_mib)


# Field → (title in the header, value of one GPU); units stand in titles and values as the tool prints them.
_FIELDS: dict[str, tuple[str, _Value]] = {
    "index": ("index", lambda node, gpu: str(node.gpus.index(gpu))),
    "uuid": ("uuid", gpu_uuid),
    "serial": ("serial", gpu_serial),
    "pci.bus_id": ("pci.bus_id", lambda node, gpu: f"00000000:{gpu_bus(gpu):02X}:00.0"),
    "name": ("name", lambda node, gpu: _identity(node)[0]),
    "driver_version": ("driver_version", lambda node, gpu: versions.NVIDIA_DRIVER),
    "vbios_version": ("vbios_version", lambda node, gpu: _identity(node)[2]),
    "memory.total": ("memory.total [MiB]", lambda node, gpu: f"{_identity(node)[1]} MiB"),
    "ecc.mode.current": ("ecc.mode.current", lambda node, gpu: "Enabled"),
    "ecc.errors.uncorrected.volatile.total": (
        "ecc.errors.uncorrected.volatile.total",
        lambda node, gpu: str(sum(n for g, n in node.effects.uncorrected_ecc if g == gpu)),
    ),
    "remapped_rows.correctable": ("remapped_rows.correctable", lambda node, gpu: "0"),
    "remapped_rows.uncorrectable": (
        "remapped_rows.uncorrectable",
        lambda node, gpu: str(int(gpu in node.effects.remap_failures or gpu in node.effects.remap_pending)),
    ),
    "remapped_rows.pending": (
        "remapped_rows.pending",
        lambda node, gpu: _yes(gpu in node.effects.remap_pending),
    ),
    "remapped_rows.failure": (
        "remapped_rows.failure",
        lambda node, gpu: _yes(gpu in node.effects.remap_failures),
    ),
    "persistence_mode": ("persistence_mode", lambda node, gpu: "Enabled"),
}


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if not node.gpus:
        raise ToolRefused("No devices were found", 6)
    if arguments == ["-L"]:
        for position, gpu in enumerate(node.gpus):
            say(f"GPU {position}: {_identity(node)[0]} (UUID: {gpu_uuid(node, gpu)})")
        return 0
    if arguments == ["-pm", "1"]:
        for gpu in node.gpus:
            say(f"Persistence mode is already Enabled for GPU 00000000:{gpu_bus(gpu):02X}:00.0.")
        say("All done.")
        return 0
    return _query(arguments, node)


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
        say(", ".join(_FIELDS[field][0] for field in fields))
    for gpu in node.gpus:
        values = [_FIELDS[field][1](node, gpu) for field in fields]
        say(", ".join(value if units else value.removesuffix(" MiB") for value in values))
    return 0
