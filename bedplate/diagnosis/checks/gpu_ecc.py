"""GPU-002: no uncorrected memory error since the driver was loaded."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.nvidia_smi_csv import GpuLine, GpuTable
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="GPU-002",
    title="no GPU had an uncorrected memory error",
    what="ECC is on, and `ecc.errors.uncorrected.volatile.total` is 0, on every GPU of the type.",
    why="An uncorrected error kills the process that meets it, and where ECC is off it spoils results "
    "in silence.",
    fix="Reboot the node, so that bad rows are remapped. If the count rises again, drain the node and "
    "replace the instance. Where ECC is off, turn it on with `nvidia-smi -e 1` and reboot.",
    by_hand="`nvidia-smi --query-gpu=index,ecc.mode.current,ecc.errors.uncorrected.volatile.total "
    "--format=csv`.",
)

_MODE = "ecc.mode.current"
_COUNT = "ecc.errors.uncorrected.volatile.total"


def check(
    *, node: str, gpus: Reading[GpuTable], instance_type: InstanceType, evidence: Sequence[str] = ()
) -> Verdict:
    """Fail where a GPU counts errors or has ECC off, error where a GPU does not tell, else pass."""
    writer = Writer(
        check_id=ROW.id, subject=node_subject(node), evidence=evidence, expected=0, unit="uncorrected errors"
    )
    table = gpus.record
    if table is None:
        return writer.error(f"ECC counts cannot be read: {gpus.problem}")
    counts = [line.number(_COUNT) for line in table.gpus]
    total = sum(count for count in counts if count is not None)
    bad = [line for line in table.gpus if (line.number(_COUNT) or 0) > 0]
    if bad:
        return writer.failed(
            f"{len(bad)} of {instance_type.gpus} GPUs had uncorrected memory errors",
            cause="ecc-uncorrected",
            measured=total,
            lines=map(_describe, bad),
        )
    off = [line for line in table.gpus if (line.word(_MODE) or "").lower() == "disabled"]
    if off:
        return writer.failed(
            f"ECC is off on {len(off)} of {instance_type.gpus} GPUs",
            cause=None,
            lines=map(_describe, off),
            remedy="Turn ECC on with `nvidia-smi -e 1` and reboot the node.",
        )
    if gpus.problem:
        return writer.error(f"ECC counts cannot be trusted: {gpus.problem}")
    telling = [
        line for line in table.gpus if line.number(_COUNT) is not None and line.word(_MODE) == "Enabled"
    ]
    if not len(telling) == len(table.gpus) == table.distinct == instance_type.gpus:
        return writer.error(
            f"{len(telling)} of {instance_type.gpus} GPUs tell their ECC mode and count",
            lines=map(_describe, table.gpus),
        )
    return writer.passed(f"ECC is on and without an uncorrected error on all {len(telling)} GPUs", measured=0)


def _describe(line: GpuLine) -> str:
    where = f"GPU {line.word('index')} at {line.word('pci.bus_id')}"
    return f"{where}: ECC {line.word(_MODE)}, uncorrected {line.word(_COUNT)}"


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        gpus=facts.gpus,
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, judge=_judge)
