"""``bedplate-disk-speed disk-speed …``: the node program's own disk test, without writing anything.

The figures are a model: an array of disks at assumed rates, a Lustre client at assumed rates, and what faults
make of both. Nobody measured them.
"""

from __future__ import annotations

import json

from bedplate.diagnosis.parsers.disk_speed import SCHEMA
from bedplate.diagnosis.storage_tools import SCRATCH
from bedplate.sandbox.fleet.performance import noise
from bedplate.sandbox.fleet.tools.lnetctl import count_messages
from bedplate.sandbox.fleet.tools.mounts import Mount, visible_mounts
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

DISK_GB_PER_S = {"write": 1.3, "read": 2.6}
"""Assumed, of one disk."""
LUSTRE_GB_PER_S = {"write": 2.2, "read": 2.6}
"""Assumed, of one client."""
_BYTES_PER_MESSAGE = 1024 * 1024
_OPTIONS = ("--place", "--run", "--files", "--mib", "--seconds", "--nodes")


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    names, values = arguments[1::2], arguments[2::2]
    if arguments[:1] != ["disk-speed"] or tuple(names) != _OPTIONS or len(values) != len(_OPTIONS):
        raise ToolRefused(f"{tool}: unknown arguments: {' '.join(arguments)}", 2)
    options = dict(zip(names, values, strict=True))
    place, asked = options["--place"], int(options["--mib"]) * 1024 * 1024
    answer = {
        "schema": SCHEMA,
        "place": place,
        "run": options["--run"],
        "direct": True,
        "asked_bytes": asked,
        "write": None,
        "read": None,
        "removed": True,
        "problem": "",
    }
    mount = next((each for each in visible_mounts(node) if each.target == place), None)
    if mount is None:
        answer["problem"] = f"nothing is mounted at {place}"
    else:
        for way in ("write", "read"):
            answer[way] = _pass(node, mount, way, asked, float(options["--seconds"]))
    say(json.dumps(answer, sort_keys=True))
    return 0


def _pass(node: NodeTruth, mount: Mount, way: str, asked: int, most_seconds: float) -> dict[str, float]:
    rate = _gb_per_s(node, mount, way) * noise(f"{node.seed}/{node.instance_id}/{mount.target}/{way}")
    seconds = asked / rate / 1e9
    moved = asked
    if seconds > most_seconds:
        seconds, moved = most_seconds, int(most_seconds * rate * 1e9)
    if mount.kind == "lustre":
        tcp = node.effects.lnet_efas_lost >= node.hardware.efa_count or not node.hardware.efa_count
        count_messages(node, "tcp" if tcp else "efa", 2 * moved // _BYTES_PER_MESSAGE)
    whole = {"bytes": moved, "seconds": round(seconds, 4)}
    return {**whole, "wrong_blocks": 0} if way == "read" else whole


def _gb_per_s(node: NodeTruth, mount: Mount, way: str) -> float:
    if mount.kind == "lustre":
        return LUSTRE_GB_PER_S[way] * node.effects.file_system_speed
    if mount.target == SCRATCH:
        return DISK_GB_PER_S[way] * node.hardware.nvme_count * node.effects.nvme_speed
    return 0.2
