"""``blkid -p -o export DEVICE``: what is on a device; status 2 where nothing is."""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.block_devices import read_content
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_NOTHING = 2


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    if arguments[:3] != ["-p", "-o", "export"] or len(arguments) != 4:
        raise ToolRefused(f"{tool}: unknown arguments: {' '.join(arguments)}", 4)
    device = arguments[3]
    try:
        content = read_content(node, device)
    except OSError:
        raise ToolRefused(f"{tool}: error: {device}: No such file or directory", _NOTHING) from None
    if content is None:
        return _NOTHING
    uuid = content.uuid.replace(":", "")
    if ":" in content.uuid:
        uuid = "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))
    else:
        uuid = content.uuid
    usage = "raid" if content.kind == "linux_raid_member" else "filesystem"
    say(
        f"DEVNAME={device}",
        f"LABEL={content.label}",
        f"UUID={uuid}",
        f"TYPE={content.kind}",
        f"USAGE={usage}",
    )
    return 0
