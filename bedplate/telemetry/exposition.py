"""Series as Prometheus reads them, each held against the table of metrics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from bedplate.telemetry.metrics.catalogue import metric
from bedplate.telemetry.metrics.metric import Metric

BUCKET = "le"
"""What a histogram's buckets have beside the labels of their metric."""


@dataclass(frozen=True, slots=True)
class Sample:
    """``name`` is the series' own: one of three where its metric is a histogram."""

    name: str
    labels: tuple[tuple[str, str], ...]
    value: float


class WrongLabels(ValueError):
    """A series has other labels than its metric has in the table."""


def sample(name: str, value: float, /, **labels: str) -> Sample:
    """A series. Raises ``UnknownMetric`` for one that no table has, ``WrongLabels`` for other labels."""
    _hold_against_the_table(name, tuple(labels))
    return Sample(name, tuple(labels.items()), value)


@lru_cache(maxsize=4096)
def _hold_against_the_table(name: str, labels: tuple[str, ...]) -> None:
    known = metric(name)
    wanted = {*known.labels, *((BUCKET,) if name == f"{known.name}_bucket" else ())}
    if set(labels) != wanted:
        raise WrongLabels(f"{name} has the labels {sorted(labels)}; the table says {sorted(wanted)}")


def exposition(samples: Iterable[Sample]) -> str:
    """Prometheus' text format: the series of one metric together, below its help and its type."""
    families: dict[str, tuple[Metric, list[str]]] = {}
    for each in samples:
        known = metric(each.name)
        _, lines = families.setdefault(known.name, (known, []))
        lines.append(f"{each.name}{_written(each.labels)} {_number(each.value)}")
    text = []
    for known, lines in families.values():
        text += [f"# HELP {known.name} {known.help}", f"# TYPE {known.name} {known.kind}", *lines]
    return "".join(f"{line}\n" for line in text)


@lru_cache(maxsize=262_144)
def _written(labels: tuple[tuple[str, str], ...]) -> str:
    inside = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)
    return f"{{{inside}}}" if inside else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
