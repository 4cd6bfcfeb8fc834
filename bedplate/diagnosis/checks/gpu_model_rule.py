"""Whether a GPU is of the model that its instance type has, by the name and the memory that it tells."""

from __future__ import annotations

import re

from bedplate.diagnosis.parsers.nvidia_smi_csv import GpuLine
from bedplate.hardware.gpu import Gpu

LEAST_OF_MEMORY = 0.9
"""Of the table's memory: nvidia-smi tells up to half a percent less of a whole part (81,559 MiB of an H100's
81,920, 143,771 of an H200's 144,384), and parts of one name differ by far more. Our choice."""


def other_model(line: GpuLine, gpu: Gpu) -> str:
    """What shows that a GPU is of another model, in words; empty where nothing does.

    The model is a word of its own in the name, since ``B200`` is a part of ``GB200``: ``NVIDIA H100 80GB
    HBM3``, ``NVIDIA H200``, ``NVIDIA B300 SXM6 AC``, ``NVIDIA GB200``.
    """
    name = _name(line)
    if name and not _is_named(name, gpu.model):
        return f"{name} where the type has {gpu.model}"
    memory = line.number("memory.total")
    if gpu.memory_mib is not None and memory is not None and memory < LEAST_OF_MEMORY * gpu.memory_mib:
        return f"{memory} MiB of memory where {gpu.model} has {gpu.memory_mib}"
    return ""


def untold_model(line: GpuLine, gpu: Gpu) -> str:
    """What a GPU does not tell of its model, in words; empty where it tells enough to be judged."""
    if not _name(line):
        return "tells no model"
    if gpu.memory_mib is not None and line.number("memory.total") is None:
        return "does not tell its memory"
    return ""


def _name(line: GpuLine) -> str:
    """Empty where it holds no number, and so no model: a driver calls what it does not know ``NVIDIA Graphics
    Device``.
    """
    name = line.word("name") or ""
    return name if re.search(r"[0-9]", name) else ""


def _is_named(name: str, model: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(model)}(?![A-Za-z0-9])", name) is not None
