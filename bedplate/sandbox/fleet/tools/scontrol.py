"""``scontrol show node[s] [NAMES] [-o]``, ``scontrol update NodeName=… State=DRAIN|UNDRAIN|RESUME
[Reason=…]``, and ``scontrol --version``.
"""

from __future__ import annotations

from datetime import UTC, datetime

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.allocation import drain, drain_reason, resume, slurm_state
from bedplate.sandbox.fleet.tools.nodelist import expand
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth, read_fleet


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    words = [word for word in arguments if word not in ("-o", "--oneliner")]
    one_line = len(words) < len(arguments)
    if words in (["--version"], ["-V"]):
        say(f"slurm {versions.SLURM}")
        return 0
    if words[:1] == ["update"]:
        return _update(words[1:], node)
    if words[:1] != ["show"] or words[1:2] not in (["node"], ["nodes"]) or len(words) > 3:
        raise ToolRefused(f"invalid keyword: {' '.join(arguments) or '(none)'}", 1)
    fleet = _fleet(node)
    for name in expand(words[2]) if len(words) == 3 else list(fleet):
        if name not in fleet:
            raise ToolRefused(f"Node {name} not found", 1)
        fields = _fields(fleet[name])
        say(" ".join(fields) if one_line else "\n   ".join(fields) + "\n")
    return 0


def _fleet(node: NodeTruth) -> dict[str, NodeTruth]:
    return {each.slurm_name: each for each in read_fleet(node.folder.parent).values() if each.slurm_name}


def _update(words: list[str], node: NodeTruth) -> int:
    """Drain nodes or take it back; the words of refusal are those of slurmctld 22.05.8."""
    given = {key.lower(): value for key, _, value in (word.partition("=") for word in words)}
    unknown = sorted(set(given) - {"nodename", "state", "reason"})
    if unknown or "nodename" not in given or "state" not in given:
        raise ToolRefused(f"Update of this parameter is not supported: {(unknown or ['State'])[0]}", 1)
    state, reason = given["state"].upper(), given.get("reason", "")
    fleet = _fleet(node)
    for name in expand(given["nodename"]):
        if name not in fleet:
            raise ToolRefused("slurm_update error: Invalid node name specified", 1)
        if state == "DRAIN":
            if not reason:
                raise ToolRefused(
                    "You must specify a reason when DOWNING or DRAINING a node. Request denied", 1
                )
            drain(fleet[name], f"{reason} [root@{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}]")
        elif state == "UNDRAIN" or (state == "RESUME" and drain_reason(fleet[name])):
            resume(fleet[name])  # an undrain of a node that is not drained ends well and changes nothing
        else:
            raise ToolRefused("slurm_update error: Invalid node state specified", 1)
    return 0


def _fields(node: NodeTruth) -> list[str]:
    hardware = node.hardware
    state = slurm_state(node)
    memory_mb = int(hardware.memory_gib * 1024 * 0.95)
    stamp = "" if state.reason.endswith("]") else f" [slurm@{node.booted_at[:19]}]"
    trouble = [f"Reason={state.reason}{stamp}"] if state.reason else []
    allocated = hardware.vcpus if state.allocated else 0
    gres = f"gpu:{hardware.gpus}" if hardware.gpus else "(null)"
    total = f"cpu={hardware.vcpus},mem={memory_mb}M,billing={hardware.vcpus}" + (
        f",gres/gpu={hardware.gpus}" if hardware.gpus else ""
    )
    return [
        f"NodeName={node.slurm_name}",
        f"Arch={'aarch64' if hardware.architecture == 'arm64' else 'x86_64'}",
        f"CoresPerSocket={max(hardware.vcpus // 4, 1)}",
        f"CPUAlloc={allocated}",
        f"CPUEfctv={hardware.vcpus}",
        f"CPUTot={hardware.vcpus}",
        "CPULoad=0.12",
        "AvailableFeatures=(null)",
        "ActiveFeatures=(null)",
        f"Gres={gres}",
        f"NodeAddr={node.private_ip}",
        f"NodeHostName={node.hostname}",
        f"Version={versions.SLURM}",
        f"OS=Linux {versions.KERNEL} #38~22.04.1-Ubuntu SMP",
        f"RealMemory={memory_mb}",
        "AllocMem=0",
        f"FreeMem={memory_mb - 9000}",
        "Sockets=2",
        "Boards=1",
        f"State={state.name}",
        "ThreadsPerCore=2",
        "TmpDisk=0",
        "Weight=1",
        "Owner=N/A",
        "MCS_label=N/A",
        # Slurm leaves the field out for a node that is in no partition.
        *([f"Partitions={','.join(node.partitions)}"] if node.partitions else []),
        f"BootTime={node.booted_at[:19]}",
        f"SlurmdStartTime={node.booted_at[:19]}",
        f"CfgTRES={total}",
        f"AllocTRES={total if state.allocated else ''}",
        *trouble,
    ]
