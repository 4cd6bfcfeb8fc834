"""``lctl get_param -n osc.*.ost_server_uuid``, the state of each connection to a storage target, and
``lctl get_param llite.*.stats``, what a client did: nothing on a simulated node.
"""

from __future__ import annotations

from bedplate.diagnosis.storage_tools import LLITE_STATS, OST_STATES
from bedplate.sandbox.fleet.tools.lustre import mounted, targets
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    if tuple(arguments) == LLITE_STATS[1:]:
        return _statistics(node)
    if tuple(arguments) != OST_STATES[1:]:
        raise ToolRefused(f"{tool}: the simulated lctl does not know: {' '.join(arguments)}", 1)
    found = mounted(node)
    if not found:
        raise ToolRefused(
            "error: get_param: param_path 'osc/*/ost_server_uuid': No such file or directory", 2
        )
    for mount in found:
        name = mount.source.rpartition("/")[2]
        for index, state in targets(node):
            say(f"{name}-OST{index:04x}_UUID\t{state}")
    return 0


def _statistics(node: NodeTruth) -> int:
    found = mounted(node)
    if not found:
        raise ToolRefused("error: get_param: param_path 'llite/*/stats': No such file or directory", 2)
    for mount in found:
        say(f"llite.{mount.source.rpartition('/')[2]}-ffff9a3c5e0d2000.stats=")
        say("snapshot_time             1764541426.123456789 secs.nsecs")
        say("read_bytes                0 samples [bytes] 0 0 0")
        say("write_bytes               0 samples [bytes] 0 0 0")
        say("open                      0 samples [usecs]")
    return 0
