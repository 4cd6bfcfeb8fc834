"""The real CDK command line takes every example through its life in the sandbox."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.sandbox.cdk_failure import CdkFailed
from bedplate.spec.beside_pools import types_beside_pools
from tests.sandbox.deploy.conftest import OWN_NETWORK, Deployment

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("deployment", OWN_NETWORK, indirect=True)
def test_example_deploys_without_difference_and_is_destroyed(deployment: Deployment) -> None:
    """Bootstrap, deploy, no difference, nothing to update, manifest there, then destroy all that may be."""
    cdk, environment = deployment.cdk, deployment.environment
    cdk.bootstrap(account=environment.account, region=environment.region)
    cdk.deploy()
    assert _statuses(deployment) == {"CREATE_COMPLETE"}
    assert cdk.diff() is False
    cdk.deploy()
    assert _statuses(deployment) == {"CREATE_COMPLETE"}, "a second deploy changed something"
    beside = types_beside_pools(environment).total()
    assert _running(deployment) == sum(pool.min_nodes for pool in environment.pools) + beside
    location = deployment.client("ssm").get_parameter(Name=f"/bedplate/{environment.name}/manifest")
    bucket, key = location["Parameter"]["Value"].removeprefix("s3://").split("/", 1)
    assert deployment.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
    _destroy(deployment)
    assert _stacks(deployment) == []
    assert _running(deployment) == 0


def _destroy(deployment: Deployment) -> None:
    """What a person does who really means it: lift the protection, delete what was retained, destroy."""
    protected = [stack for stack in _stacks(deployment) if stack["EnableTerminationProtection"]]
    if not protected:
        deployment.cdk.destroy()
        return
    with pytest.raises(CdkFailed, match="TerminationProtection is enabled"):
        deployment.cdk.destroy()
    api = deployment.client("cloudformation")
    for stack in protected:
        api.update_termination_protection(StackName=stack["StackName"], EnableTerminationProtection=False)
    if deployment.environment.storage.file_systems:
        with pytest.raises(CdkFailed, match="has dependencies"):
            deployment.cdk.destroy()
        _delete_retained(deployment)
    deployment.cdk.destroy()


def _delete_retained(deployment: Deployment) -> None:
    fsx, ec2 = deployment.client("fsx"), deployment.client("ec2")
    for association in fsx.describe_data_repository_associations()["Associations"]:
        fsx.delete_data_repository_association(AssociationId=association["AssociationId"])
    for file_system in fsx.describe_file_systems()["FileSystems"]:
        fsx.delete_file_system(FileSystemId=file_system["FileSystemId"])
    efs = deployment.client("efs")
    for elastic in efs.describe_file_systems()["FileSystems"]:
        for target in efs.describe_mount_targets(FileSystemId=elastic["FileSystemId"])["MountTargets"]:
            efs.delete_mount_target(MountTargetId=target["MountTargetId"])
        efs.delete_file_system(FileSystemId=elastic["FileSystemId"])
    _delete_databases(deployment)
    kept = [
        group
        for group in ec2.describe_security_groups()["SecurityGroups"]
        if any(tag["Value"].endswith("-storage") for tag in group.get("Tags", []))
    ]
    for group in kept:
        ec2.delete_security_group(GroupId=group["GroupId"])


def _delete_databases(deployment: Deployment) -> None:
    rds = deployment.client("rds")
    for cluster in rds.describe_db_clusters()["DBClusters"]:
        name = cluster["DBClusterIdentifier"]
        rds.modify_db_cluster(DBClusterIdentifier=name, DeletionProtection=False)
        for member in cluster["DBClusterMembers"]:
            rds.delete_db_instance(DBInstanceIdentifier=member["DBInstanceIdentifier"])
        rds.delete_db_cluster(DBClusterIdentifier=name, SkipFinalSnapshot=True)


def _stacks(deployment: Deployment) -> list[dict[str, Any]]:
    stacks = deployment.client("cloudformation").describe_stacks()["Stacks"]
    return [stack for stack in stacks if stack["StackName"] != "CDKToolkit"]


def _statuses(deployment: Deployment) -> set[str]:
    return {stack["StackStatus"] for stack in _stacks(deployment)}


def _running(deployment: Deployment) -> int:
    """Instances that run; HyperPod's are SageMaker's to list."""
    if deployment.environment.orchestrator.kind == "slurm-hyperpod":
        sagemaker = deployment.client("sagemaker")
        clusters = sagemaker.list_clusters()["ClusterSummaries"]
        pages = [sagemaker.list_cluster_nodes(ClusterName=each["ClusterName"]) for each in clusters]
        return sum(len(page["ClusterNodeSummaries"]) for page in pages)
    filters = [{"Name": "instance-state-name", "Values": ["running"]}]
    reservations = deployment.client("ec2").describe_instances(Filters=filters)["Reservations"]
    return sum(len(reservation["Instances"]) for reservation in reservations)
