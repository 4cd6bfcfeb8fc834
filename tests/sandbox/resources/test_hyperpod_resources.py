"""HyperPod: clusters of instance groups whose nodes EC2 does not show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.resources.hyperpod_stack import OUTPUTS, hyperpod_resources, scripts
from tests.sandbox.stand_in import StandIn, outputs

Groups = list[dict[str, Any]]


def _made(stand_in: StandIn, **options: Any) -> tuple[Any, dict[str, Any]]:
    resources = hyperpod_resources(scripts(stand_in), **options)
    stack = stand_in.create(resources, Outputs=OUTPUTS)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    return stack, resources


def _nodes(stand_in: StandIn, cluster: str, group: str = "") -> list[dict[str, Any]]:
    part = {"InstanceGroupNameContains": group} if group else {}
    found: list[dict[str, Any]] = stand_in.client("sagemaker").list_cluster_nodes(
        ClusterName=cluster, MaxResults=100, **part
    )["ClusterNodeSummaries"]
    return found


def test_a_cluster_launches_and_boots_its_groups(stand_in: StandIn) -> None:
    """The controller first; compute nodes are in their partition and in everybody's, named by address."""
    stack, _ = _made(stand_in, nodes=3)
    nodes = _nodes(stand_in, stack["StackName"])
    assert [each["InstanceGroupName"] for each in nodes] == ["controller", "login", "h200", "h200", "h200"]
    compute = [stand_in.fleet.booted[each["InstanceId"]] for each in nodes[2:]]
    assert {each["role"] for each in compute} == {"compute"}
    assert {each["partitions"] for each in compute} == {("train", "dev")}
    assert {each["slurm_name"] for each in compute} == {
        f"ip-{each['private_ip'].replace('.', '-')}" for each in compute
    }
    heads = [stand_in.fleet.booted[each["InstanceId"]] for each in nodes[:2]]
    assert {(each["role"], each["slurm_name"]) for each in heads} == {("login", None)}
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    assert {each["InstanceId"] for each in nodes} <= set(stand_in.fleet.terminated)


def test_a_node_boots_by_its_life_cycle_script(stand_in: StandIn) -> None:
    """It is given the folder's files and the list of nodes; a controller a slurm.conf too."""
    stack, _ = _made(stand_in, nodes=1)
    nodes = {each["InstanceGroupName"]: each["InstanceId"] for each in _nodes(stand_in, stack["StackName"])}
    script = {name: stand_in.fleet.booted[each]["user_data"] for name, each in nodes.items()}
    for name, text in script.items():
        address = stand_in.fleet.booted[nodes[name]]["private_ip"]
        assert "/slurm/on_create.sh on_create.sh\n" in text
        assert text.endswith(f"export BEDPLATE_ADDRESS={address}\nexec bash on_create.sh\n")
        assert f'"CustomerIpAddress": "{address}"' in text
    assert "SlurmctldHost=" in script["controller"]
    assert "SlurmctldHost=" not in script["h200"]
    assert stand_in.fleet.booted[nodes["controller"]]["private_ip"] in script["h200"]


def test_the_sagemaker_api_tells_of_the_cluster(stand_in: StandIn) -> None:
    """By name and by ARN, with the counts of each group; a node with its address and zone."""
    stack, _ = _made(stand_in, nodes=2)
    sagemaker, arn = stand_in.client("sagemaker"), outputs(stack)["Arn"]
    told = sagemaker.describe_cluster(ClusterName=arn)
    assert told["ClusterName"] == stack["StackName"]
    assert told["ClusterStatus"] == "InService"
    assert told["NodeProvisioningMode"] == "Continuous"
    assert {each["InstanceGroupName"]: each["CurrentCount"] for each in told["InstanceGroups"]} == {
        "controller": 1,
        "login": 1,
        "h200": 2,
    }
    assert arn in {each["ClusterArn"] for each in sagemaker.list_clusters()["ClusterSummaries"]}
    node = _nodes(stand_in, arn, "h200")[0]["InstanceId"]
    details = sagemaker.describe_cluster_node(ClusterName=arn, NodeId=node)["NodeDetails"]
    assert details["PrivatePrimaryIp"] == stand_in.fleet.booted[node]["private_ip"]
    assert details["Placement"]["AvailabilityZoneId"] == "usw2-az2"
    assert details["NetworkInterface"] == {"InterfaceType": "efa-only"}


