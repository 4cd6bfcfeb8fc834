"""What the checks on ``nvidia-smi -q -x`` have in common: whether it covers every GPU of the node."""

from __future__ import annotations

from collections.abc import Iterable

from bedplate.diagnosis.parsers.nvidia_smi_details import DetailsLog, GpuDetails
from bedplate.diagnosis.reading import Reading
from bedplate.hardware import InstanceType


def incomplete(details: Reading[DetailsLog], instance_type: InstanceType) -> str:
    """Why the details are not of every GPU of the type, in words; empty where they are."""
    log = details.record
    if log is None or details.problem:
        return details.problem
    listed, wanted = len(log.gpus), instance_type.gpus
    if log.attached != listed:
        return f"it says that {log.attached} GPUs are attached, and lists {listed}"
    return "" if listed == wanted else f"it lists {listed} of {wanted} GPUs"


def missing(gpus: Iterable[GpuDetails], fields: Iterable[str]) -> list[str]:
    """What a GPU does not answer, in words: a field without an answer proves nothing."""
    names = tuple(fields)
    return [
        f"GPU {gpu.bus_id} does not tell {name}" for gpu in gpus for name in names if gpu.word(name) is None
    ]
