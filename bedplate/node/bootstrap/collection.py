"""What a node is told about its metrics: where they go, and where the programs that collect them are from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Tuple

from bedplate.node.bootstrap.containers import Download

_KEYS = {"url", "region", "cluster", "zone", "slurm", "slurmctld", "packages"}


@dataclass(frozen=True)
class Collection:
    """``url`` takes Prometheus' remote write, signed for ``region``; ``cluster`` and ``zone`` are labels of
    all that this node writes. All strings may be CDK tokens. ``slurm``: this node tells what Slurm says of
    all nodes and jobs; ``slurmctld``: slurmctld serves metrics of its own, and this node scrapes them.
    ``packages`` hold the programs; without any the image has them.
    """

    url: str
    region: str
    cluster: str
    zone: str
    slurm: bool = False
    slurmctld: bool = False
    packages: Tuple[Download, ...] = ()

    @classmethod
    def from_data(cls, data: Any) -> Collection:
        """Of a JSON object. Raises ``ValueError``."""
        if not isinstance(data, dict) or not isinstance(data.get("packages", []), list):
            raise ValueError("it is no JSON object with a list of packages")
        unknown = sorted(set(data) - _KEYS)
        if unknown:
            raise ValueError(f"it has an unknown field {unknown[0]!r}")
        for name in ("url", "region", "cluster", "zone"):
            value = data.get(name)
            if not isinstance(value, str) or not value:
                raise ValueError(f"{name} is {value!r}; a text is allowed")
        for name in ("slurm", "slurmctld"):
            if not isinstance(data.get(name, False), bool):
                raise ValueError(f"{name} is {data[name]!r}; true or false is allowed")
        packages = tuple(Download.from_data(each) for each in data.get("packages", []))
        return cls(**{**data, "packages": packages})