def test_nodes_are_told_page_by_page(stand_in: StandIn) -> None:
    """Each once, whatever the page; a token that is none is refused."""
    stack, _ = _made(stand_in, nodes=3)
    sagemaker, name = stand_in.client("sagemaker"), stack["StackName"]
    pages = [
        page["ClusterNodeSummaries"]
        for page in sagemaker.get_paginator("list_cluster_nodes").paginate(
            ClusterName=name, PaginationConfig={"PageSize": 2}
        )
    ]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [each for page in pages for each in page] == _nodes(stand_in, name)
    with pytest.raises(ClientError, match="no NextToken"):
        sagemaker.list_cluster_nodes(ClusterName=name, NextToken="?")


def test_ec2_and_run_command_know_no_node(stand_in: StandIn) -> None:
    """EC2 shows an interface of each and no instance, and SSM refuses a command to one."""
    stack, _ = _made(stand_in, nodes=2)
    ids = [each["InstanceId"] for each in _nodes(stand_in, stack["StackName"])]
    ec2 = stand_in.client("ec2")
    shown = [
        each["InstanceId"] for one in ec2.describe_instances()["Reservations"] for each in one["Instances"]
    ]
    assert not set(ids) & set(shown)
    with pytest.raises(ClientError, match="InvalidInstanceId"):
        stand_in.client("ssm").send_command(
            InstanceIds=ids[:1], DocumentName="AWS-RunShellScript", Parameters={"commands": ["true"]}
        )
    filters = [{"Name": "subnet-id", "Values": [outputs(stack)["Subnet"]]}]
    assert len(ec2.describe_network_interfaces(Filters=filters)["NetworkInterfaces"]) == 4


def _free(stand_in: StandIn, subnet: str) -> int:
    found = stand_in.client("ec2").describe_subnets(SubnetIds=[subnet])["Subnets"][0]
    return int(found["AvailableIpAddressCount"])


def test_every_efa_with_an_address_takes_one(stand_in: StandIn) -> None:
    """A p5en takes 16 with ``efa`` and one with ``efa-only``; all come back with the nodes."""
    stack, resources = _made(stand_in, nodes=1)
    subnet, groups = outputs(stack)["Subnet"], resources["Cluster"]["Properties"]["InstanceGroups"]
    assert _free(stand_in, subnet) == 251 - 3
    groups[2]["InstanceCount"] = 0
    stand_in.update(stack["StackName"], resources, Outputs=OUTPUTS)
    groups[2] |= {"InstanceCount": 1, "NetworkInterface": {"InterfaceType": "efa"}}
    stand_in.update(stack["StackName"], resources, Outputs=OUTPUTS)
    assert _free(stand_in, subnet) == 251 - 2 - 16
    groups[2]["InstanceCount"] = 0
    stand_in.update(stack["StackName"], resources, Outputs=OUTPUTS)
    assert _free(stand_in, subnet) == 251 - 2


def test_an_update_scales_groups_and_moves_partitions(stand_in: StandIn) -> None:
    """The nodes that stay are the same ones; a group that is gone loses its nodes."""
    stack, resources = _made(stand_in, nodes=1)
    name, groups = stack["StackName"], resources["Cluster"]["Properties"]["InstanceGroups"]
    before = [each["InstanceId"] for each in _nodes(stand_in, name)]
    groups[2]["InstanceCount"] = 3
    groups[2]["SlurmConfig"]["PartitionNames"] = ["debug"]
    assert stand_in.update(name, resources, Outputs=OUTPUTS)["StackStatus"] == "UPDATE_COMPLETE"
    after = [each["InstanceId"] for each in _nodes(stand_in, name)]
    assert after[:3] == before
    assert len(after) == 5
    assert {tuple(stand_in.fleet.booted[each]["partitions"]) for each in after[2:]} == {("debug", "dev")}
    del groups[1]
    stand_in.update(name, resources, Outputs=OUTPUTS)
    assert {each["InstanceGroupName"] for each in _nodes(stand_in, name)} == {"controller", "h200"}


