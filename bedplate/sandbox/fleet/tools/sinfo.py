"""``sinfo --version``, and the default table of partitions."""

from __future__ import annotations

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.allocation import slurm_state
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth, read_fleet


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if arguments in (["--version"], ["-V"]):
        say(f"slurm {versions.SLURM}")
        return 0
    if arguments:
        raise ToolRefused(
            f"sinfo: unrecognized option '{arguments[0]}'\nTry \"sinfo --help\" for more information", 1
        )
    groups: dict[tuple[str, str], list[str]] = {}
    for each in read_fleet(node.folder.parent).values():
        if each.slurm_name:
            for partition in each.partitions:
                groups.setdefault((partition, slurm_state(each).short), []).append(each.slurm_name)
    say("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST")
    for (partition, state), names in sorted(groups.items()):
        say(f"{partition:<9} up     infinite {len(names):6d} {state:>6} {','.join(names)}")
    return 0
