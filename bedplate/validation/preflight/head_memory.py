"""PRE-040: the head node has the memory that ParallelCluster asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-040",
    title="the head node has memory for the cluster",
    what="Under `slurm-parallelcluster`: the memory of `head_node.instance_type`, as EC2 tells it, against "
    "0.6 GiB and 1 GiB for every 25 nodes that all pools may have, which ends at 16 GiB.",
    why="ParallelCluster's own validator asks for it (aws-parallelcluster 3.16.1, "
    "HeadNodeMemorySizeValidator) and refuses the cluster in the middle of the deploy. It is a minimum; "
    "accounting and many jobs take more.",
    fix="Choose a larger `head_node.instance_type`.",
    by_hand="`aws ec2 describe-instance-types --instance-types TYPE --query "
    "'InstanceTypes[].MemoryInfo.SizeInMiB'`",
)
_SYSTEM_GIB, _NODES_A_GIB, _MOST_GIB = 0.6, 25, 16


def applies(environment: Environment) -> bool:
    """Where ParallelCluster makes a head node."""
    return environment.orchestrator.kind == "slurm-parallelcluster"


def gib_needed(nodes: int) -> float:
    """The memory that ParallelCluster wants for so many compute nodes."""
    return min(nodes / _NODES_A_GIB + _SYSTEM_GIB, _MOST_GIB)


def check(preflight: Preflight) -> list[Verdict]:
    """Ask EC2 for the type's memory."""
    from bedplate.validation.aws import aws_errors

    writer, environment = Writer(ROW.id), preflight.environment
    kind = environment.slurm.control_type if environment.slurm else None
    assert kind is not None
    with aws_errors(f"asking for the memory of {kind}"):
        rows = preflight.clients.ec2.describe_instance_types(InstanceTypes=[kind])["InstanceTypes"]  # type: ignore[list-item]
    told = rows[0].get("MemoryInfo", {}).get("SizeInMiB") if rows else None
    if told is None:
        return [
            writer.not_made(f"EC2 tells no memory of {kind}", remedy="Ask again, or choose another type.")
        ]
    nodes = sum(pool.max_nodes for pool in environment.pools)
    needed, given = gib_needed(nodes), told / 1024
    summary = f"the head node, a {kind}, has {given:g} GiB for {nodes} nodes"
    if given < needed:
        return [writer.failed(summary, measured=given, expected=round(needed, 2), unit="GiB", remedy=ROW.fix)]
    return [writer.passed(summary, measured=given, expected=round(needed, 2), unit="GiB")]