def test_a_replaced_node_keeps_its_name_and_address(stand_in: StandIn) -> None:
    """Another instance boots in its place; an instance of no cluster is a failure of its own."""
    stack, _ = _made(stand_in, nodes=2)
    name = stack["StackName"]
    old = [each["InstanceId"] for each in _nodes(stand_in, name, "h200")]
    was = dict(stand_in.fleet.booted[old[0]])
    answer = stand_in.client("sagemaker").batch_replace_cluster_nodes(
        ClusterName=name, NodeIds=[old[0], "i-00000000000000000"]
    )
    assert answer["Successful"] == [old[0]]
    assert [each["ErrorCode"] for each in answer["Failed"]] == ["InstanceIdNotFound"]
    new = {each["InstanceId"] for each in _nodes(stand_in, name, "h200")} - set(old)
    assert len(new) == 1
    assert old[0] in stand_in.fleet.terminated
    now = stand_in.fleet.booted[new.pop()]
    assert (now["slurm_name"], now["private_ip"]) == (was["slurm_name"], was["private_ip"])


def test_a_cluster_that_is_not_there_is_not_found(stand_in: StandIn) -> None:
    """Nor is a node of another cluster, and what is not played is refused."""
    stack, _ = _made(stand_in, nodes=1)
    sagemaker = stand_in.client("sagemaker")
    with pytest.raises(ClientError, match="ResourceNotFound"):
        sagemaker.describe_cluster(ClusterName="other")
    with pytest.raises(ClientError, match="ResourceNotFound"):
        sagemaker.describe_cluster_node(ClusterName=stack["StackName"], NodeId="i-00000000000000000")
    with pytest.raises(ClientError, match="SBX-010"):
        sagemaker.batch_reboot_cluster_nodes(ClusterName=stack["StackName"], NodeIds=["i-00000000000000000"])


def _two_controllers(cluster: dict[str, Any], groups: Groups) -> None:
    groups[1]["SlurmConfig"] = {"NodeType": "Controller"}


def _no_controller(cluster: dict[str, Any], groups: Groups) -> None:
    del groups[0]


def _large_controller(cluster: dict[str, Any], groups: Groups) -> None:
    groups[0]["InstanceCount"] = 2


def _two_logins(cluster: dict[str, Any], groups: Groups) -> None:
    groups[2]["SlurmConfig"] = {"NodeType": "Login"}


def _partition_of_login(cluster: dict[str, Any], groups: Groups) -> None:
    groups[1]["SlurmConfig"]["PartitionNames"] = ["train"]


def _no_partition(cluster: dict[str, Any], groups: Groups) -> None:
    del groups[2]["SlurmConfig"]["PartitionNames"]


def _strategy(cluster: dict[str, Any], groups: Groups) -> None:
    cluster["Orchestrator"]["Slurm"]["SlurmConfigStrategy"] = "Managed"


def _database_without_continuous(cluster: dict[str, Any], groups: Groups) -> None:
    del cluster["NodeProvisioningMode"]
    secret = "arn:aws:secretsmanager:us-west-2:123456789012:secret:slurm-Ab1"
    cluster["Orchestrator"]["Slurm"]["AccountingDatabase"] = {"Endpoint": "db.internal", "SecretArn": secret}


def _group_without_slurm(cluster: dict[str, Any], groups: Groups) -> None:
    del groups[2]["SlurmConfig"]


def _bad_type(cluster: dict[str, Any], groups: Groups) -> None:
    groups[2]["InstanceType"] = "ml.p9.48xlarge"


def _same_name(cluster: dict[str, Any], groups: Groups) -> None:
    groups[1]["InstanceGroupName"] = "h200"


def _both_scripts(cluster: dict[str, Any], groups: Groups) -> None:
    groups[2]["LifeCycleConfig"]["OnInitComplete"] = "on_create.sh"


def _no_script(cluster: dict[str, Any], groups: Groups) -> None:
    groups[2]["LifeCycleConfig"]["OnCreate"] = "other.sh"


def _two_lustres(cluster: dict[str, Any], groups: Groups) -> None:
    lustre = {
        "FsxLustreConfig": {
            "DnsName": "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com",
            "MountName": "abcdef12",
        }
    }
    groups[2]["InstanceStorageConfigs"] = [lustre, lustre]


