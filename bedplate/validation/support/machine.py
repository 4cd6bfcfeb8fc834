"""What a node's probe tells of the machine itself: boards with their serial numbers, and errors on record."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from typing import Any

from bedplate.diagnosis import tools
from bedplate.diagnosis.gpu_tools import NVIDIA_SMI_DETAILS
from bedplate.diagnosis.parsers.kernel_log import parse_kernel_log
from bedplate.diagnosis.parsers.nvidia_smi_csv import parse_nvidia_smi_csv
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.hardware.xids.catalogue import xid

_IN_TABLE: Mapping[str, str] = {
    "index": "index",
    "product_name": "name",
    "uuid": "uuid",
    "bus_id": "pci.bus_id",
    "vbios_version": "vbios_version",
}
"""Our name → the field of ``nvidia-smi --query-gpu``."""

_IN_DETAILS: Mapping[str, str] = {
    "uuid": "uuid",
    "serial": "serial",
    "board_part_number": "board_part_number",
    "vbios_version": "vbios_version",
    "bus_id": "pci/pci_bus_id",
}
"""Our name → where ``nvidia-smi -q -x`` has it below a GPU."""


def gpu_boards(probe: Mapping[str, Any]) -> list[dict[str, str]]:
    """Each GPU that the driver sees: what names the board. Empty where the probe holds no whole answer.

    Table and details are one board where they tell the same UUID; what is not told is not there.
    """
    boards: dict[str, dict[str, str]] = {}
    for row in (*_table(probe), *_details(probe)):
        if row.get("uuid"):
            boards.setdefault(row["uuid"], {}).update({key: value for key, value in row.items() if value})
    return sorted(boards.values(), key=lambda board: board.get("bus_id", ""))


def _table(probe: Mapping[str, Any]) -> list[dict[str, str]]:
    run = tools.find_run(answer=probe, argv=tools.NVIDIA_SMI)
    if run is None:
        return []
    try:
        # A driver that lost a GPU ends badly and still lists the others: their numbers are wanted too.
        gpus = parse_nvidia_smi_csv(run.stdout).gpus
    except ParseError:
        return []
    return [{name: gpu.word(field) or "" for name, field in _IN_TABLE.items()} for gpu in gpus]


def _details(probe: Mapping[str, Any]) -> list[dict[str, str]]:
    run = tools.find_run(answer=probe, argv=NVIDIA_SMI_DETAILS)
    if run is None or "<!ENTITY" in run.stdout:
        return []
    try:
        root = ElementTree.fromstring(run.stdout[max(run.stdout.find("<?xml"), 0) :].strip())  # noqa: S314
    except (ElementTree.ParseError, ValueError):
        return []
    return [
        {name: (gpu.findtext(path) or "").strip() for name, path in _IN_DETAILS.items()}
        for gpu in root.findall("gpu")
    ]


def xids_on_record(probe: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Each XID and SXid in the kernel log of this boot, with NVIDIA's meaning; None where there is no log."""
    run = tools.find_run(answer=probe, argv=tools.KERNEL_LOG)
    if run is None or run.problem():
        return None
    try:
        log = parse_kernel_log(run.stdout)
    except ParseError:
        return None
    found = []
    for event in log.events:
        row = xid(event.code) if event.kind == "xid" else None
        found.append(
            {
                "kind": event.kind,
                "code": event.code,
                "device": event.device,
                "count": event.count,
                "meaning": row.meaning if row else "",
                "nvidia_action": row.nvidia_action if row else "",
                "line": event.text,
            }
        )
    return found
