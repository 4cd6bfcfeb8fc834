"""From pools, login nodes and the controller to instance groups (SageMaker API,
ClusterInstanceGroupSpecification).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.capacity.hyperpod_group import capacity_words, check_words
from bedplate.slurm.hyperpod.surroundings import Folder, Surroundings
from bedplate.spec.orchestrator import Partition
from bedplate.spec.orchestrator.hyperpod import SlurmHyperPod
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool

CONTROLLER, LOGIN = "controller", "login"


def controller_group(slurm: SlurmHyperPod, around: Surroundings) -> dict[str, Any]:
    """The one group with slurmctld: HyperPod takes neither none nor two."""
    return {
        **_group(CONTROLLER, slurm.controller.instance_type, 1, around),
        "ExecutionRole": around.head_role_arn,
        "LifeCycleConfig": _after_slurm(around),
        "SlurmConfig": {"NodeType": "Controller"},
        "OverrideVpcConfig": _vpc(around.head_subnet_id, around),
    }


def login_group(slurm: SlurmHyperPod, around: Surroundings) -> dict[str, Any]:
    """The nodes that people log in to."""
    return {
        **_group(LOGIN, slurm.login.instance_type, slurm.login.nodes, around),
        "LifeCycleConfig": _after_slurm(around),
        "SlurmConfig": {"NodeType": "Login"},
        "OverrideVpcConfig": _vpc(around.head_subnet_id, around),
    }


def pool_group(
    pool: Pool, *, slurm: SlurmHyperPod, partitions: Sequence[Partition], around: Surroundings
) -> dict[str, Any]:
    """The group of a pool: its name is the pool's. ``ValueError`` where the pool is in two partitions, or
    bought by a way that HyperPod does not have.
    """
    names = [each.name for each in partitions if pool.name in each.pools]
    if len(names) != 1:
        raise ValueError(f"pool {pool.name}: a HyperPod group is in one partition, not in {names}")
    hardware = pool_hardware(pool)
    made = {
        **_group(pool.name, hardware.name, pool.max_nodes, around),
        "SlurmConfig": {"NodeType": "Compute", "PartitionNames": names},
        **capacity_words(pool),
    }
    if hardware.efa_count:
        made["NetworkInterface"] = {"InterfaceType": "efa-only"}
    if hardware.gpus and slurm.deep_health_checks:
        made["OnStartDeepHealthChecks"] = check_words(slurm.deep_health_checks)
    return made


def _group(name: str, instance_type: str, count: int, around: Surroundings) -> dict[str, Any]:
    made: dict[str, Any] = {
        "InstanceGroupName": name,
        "InstanceType": f"ml.{instance_type}",
        "InstanceCount": count,
        "ExecutionRole": around.role_arn,
        "LifeCycleConfig": {"SourceS3Uri": around.scripts_uri, "OnCreate": around.on_create},
    }
    folders = mounted_by_service(around.folders)
    if folders:
        made["InstanceStorageConfigs"] = [_storage(each) for each in folders]
    return made


def mounted_by_service(folders: Sequence[Folder]) -> list[Folder]:
    """Those that HyperPod is told of: the first Lustre without EFA and the first OpenZFS.

    A group takes one of each (SageMaker Developer Guide, "Getting started with SageMaker HyperPod using the
    AWS CLI"). A Lustre with EFA would come up over TCP, for LNet is told of its devices by the bootstrap. The
    bootstrap mounts what is left, on every node.
    """
    fit = [each for each in folders if not each.efa]
    return [next(each for each in fit if each.kind == kind) for kind in dict.fromkeys(e.kind for e in fit)]


def _after_slurm(around: Surroundings) -> Mapping[str, Any]:
    """Where HyperPod itself sets Slurm up first, with slurmdbd and the database where there is one."""
    return {"SourceS3Uri": around.scripts_uri, "OnInitComplete": around.on_create}


def _storage(folder: Folder) -> Mapping[str, Any]:
    where = {"DnsName": folder.dns_name, "MountPath": folder.path}
    if folder.kind == "lustre":
        return {"FsxLustreConfig": {**where, "MountName": folder.mount_name}}
    return {"FsxOpenZfsConfig": where}


def _vpc(subnet_id: str, around: Surroundings) -> Mapping[str, Any]:
    return {"SecurityGroupIds": [around.security_group_id], "Subnets": [subnet_id]}
