"""Series of an input of promtool: what a value is before a fault and after it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bedplate.telemetry.metrics.catalogue import metric

FAULT_AT = 30
"""The minute at which what is healthy turns."""
MINUTES = 240
"""How long each case runs."""

PLACE = {
    "environment": "demo",
    "cluster": "bedplate-demo",
    "pool": "train",
    "instance_type": "p5en.48xlarge",
    "zone": "use2-az1",
    "instance_id": "i-0a1",
    "node": "train-1",
}
GPU = {"gpu": "3", "UUID": "GPU-3", "pci_bus_id": "00000000:53:00.0"}
JOB = {"hpc_job": "77"}


@dataclass(frozen=True)
class Series:
    """``before`` and ``after`` are values, or ``START+STEP`` of a counter."""

    name: str
    before: str
    after: str
    labels: dict[str, str] = field(default_factory=dict)

    def on(self, **labels: str) -> Series:
        """The same of another node, GPU or device."""
        return replace(self, labels={**self.labels, **labels})

    def input(self, *, turns: bool = True, ends_after: int | None = None) -> dict[str, str]:
        """As promtool reads it. Without ``turns`` it stays as it was; after ``ends_after`` it turns back."""
        text = ",".join(f'{name}="{value}"' for name, value in self.labels.items())
        if not turns:
            values = _run(self.before, MINUTES)
        elif ends_after is None:
            values = f"{_run(self.before, FAULT_AT - 1)} {_run(self.after, MINUTES - FAULT_AT)}"
        else:
            rest = MINUTES - FAULT_AT - ends_after
            parts = (
                _run(self.before, FAULT_AT - 1),
                _run(self.after, ends_after - 1),
                _run(self.before, rest),
            )
            values = " ".join(parts)
        return {"series": f"{self.name}{{{text}}}", "values": values}


def _run(value: str, more: int) -> str:
    """A value and ``more`` after it; ``_`` is none, ``5+2`` grows by 2 a minute."""
    if value == "_":
        return f"_x{more + 1}"
    return f"{value}x{more}" if "+" in value else f"{value}+0x{more}"


def cluster(name: str, before: object, after: object, /, **labels: str) -> Series:
    """Of a cluster or a pool; its exporter's job is known by the table."""
    job = metric(name).exporter.job
    scraped = {"job": job} if job else {}
    return Series(name, str(before), str(after), {**PLACE, **scraped, **labels})


def node(name: str, before: object, after: object, /, **labels: str) -> Series:
    """Of a node."""
    return cluster(name, before, after, **labels)


def gpu(name: str, before: object, after: object, /, **labels: str) -> Series:
    """Of a GPU that works for a job."""
    return cluster(name, before, after, **{**GPU, **JOB, **labels})


def both(name: str, value: object, /, **labels: str) -> Series:
    """The same before and after."""
    return cluster(name, value, value, **labels)
