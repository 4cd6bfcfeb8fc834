"""GPU-001: every GPU of the type answers, and is of the type's model."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.gpu_model_rule import other_model, untold_model
from bedplate.diagnosis.checks.support import Writer, node_subject, warning
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.nvidia_smi_csv import GpuLine, GpuTable
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="GPU-001",
    title="every GPU of the instance type answers",
    what="`nvidia-smi` lists as many GPUs, each with a UUID of its own, as the hardware table gives the "
    "instance type, and each names the type's model and has at least nine tenths of its memory. A GPU that "
    "tells no model is an error.",
    why="A GPU that has fallen off the bus leaves a node that boots, joins the cluster and fails the "
    "first job that wants all GPUs, hours later and with an opaque message. Of another model, every floor "
    "and peak that the other checks hold it to is the wrong one.",
    fix="Reboot the node. If the GPU stays away, drain the node and replace the instance. Where the model is "
    "another, look at the instance's type in EC2.",
    by_hand="`nvidia-smi --query-gpu=index,uuid,name,memory.total --format=csv` on the node; "
    "`journalctl -k -b 0 | grep -i 'xid\\|fallen off'` for the reason.",
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
    lines = [(line, other_model(line, instance_type.gpu)) for line in table.gpus]
    others = [f"{_at(line)}: {other}" for line, other in lines if other]
    if others:
        return writer.failed(
            f"{len(others)} of {wanted} GPUs are not of the model {instance_type.gpu.model}",
            cause="gpu-other-model",
            measured=found - len(others),
            lines=others,
        )
    if found < wanted:
        return writer.failed(
            f"{found} of {wanted} GPUs answer", cause="gpu-lost", measured=found, lines=_buses(table)
        )
    untold = [(line, told) for line in table.gpus if (told := untold_model(line, instance_type.gpu))]
    if untold:
        return writer.error(
            f"{len(untold)} of {wanted} GPUs cannot be told from another model: {untold[0][1]}",
            measured=found,
            lines=[f"{_at(line)} {told}" for line, told in untold],
        )
    findings = [warning(f"nvidia-smi says: {remark}") for remark in table.remarks]
    return writer.passed(f"All {wanted} GPUs answer", measured=found, findings=findings)


def _buses(table: GpuTable) -> list[str]:
    return [_at(line) for line in table.gpus]


def _at(line: GpuLine) -> str:
    return f"GPU {line.word('index')} at {line.word('pci.bus_id')}"


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        gpus=facts.gpus,
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, judge=_judge)