def _no_role(cluster: dict[str, Any], groups: Groups) -> None:
    groups[2]["ExecutionRole"] = "arn:aws:iam::123456789012:role/nobodys"


def _too_many(cluster: dict[str, Any], groups: Groups) -> None:
    groups[2]["InstanceCount"] = 300


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (_two_controllers, "2 Controller Groups found"),
        (_no_controller, "has no InstanceGroup with Controller node type"),
        (_large_controller, "a Controller group has 1 instance"),
        (_two_logins, "2 Login groups found"),
        (_partition_of_login, "Partitions can only be assigned to Compute node types"),
        (_no_partition, "PartitionNames is required"),
        (_strategy, "SlurmConfigStrategy cannot be set"),
        (_database_without_continuous, "AccountingDatabase needs"),
        (_group_without_slurm, "needs a SlurmConfig in h200"),
        (_bad_type, "p9.48xlarge"),
        (_same_name, "2 instance groups are named h200"),
        (_both_scripts, "mutually exclusive"),
        (_no_script, "has no other.sh"),
        (_two_lustres, "at most one FsxLustreConfig"),
        (_no_role, "role/nobodys does not exist"),
        (_too_many, "free addresses"),
    ],
)
def test_what_hyperpod_refuses_fails_the_stack(
    stand_in: StandIn, spoil: Callable[[dict[str, Any], Groups], None], word: str
) -> None:
    """Each thing fails the stack, with the reason in its history, and no node stays behind."""
    resources = hyperpod_resources(scripts(stand_in))
    cluster = resources["Cluster"]["Properties"]
    spoil(cluster, cluster["InstanceGroups"])
    before = set(stand_in.fleet.booted)
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])
    assert set(stand_in.fleet.booted) == before


def test_a_role_that_sagemaker_may_not_take_is_refused(stand_in: StandIn) -> None:
    """Its trust names another service."""
    resources = hyperpod_resources(scripts(stand_in))
    (statement,) = resources["Role"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    statement["Principal"] = {"Service": "ec2.amazonaws.com"}
    stack = stand_in.create(resources)
    assert "does not trust sagemaker.amazonaws.com" in stand_in.reasons(stack["StackName"])


def test_the_older_way_of_configuring_is_refused_beside_the_new_one(stand_in: StandIn) -> None:
    """A ``provisioning_parameters.json`` beside the script."""
    uri = scripts(stand_in, **{"provisioning_parameters.json": "{}"})
    stack = stand_in.create(hyperpod_resources(uri))
    assert "cannot include both a SLURM Orchestrator Config" in stand_in.reasons(stack["StackName"])


def test_a_second_cluster_of_one_name_is_refused(stand_in: StandIn) -> None:
    """A name is free again once its cluster is deleted."""
    stack, resources = _made(stand_in, nodes=1)
    resources["Cluster"]["Properties"]["ClusterName"] = stack["StackName"]
    second = stand_in.create(resources)
    assert "already exists. Choose a different name." in stand_in.reasons(second["StackName"])
    stand_in.delete(stack)
    assert stand_in.create(resources)["StackStatus"] == "CREATE_COMPLETE"


def test_a_groups_part_in_slurm_cannot_change(stand_in: StandIn) -> None:
    """The update fails and is rolled back; the nodes stay."""
    stack, resources = _made(stand_in, nodes=1)
    name, groups = stack["StackName"], resources["Cluster"]["Properties"]["InstanceGroups"]
    before = _nodes(stand_in, name)
    groups[1]["SlurmConfig"] = {"NodeType": "Compute", "PartitionNames": ["train"]}
    assert stand_in.update(name, resources)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert "NodeType of login cannot be changed from Login" in stand_in.reasons(name)
    assert _nodes(stand_in, name) == before


def test_a_node_that_does_not_come_up_fails_the_stack(stand_in: StandIn) -> None:
    """No record and no interface of the cluster stays behind."""
    stand_in.fleet.boot_error = RuntimeError("no room")
    stack = stand_in.create(hyperpod_resources(scripts(stand_in)))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "no room" in stand_in.reasons(stack["StackName"])
    with pytest.raises(ClientError, match="ResourceNotFound"):
        stand_in.client("sagemaker").describe_cluster(ClusterName=stack["StackName"])
