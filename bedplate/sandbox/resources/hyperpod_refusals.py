"""What HyperPod refuses of a cluster.

The texts in quotes are its own (SageMaker Developer Guide, "Migrating to API-driven Slurm configuration",
Troubleshooting); the others say what the guide or the API Reference says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import botocore.session

Row = Mapping[str, Any]
MOST_FILE_SYSTEMS_OF_A_KIND = 1
"""Of one group, of each kind (guide, "Getting started with SageMaker HyperPod using the AWS CLI")."""


def problems(cluster: Row) -> list[str]:
    """Everything that is wrong with the properties of AWS::SageMaker::Cluster; empty where nothing is."""
    groups = cluster.get("InstanceGroups") or []
    found = [*_names(groups), *_types(groups), *_scripts(groups), *_storage(groups), *_orders(cluster)]
    found += _of_eks(cluster) if "Eks" in (cluster.get("Orchestrator") or {}) else _without_eks(cluster)
    if _slurm_of(groups):
        found += [*_roles(str(cluster.get("ClusterName")), groups), *_partitions(groups)]
    return found


def changed_types(old: Sequence[Row], new: Sequence[Row]) -> list[str]:
    """Groups whose type of Slurm node was changed, which HyperPod refuses."""
    before = {each["InstanceGroupName"]: _kind(each) for each in old}
    return [
        f"NodeType of {each['InstanceGroupName']} cannot be changed from {before[each['InstanceGroupName']]}"
        for each in new
        if before.get(each["InstanceGroupName"], _kind(each)) != _kind(each)
    ]


def _names(groups: Sequence[Row]) -> Iterator[str]:
    for name, count in Counter(each["InstanceGroupName"] for each in groups).items():
        if count > 1:
            yield f"{count} instance groups are named {name}"


def _types(groups: Sequence[Row]) -> Iterator[str]:
    for each in groups:
        if each.get("InstanceType") not in _instance_types():
            yield f"{each['InstanceGroupName']}: {each.get('InstanceType')} is no instance type of HyperPod's"


def _scripts(groups: Sequence[Row]) -> Iterator[str]:
    for each in groups:
        scripts = each.get("LifeCycleConfig") or {}
        if "OnCreate" in scripts and "OnInitComplete" in scripts:
            yield f"{each['InstanceGroupName']}: OnCreate and OnInitComplete are mutually exclusive"


def _storage(groups: Sequence[Row]) -> Iterator[str]:
    for each in groups:
        kinds = Counter(kind for config in each.get("InstanceStorageConfigs") or [] for kind in config)
        for kind in ("FsxLustreConfig", "FsxOpenZfsConfig"):
            if kinds[kind] > MOST_FILE_SYSTEMS_OF_A_KIND:
                yield f"{each['InstanceGroupName']}: at most one {kind}, not {kinds[kind]}"


def _orders(cluster: Row) -> Iterator[str]:
    slurm = (cluster.get("Orchestrator") or {}).get("Slurm") or {}
    groups = cluster.get("InstanceGroups") or []
    if cluster.get("NodeProvisioningMode") == "Continuous":
        if "SlurmConfigStrategy" in slurm:
            yield "SlurmConfigStrategy cannot be set with NodeProvisioningMode Continuous"
        without = [each["InstanceGroupName"] for each in groups if "SlurmConfig" not in each]
        if without and "Eks" not in (cluster.get("Orchestrator") or {}):
            yield f"NodeProvisioningMode Continuous needs a SlurmConfig in {', '.join(without)}"
    elif "AccountingDatabase" in slurm:
        yield "AccountingDatabase needs NodeProvisioningMode Continuous"


def _of_eks(cluster: Row) -> Iterator[str]:
    """API Reference: CreateCluster, AutoScaling and ClusterRole; ClusterInstanceGroupSpecification. That the
    API asks for a script though its reference does not say so, is told by others who called it.
    """
    for each in cluster.get("InstanceGroups") or []:
        if "SlurmConfig" in each:
            yield f"{each['InstanceGroupName']}: SlurmConfig is not supported with the Eks orchestrator"
        if not each.get("LifeCycleConfig"):
            yield f"{each['InstanceGroupName']}: a life-cycle script is required with the Eks orchestrator"
    if _scales(cluster):
        if "ClusterRole" not in cluster:
            yield "ClusterRole is required when AutoScaling is enabled"
        if cluster.get("NodeProvisioningMode") != "Continuous":
            yield "AutoScaling needs NodeProvisioningMode Continuous"


def _without_eks(cluster: Row) -> Iterator[str]:
    if _scales(cluster):
        yield "AutoScaling needs the Eks orchestrator"
    for each in cluster.get("InstanceGroups") or []:
        if "KubernetesConfig" in each:
            yield f"{each['InstanceGroupName']}: KubernetesConfig needs the Eks orchestrator"


def _scales(cluster: Row) -> bool:
    return (cluster.get("AutoScaling") or {}).get("Mode") == "Enable"


def _roles(name: str, groups: Sequence[Row]) -> Iterator[str]:
    kinds = Counter(_kind(each) for each in groups)
    if kinds["Controller"] > 1:
        yield (
            f"{kinds['Controller']} Controller Groups found: SlurmConfig for InstanceGroups may only have one"
            " Controller Group."
        )
    if not kinds["Controller"]:
        yield f"Cluster {name} has no InstanceGroup with Controller node type."
    if kinds["Login"] > 1:
        yield f"{kinds['Login']} Login groups found, at most one is allowed"
    for each in groups:
        if _kind(each) == "Controller" and each.get("InstanceCount") != 1:
            yield f"{each['InstanceGroupName']}: a Controller group has 1 instance"


def _partitions(groups: Sequence[Row]) -> Iterator[str]:
    for each in groups:
        names = (each.get("SlurmConfig") or {}).get("PartitionNames") or []
        if names and _kind(each) != "Compute":
            yield "Partitions can only be assigned to Compute node types"
        if not names and _kind(each) == "Compute":
            yield f"{each['InstanceGroupName']}: PartitionNames is required for Compute node types"


def _slurm_of(groups: Sequence[Row]) -> bool:
    return any("SlurmConfig" in each for each in groups)


def _kind(group: Row) -> str:
    return str((group.get("SlurmConfig") or {}).get("NodeType", ""))


@cache
def _instance_types() -> frozenset[str]:
    model = botocore.session.get_session().get_service_model("sagemaker")
    return frozenset(model.shape_for("ClusterInstanceType").metadata["enum"])
