"""Prometheus' text format, as much of it as a node writes.

No HELP lines: the texts are in ``bedplate.telemetry.metrics``, which a node has not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterable, List, Mapping, Tuple

GAUGE, COUNTER = "gauge", "counter"


@dataclass(frozen=True)
class Sample:
    """One series and its value now."""

    value: float
    labels: Tuple[Tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Family:
    """All series of one name; ``kind`` is ``gauge`` or ``counter``."""

    name: str
    kind: str
    samples: Tuple[Sample, ...]


def gauge(name: str, value: float, **labels: str) -> Family:
    """One gauge."""
    return Family(name, GAUGE, (sample(value, labels),))


def sample(value: float, labels: Mapping[str, str]) -> Sample:
    """A series; labels in the order given."""
    return Sample(value, tuple(labels.items()))


def exposition(families: Iterable[Family]) -> str:
    """The text. Families without series are left out; raises ``ValueError`` for a name that is there twice:
    the exporter would serve neither.
    """
    lines: List[str] = []
    seen = set()
    for family in families:
        if not family.samples:
            continue
        if family.name in seen:
            raise ValueError(f"{family.name} is there twice")
        seen.add(family.name)
        lines.append(f"# TYPE {family.name} {family.kind}")
        lines.extend(f"{family.name}{_labels(each)} {_number(each.value)}" for each in family.samples)
    return "".join(f"{line}\n" for line in lines)


def _labels(each: Sample) -> str:
    inside = ",".join(f'{name}="{_escaped(value)}"' for name, value in each.labels)
    return f"{{{inside}}}" if inside else ""


def _escaped(value: str) -> str:
    # Bytes that are no UTF-8 would make the exporter refuse the whole file.
    clean = value.encode("utf-8", errors="replace").decode("utf-8")
    return clean.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) else repr(float(value))
