"""An environment's parts for a HyperPod cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bedplate.slurm.hyperpod.cluster import cluster
from bedplate.slurm.hyperpod.surroundings import Accounting, Folder, Surroundings
from bedplate.spec.orchestrator.hyperpod import SlurmHyperPod
from bedplate.spec.pools import Pool
from tests.slurm.pools import pool

PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/frontier"
SECRET = "arn:aws:secretsmanager:us-west-2:123456789012:secret:slurm-Ab1"
AROUND = Surroundings(
    cluster_name="bedplate-proof",
    head_subnet_id="subnet-0123456789abcdef0",
    gpu_subnet_id="subnet-0123456789abcdef1",
    security_group_id="sg-0123456789abcdef0",
    role_arn="arn:aws:iam::123456789012:role/nodes",
    head_role_arn="arn:aws:iam::123456789012:role/controller",
    scripts_uri="s3://sagemaker-scripts/slurm",
    on_create="on_create.sh",
    folders=(
        Folder(
            kind="lustre",
            dns_name="fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com",
            mount_name="abcdef12",
            path="/fsx",
        ),
        Folder(kind="openzfs", dns_name="fs-0123456789abcdef1.fsx.us-west-2.amazonaws.com", path="/home"),
    ),
    accounting=Accounting(endpoint="db.example.internal", secret_arn=SECRET),
    tags={"team": "research"},
)


def orchestrator(**changes: Any) -> SlurmHyperPod:
    """One partition ``train`` over the pool ``h200``."""
    data: dict[str, Any] = {
        "kind": "slurm-hyperpod",
        "partitions": [{"name": "train", "pools": ["h200"], "default": True}],
        **changes,
    }
    return SlurmHyperPod.model_validate(data)


def made(*pools: Pool, slurm: SlurmHyperPod | None = None, **around: Any) -> dict[str, Any]:
    """The cluster of these pools, one partition of all by default."""
    wanted = pools or (pool(),)
    names = [each.name for each in wanted]
    return cluster(
        slurm or orchestrator(partitions=[{"name": "train", "pools": names, "default": True}]),
        pools=wanted,
        around=replace(AROUND, **around),
    )
