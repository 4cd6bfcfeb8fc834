"""Cluster, node groups and queues of PCS."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bedplate.constructs.pcs_cluster import PcsCluster

Resources = Callable[[Any, str], dict[str, Any]]


def _cluster(stack: Any, **props: Any) -> PcsCluster:
    from bedplate.constructs.pcs_cluster import PcsCluster

    given: dict[str, Any] = {"most_instances": 9, "accounting": True, **props}
    return PcsCluster(
        stack,
        "Cluster",
        name="one",
        subnet_id="subnet-1",
        security_group_id="sg-1",
        slurm_version="25.11",
        **given,
    )


def _properties(resources: Resources, build: Any, type_: str) -> dict[str, Any]:
    (found,) = resources(build, type_).values()
    properties: dict[str, Any] = found["Properties"]
    return properties


@pytest.mark.parametrize(
    ("instances", "size"), [(32, "SMALL"), (33, "MEDIUM"), (512, "MEDIUM"), (513, "LARGE"), (2048, "LARGE")]
)
def test_the_size_holds_all_instances(resources: Resources, instances: int, size: str) -> None:
    """The smallest size that holds nodes and login nodes is taken, limits included."""
    found = _properties(
        resources, lambda stack: _cluster(stack, most_instances=instances), "AWS::PCS::Cluster"
    )
    assert found["Size"] == size


def test_more_instances_than_pcs_takes_are_refused(resources: Resources) -> None:
    """Beyond the largest size there is no cluster."""
    with pytest.raises(ValueError, match="2049 given, the largest PCS cluster holds 2048"):
        resources(lambda stack: _cluster(stack, most_instances=2049), "AWS::PCS::Cluster")


def test_no_settings_is_no_property(resources: Resources) -> None:
    """PCS refuses an empty list of settings."""
    found = _properties(resources, _cluster, "AWS::PCS::Cluster")
    assert "SlurmCustomSettings" not in found["SlurmConfiguration"]
    assert found["SlurmConfiguration"]["Accounting"] == {"Mode": "STANDARD"}


def test_settings_are_written_in_a_fixed_order(resources: Resources) -> None:
    """The order of the settings does not depend on the order they were given in."""
    found = _properties(
        resources,
        lambda stack: _cluster(stack, settings={"b": "2", "a": "1"}, accounting=False),
        "AWS::PCS::Cluster",
    )
    assert found["SlurmConfiguration"]["SlurmCustomSettings"] == [
        {"ParameterName": "a", "ParameterValue": "1"},
        {"ParameterName": "b", "ParameterValue": "2"},
    ]
    assert found["SlurmConfiguration"]["Accounting"] == {"Mode": "NONE"}


def test_a_node_group_takes_a_numbered_template_version(resources: Resources) -> None:
    """The version is the template's own latest number, not the word that hides changes."""

    def build(stack: Any) -> None:
        from bedplate.constructs.node_launch_template import NodeLaunchTemplate
        from bedplate.constructs.pcs_node_group import PcsNodeGroup

        template = NodeLaunchTemplate(stack, "Launch", security_group_ids=["sg-1"], user_data="x")
        PcsNodeGroup(
            stack,
            "Nodes",
            cluster_id="pcs_1",
            name="gpu",
            instance_type="p5en.48xlarge",
            image_id="ami-1",
            instance_profile_arn="arn:aws:iam::111122223333:instance-profile/aws-pcs/x",
            template_id=template.template_id,
            template_version=template.version,
            subnet_id="subnet-1",
            min_instances=2,
            max_instances=4,
        )

    found = _properties(resources, build, "AWS::PCS::ComputeNodeGroup")
    assert found["CustomLaunchTemplate"]["Version"]["Fn::GetAtt"][1] == "LatestVersionNumber"
    assert found["ScalingConfiguration"] == {"MinInstanceCount": 2, "MaxInstanceCount": 4}
    assert found["SubnetIds"] == ["subnet-1"]


def test_a_queue_names_its_node_groups(resources: Resources) -> None:
    """A queue holds its groups in the given order, and settings only where there are some."""

    def build(stack: Any) -> None:
        from bedplate.constructs.pcs_queue import PcsQueue

        PcsQueue(stack, "Queue", cluster_id="pcs_1", name="train", node_group_ids=["g2", "g1"])

    found = _properties(resources, build, "AWS::PCS::Queue")
    assert [each["ComputeNodeGroupId"] for each in found["ComputeNodeGroupConfigurations"]] == ["g2", "g1"]
    assert "SlurmConfiguration" not in found


def test_both_logs_of_a_cluster_go_to_one_group_one_delivery_after_the_other(resources: Resources) -> None:
    """slurmctld's log and the finished jobs, below the prefix that CloudWatch Logs has one policy for."""

    def build(stack: Any) -> None:
        from bedplate.constructs.pcs_logs import PcsLogs

        PcsLogs(stack, "Logs", name="one", cluster=_cluster(stack))

    sources = resources(build, "AWS::Logs::DeliverySource")
    told = {(each["Properties"]["Name"], each["Properties"]["LogType"]) for each in sources.values()}
    assert told == {("one-scheduler", "PCS_SCHEDULER_LOGS"), ("one-jobs", "PCS_JOBCOMP_LOGS")}
    group = _properties(resources, build, "AWS::Logs::LogGroup")
    assert group == {"LogGroupName": "/aws/vendedlogs/pcs/one", "RetentionInDays": 90}
    deliveries = resources(build, "AWS::Logs::Delivery")
    assert {each["Properties"]["DeliverySourceName"] for each in deliveries.values()} == {
        "one-scheduler",
        "one-jobs",
    }
    (later,) = [each for each in deliveries.values() if set(each["DependsOn"]) & set(deliveries)]
    assert later["Properties"]["DeliverySourceName"] == "one-jobs"
    assert all(set(each["DependsOn"]) & set(sources) for each in deliveries.values())


@pytest.mark.parametrize("asked", [True, False])
def test_slurmrestd_runs_where_it_is_asked_for(resources: Resources, asked: bool) -> None:
    """Without it the property is not there: PCS refuses it for Slurm 24.11."""
    found = _properties(resources, lambda stack: _cluster(stack, rest_api=asked), "AWS::PCS::Cluster")
    told = found["SlurmConfiguration"].get("SlurmRest")
    assert told == ({"Mode": "STANDARD"} if asked else None)
