"""GPU-003: no GPU failed to remap a bad memory row."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.support import Writer, info, node_subject, warning
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.nvidia_smi_csv import GpuLine, GpuTable
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Finding, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="GPU-003",
    title="no GPU failed to remap a bad memory row",
    what="`remapped_rows.failure` is No on every GPU of the type. A pending remap is reported as a "
    "finding: it takes effect at the next reset. Parts before the A100 retire pages instead; no type here "
    "has such a part.",
    why="A GPU replaces bad memory rows by spare ones; once that fails, the bad row stays in use, and "
    "NVIDIA counts it as a reason to return the part.",
    fix="Failure: drain the node and replace the instance. Pending: reboot the node in the next window.",
    by_hand="`nvidia-smi --query-gpu=index,remapped_rows.pending,remapped_rows.failure --format=csv`.",
)

_FAILURE = "remapped_rows.failure"
_PENDING = "remapped_rows.pending"
_UNCORRECTABLE = "remapped_rows.uncorrectable"


def check(
    *, node: str, gpus: Reading[GpuTable], instance_type: InstanceType, evidence: Sequence[str] = ()
) -> Verdict:
    """Fail where a remap failed, error where a GPU does not tell, else pass, with pending remaps as
    findings.
    """
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=0,
        unit="GPUs with a failed remap",
        source="NVIDIA GPU memory error management",
    )
    table = gpus.record
    if table is None:
        return writer.error(f"Remapped rows cannot be read: {gpus.problem}")
    failed = [line for line in table.gpus if line.flag(_FAILURE)]
    findings = [finding for line in table.gpus for finding in _findings(line)]
    if failed:
        return writer.failed(
            f"{len(failed)} of {instance_type.gpus} GPUs failed to remap a bad row",
            cause="row-remap-failure",
            measured=len(failed),
            findings=findings,
            lines=map(_describe, failed),
        )
    if gpus.problem:
        return writer.error(f"Remapped rows cannot be trusted: {gpus.problem}", findings=findings)
    telling = [
        line for line in table.gpus if line.flag(_FAILURE) is False and line.flag(_PENDING) is not None
    ]
    if not len(telling) == len(table.gpus) == table.distinct == instance_type.gpus:
        return writer.error(
            f"{len(telling)} of {instance_type.gpus} GPUs tell their remapped rows",
            findings=findings,
            lines=map(_describe, table.gpus),
        )
    return writer.passed(f"No failed remap on all {len(telling)} GPUs", measured=0, findings=findings)


def _findings(line: GpuLine) -> list[Finding]:
    name = f"GPU {line.word('index')} at {line.word('pci.bus_id')}"
    found = []
    if line.flag(_PENDING):
        found.append(warning(f"{name} has a row remap pending", remedy="Reboot the node in the next window."))
    if line.number(_UNCORRECTABLE):
        found.append(
            info(f"{name} has remapped {line.number(_UNCORRECTABLE)} rows after uncorrectable errors")
        )
    return found


def _describe(line: GpuLine) -> str:
    where = f"GPU {line.word('index')} at {line.word('pci.bus_id')}"
    return f"{where}: remap failure {line.word(_FAILURE)}, pending {line.word(_PENDING)}"


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        gpus=facts.gpus,
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, judge=_judge)
