"""The whole cluster configuration, as ``pcluster create-cluster --cluster-configuration`` takes it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from bedplate.capacity.images import login_architecture
from bedplate.slurm.parallelcluster.queues import KIND, custom_actions, node_rights, queue
from bedplate.slurm.parallelcluster.surroundings import HEAD, LOGIN, SharedFolder, Surroundings
from bedplate.slurm.settings import SCALE_DOWN_IDLE_SECONDS, cluster_settings
from bedplate.spec.orchestrator.parallelcluster import SlurmParallelCluster
from bedplate.spec.pools import Pool

OS = "ubuntu2404"
LOG_DAYS = 90


def configuration(
    slurm: SlurmParallelCluster, *, pools: Sequence[Pool], around: Surroundings
) -> dict[str, Any]:
    """Plain data for YAML. ``ValueError`` where ParallelCluster could not launch it, which the rules of the
    environment file refuse before.
    """
    by_name = {pool.name: pool for pool in pools}
    queues = [queue(each, [by_name[name] for name in each.pools], around) for each in slurm.partitions]
    made: dict[str, Any] = {
        "Region": around.region,
        "Image": {"Os": OS},
        "Imds": {"ImdsSupport": "v2.0"},
        "HeadNode": _head_node(slurm, around),
        "LoginNodes": {"Pools": [_login(slurm, around)]},
        "Scheduling": {
            "Scheduler": "slurm",
            "SlurmSettings": _slurm_settings(slurm, around, tree=has_tree(pools)),
            "SlurmQueues": queues,
        },
        "SharedStorage": [_shared(each) for each in around.folders],
        "Monitoring": {"Logs": {"CloudWatch": {"Enabled": True, "RetentionInDays": LOG_DAYS}}},
        "Tags": [{"Key": key, "Value": value} for key, value in around.tags.items()],
    }
    return {key: value for key, value in made.items() if value}


def has_tree(pools: Sequence[Pool]) -> bool:
    """Whether Slurm's topology is a tree of switches, kept by the head node; blocks of UltraServers
    ParallelCluster writes itself.
    """
    return not any(pool.ultraserver for pool in pools)


def _head_node(slurm: SlurmParallelCluster, around: Surroundings) -> dict[str, Any]:
    made: dict[str, Any] = {
        "InstanceType": slurm.head_node.instance_type,
        "Networking": {"SubnetId": around.head_subnet_id, "SecurityGroups": [around.security_group_id]},
        "Iam": node_rights(around.head_policy_arns),
        "CustomActions": custom_actions(around.script, [HEAD]),
    }
    image = around.images.get(login_architecture(made["InstanceType"]))
    return {**made, "Image": {"CustomAmi": image}} if image else made


def _login(slurm: SlurmParallelCluster, around: Surroundings) -> dict[str, Any]:
    made: dict[str, Any] = {
        "Name": LOGIN,
        "InstanceType": slurm.login.instance_type,
        "Count": slurm.login.nodes,
        "Networking": {"SubnetIds": [around.head_subnet_id], "SecurityGroups": [around.security_group_id]},
        "Iam": node_rights(around.policy_arns),
        "CustomActions": custom_actions(around.script, [LOGIN]),
    }
    image = around.images.get(login_architecture(made["InstanceType"]))
    return {**made, "Image": {"CustomAmi": image}} if image else made


def _slurm_settings(slurm: SlurmParallelCluster, around: Surroundings, *, tree: bool) -> dict[str, Any]:
    settings = cluster_settings(slurm, kind=KIND, tree=tree)
    made: dict[str, Any] = {
        "ScaledownIdletime": SCALE_DOWN_IDLE_SECONDS // 60,
        # A change of a queue waits for its jobs, and takes the nodes one by one.
        "QueueUpdateStrategy": "DRAIN",
        "EnableMemoryBasedScheduling": True,
        "CustomSlurmSettings": [{name: value} for name, value in settings.items()],
    }
    if around.database is not None:
        made["Database"] = {
            "Uri": around.database.uri,
            "UserName": around.database.user,
            "PasswordSecretArn": around.database.secret_arn,
        }
    return made


def storage_name(path: str) -> str:
    """A name for what is mounted there, its own for each path and the same at every deploy: ParallelCluster
    takes 30 characters, and changes no name.
    """
    words = path.strip("/").replace("/", "-").replace(".", "-").replace("_", "-")[:20].strip("-")
    return f"{words}-{hashlib.sha256(path.encode()).hexdigest()[:8]}"


def _shared(folder: SharedFolder) -> dict[str, Any]:
    """By id: ParallelCluster's own schema knows neither EFA nor metadata of a Lustre that it would make."""
    settings: dict[str, tuple[str, str, dict[str, Any]]] = {
        "lustre": ("FsxLustre", "FsxLustreSettings", {"FileSystemId": folder.file_system_id}),
        "openzfs": ("FsxOpenZfs", "FsxOpenZfsSettings", {"VolumeId": folder.file_system_id}),
        "efs": (
            "Efs",
            "EfsSettings",
            {"FileSystemId": folder.file_system_id, "EncryptionInTransit": True},
        ),
    }
    storage_type, section, values = settings[folder.kind]
    return {
        "Name": storage_name(folder.path),
        "MountDir": folder.path,
        "StorageType": storage_type,
        section: values,
    }
