"""Clusters to print jobs for."""

from __future__ import annotations

from typing import Any

from bedplate.slurm.jobs.script import Cluster
from bedplate.spec.file_systems import FileSystem, Lustre, OpenZfs
from bedplate.spec.orchestrator import SlurmPcs
from bedplate.spec.orchestrator.hyperpod import SlurmHyperPod
from tests.slurm.pools import pool

TRAIN = {"name": "train", "pools": ["h200"], "default": True}
FSX = Lustre.model_validate({"kind": "lustre", "mount": "/fsx", "capacity_gib": 38400})
_COMMON = {"partitions": [TRAIN], "containers": {"kind": "image"}}
HOME = OpenZfs.model_validate({"kind": "openzfs", "mount": "/home", "capacity_gib": 1024})


def pcs(**changes: Any) -> SlurmPcs:
    """One partition ``train`` over the pool ``h200``."""
    return SlurmPcs.model_validate({"kind": "slurm-pcs", **_COMMON, **changes})


def hyperpod(**changes: Any) -> SlurmHyperPod:
    """The same on HyperPod."""
    return SlurmHyperPod.model_validate({"kind": "slurm-hyperpod", **_COMMON, **changes})


def cluster(
    slurm: SlurmPcs | SlurmHyperPod | None = None,
    *,
    file_systems: tuple[FileSystem, ...] = (HOME, FSX),
    **changes: Any,
) -> Cluster:
    """Eight nodes of p5en with homes and a Lustre; ``changes`` are of the pool."""
    found = slurm or pcs()
    return Cluster(
        environment="proof",
        kind=found.kind,
        slurm=found,
        pools=(pool(**changes),),
        file_systems=file_systems,
    )
