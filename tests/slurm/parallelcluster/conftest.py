"""An environment's parts for the cluster configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bedplate.slurm.parallelcluster.configuration import configuration
from bedplate.slurm.parallelcluster.surroundings import Database, NodeScript, SharedFolder, Surroundings
from bedplate.spec.orchestrator.parallelcluster import SlurmParallelCluster
from bedplate.spec.pools import Pool
from tests.slurm.pools import pool

RESERVATION = "cr-0123456789abcdef0"
SECRET = "arn:aws:secretsmanager:us-west-2:123456789012:secret:slurm-Ab1"
AROUND = Surroundings(
    region="us-west-2",
    zone_id="usw2-az2",
    head_subnet_id="subnet-0123456789abcdef0",
    gpu_subnet_id="subnet-0123456789abcdef1",
    security_group_id="sg-0123456789abcdef0",
    head_policy_arns=("arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy",),
    policy_arns=("arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore",),
    script=NodeScript(
        url="s3://assets/node.sh",
        arguments=("assets", "program.pyz"),
        settings={},
    ),
    folders=(
        SharedFolder(kind="lustre", file_system_id="fs-0123456789abcdef0", path="/fsx"),
        SharedFolder(kind="openzfs", file_system_id="fsvol-0123456789abcdef0", path="/home"),
        SharedFolder(kind="efs", file_system_id="fs-0123456789abcdef1", path="/shared/code"),
    ),
    database=Database(uri="db.example.internal:3306", user="slurm", secret_arn=SECRET),
    tags={"team": "research"},
)


def orchestrator(**changes: Any) -> SlurmParallelCluster:
    """One partition ``train`` over the pool ``h200``."""
    data: dict[str, Any] = {
        "kind": "slurm-parallelcluster",
        "partitions": [{"name": "train", "pools": ["h200"], "default": True, "max_time_hours": 72}],
        **changes,
    }
    return SlurmParallelCluster.model_validate(data)


def made(*pools: Pool, slurm: SlurmParallelCluster | None = None, **around: Any) -> dict[str, Any]:
    """The configuration of these pools, one partition of all by default."""
    wanted = pools or (pool(),)
    names = [each.name for each in wanted]
    settings = {name: f'{{"pool":"{name}"}}' for name in ("head", "login", *names)}
    return configuration(
        slurm or orchestrator(partitions=[{"name": "train", "pools": names, "default": True}]),
        pools=wanted,
        around=replace(AROUND, script=replace(AROUND.script, settings=settings), **around),
    )
