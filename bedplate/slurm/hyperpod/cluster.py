"""The whole cluster, as ``sagemaker create-cluster`` and AWS::SageMaker::Cluster both name its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bedplate.capacity.hyperpod_group import RECOVERY
from bedplate.slurm.hyperpod.instance_groups import controller_group, login_group, pool_group
from bedplate.slurm.hyperpod.surroundings import Surroundings
from bedplate.slurm.settings import cluster_settings, queue_settings
from bedplate.spec.orchestrator.hyperpod import SlurmHyperPod
from bedplate.spec.pools import Pool

KIND = "slurm-hyperpod"
_NEEDED_BY_RECOVERY = {"SchedulerParameters": "permit_job_expansion"}
"""What HyperPod's agent sets for its automatic recovery (SageMaker Developer Guide, "What particular
configurations HyperPod manages in Slurm configuration files"). Slurm takes the last value of a parameter that
is given twice (seen on 22.05, the second in an included file), so that ours has to hold it too."""


def cluster(slurm: SlurmHyperPod, *, pools: Sequence[Pool], around: Surroundings) -> dict[str, Any]:
    """Plain data. ``ValueError`` where HyperPod could not run it, which the rules of the environment file
    refuse before.

    Continuous provisioning: without it one group that cannot be filled rolls back all of them. It forbids
    ``SlurmConfigStrategy``, so that none is given.
    """
    groups = [controller_group(slurm, around), login_group(slurm, around)]
    groups += [pool_group(pool, slurm=slurm, partitions=slurm.partitions, around=around) for pool in pools]
    return {
        "ClusterName": around.cluster_name,
        "InstanceGroups": groups,
        "VpcConfig": {
            "SecurityGroupIds": [around.security_group_id],
            "Subnets": [around.gpu_subnet_id],
        },
        "Orchestrator": {"Slurm": _slurm(around)},
        "NodeRecovery": RECOVERY[slurm.node_recovery],
        "NodeProvisioningMode": "Continuous",
        "Tags": [{"Key": key, "Value": value} for key, value in around.tags.items()],
    }


def settings_file(slurm: SlurmHyperPod) -> str:
    """What the controller's life-cycle script includes in slurm.conf: HyperPod's agent writes the rest, and
    its API takes no parameters.
    """
    settings = cluster_settings(slurm, kind=KIND)
    return "".join(f"{name}={_with_needed(name, value)}\n" for name, value in settings.items())


def partitions_file(slurm: SlurmHyperPod) -> str:
    """A line a partition that has something of its own: its name, and what ``scontrol update`` is told of it.

    HyperPod's API takes a partition's name and nothing else, and slurm.conf may not name a partition twice.
    """
    told = {each.name: queue_settings(each, kind=KIND) for each in slurm.partitions}
    return "".join(
        f"{name} {' '.join(f'{key}={value}' for key, value in settings.items())}\n"
        for name, settings in told.items()
        if settings
    )


def _with_needed(name: str, value: str) -> str:
    needed = _NEEDED_BY_RECOVERY.get(name)
    return value if needed is None or needed in value.split(",") else f"{needed},{value}"


def _slurm(around: Surroundings) -> dict[str, Any]:
    if around.accounting is None:
        return {}
    return {
        "AccountingDatabase": {
            "Endpoint": around.accounting.endpoint,
            "Port": around.accounting.port,
            "SecretArn": around.accounting.secret_arn,
        }
    }
