"""``mkfs.xfs [-K] [-L LABEL] DEVICE``: refuses a device that holds something, as it does without ``-f``."""

from __future__ import annotations

import hashlib

from bedplate.sandbox.fleet.tools.block_devices import Content, device_file, read_content, write_content
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    words, label = [word for word in arguments if word != "-K"], ""
    if words[:1] == ["-L"] and len(words) > 2:
        label, words = words[1], words[2:]
    if len(words) != 1 or words[0].startswith("-"):
        raise ToolRefused(f"{tool}: unknown arguments: {' '.join(arguments)}", 1)
    device = words[0]
    if not device_file(node, device).exists():
        raise ToolRefused(f"{tool}: cannot open {device}: No such file or directory", 1)
    content = read_content(node, device)
    if content is not None:
        raise ToolRefused(
            f"{tool}: {device} appears to contain an existing filesystem ({content.kind}).\n"
            f"{tool}: Use the -f option to force overwrite.",
            1,
        )
    digits = hashlib.sha256(f"{node.instance_id}-{device}".encode()).hexdigest()
    uuid = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"
    write_content(node, device, Content("xfs", label, uuid))
    say(f"meta-data={device:<22} isize=512    agcount=32")
    return 0
