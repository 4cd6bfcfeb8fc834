"""GPU-001: every GPU of the type answers."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.support import Writer, node_subject, warning
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.nvidia_smi_csv import GpuTable
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="GPU-001",
    title="every GPU of the instance type answers",
    what="`nvidia-smi` lists as many GPUs, each with a UUID of its own, as the hardware table gives the "
    "instance type.",
    why="A GPU that has fallen off the bus leaves a node that boots, joins the cluster and fails the "
    "first job that wants all GPUs, hours later and with an opaque message.",
    fix="Reboot the node. If the GPU stays away, drain the node and replace the instance.",
    by_hand="`nvidia-smi -L | wc -l` on the node; `journalctl -k -b 0 | grep -i 'xid\\|fallen off'` for "
    "the reason.",
)


def check(
    *, node: str, gpus: Reading[GpuTable], instance_type: InstanceType, evidence: Sequence[str] = ()
) -> Verdict:
    """Fail where GPUs are missing or lost, error where the list cannot be trusted, else pass."""
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=instance_type.gpus,
        unit="GPUs",
        source="; ".join(instance_type.sources[:1]),
    )
    table = gpus.record
    if table is None:
        return writer.error(f"GPUs cannot be counted: {gpus.problem}")
    found = table.distinct
    wanted = instance_type.gpus
    if table.lost:
        return writer.failed(
            f"{found} of {wanted} GPUs answer", cause="gpu-lost", measured=found, lines=table.lost
        )
    if gpus.problem:
        return writer.error(f"GPUs cannot be counted: {gpus.problem}", measured=found, lines=table.remarks)
    if len(table.gpus) != found or found > wanted:
        return writer.error(
            f"{len(table.gpus)} lines with {found} distinct UUIDs: the list contradicts the type or itself",
            measured=found,
        )
    if found < wanted:
        return writer.failed(
            f"{found} of {wanted} GPUs answer", cause="gpu-lost", measured=found, lines=_buses(table)
        )
    findings = [warning(f"nvidia-smi says: {remark}") for remark in table.remarks]
    return writer.passed(f"All {wanted} GPUs answer", measured=found, findings=findings)


def _buses(table: GpuTable) -> list[str]:
    return [f"GPU {line.word('index')} at {line.word('pci.bus_id')}" for line in table.gpus]


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        gpus=facts.gpus,
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, judge=_judge)
