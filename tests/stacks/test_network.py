"""Who can reach whom, what waits for what, and where each part of the network stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bedplate.spec import load_environment
from bedplate.spec.regions import is_local_zone
from tests.stacks.templates import interface_resources, stack_dependencies, waits_for

Case = Callable[[str], Any]
EXAMPLES = Path(__file__).parents[2] / "environments"
RULES = ("AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")


def _ingress(template: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::EC2::SecurityGroup":
            yield from resource["Properties"].get("SecurityGroupIngress", [])
        if resource["Type"] == "AWS::EC2::SecurityGroupIngress":
            yield resource["Properties"]


def test_no_address_range_comes_in(assembly: Any) -> None:
    """Every ingress rule of every stack names a security group; none names a range, least of all everyone."""
    groups = assembly.resources("network", "AWS::EC2::SecurityGroup")
    rules = [rule for template in assembly.templates.values() for rule in _ingress(template)]
    assert rules or not groups
    for rule in rules:
        assert not {"CidrIp", "CidrIpv6", "SourcePrefixListId"} & set(rule)
        assert rule["SourceSecurityGroupId"]


def test_the_fabric_admits_itself_both_ways(assembly: Any) -> None:
    """Each environment has one self-reference in and one out, by group id, for all protocols, or a group that
    is given, on which the network makes none.
    """
    vpc = load_environment(assembly.file).network.vpc
    if vpc is not None and vpc.fabric_group:
        assert not [each for kind in RULES for each in assembly.resources("network", kind)]
        return
    groups = assembly.resources("network", "AWS::EC2::SecurityGroup")
    (fabric,) = [key for key in groups if key.startswith("Fabric")]
    itself = {"Fn::GetAtt": [fabric, "GroupId"]}
    for kind, end in zip(RULES, ("SourceSecurityGroupId", "DestinationSecurityGroupId"), strict=True):
        (rule,) = assembly.resources("network", kind).values()
        assert rule["Properties"]["GroupId"] == rule["Properties"][end] == itself
        assert rule["Properties"]["IpProtocol"] == "-1"


def test_what_has_interfaces_is_made_after_the_rules(assembly: Any) -> None:
    """In the network stack it waits for both self-references; any other stack waits for the network stack."""
    network = assembly.templates["network"]
    rules = {key for kind in RULES for key in assembly.resources("network", kind)}
    name = load_environment(assembly.file).name
    found = list(interface_resources(assembly.templates))
    for role, key, resource in found:
        if role == "network":
            assert rules <= waits_for(network, key), (key, resource["Type"])
        else:
            stack = f"bedplate-{name}-{role}"
            assert f"bedplate-{name}-network" in stack_dependencies(assembly.folder, stack), (key, stack)
    types = {resource["Type"] for _, _, resource in found}
    pcs = {"AWS::PCS::Cluster", "AWS::PCS::ComputeNodeGroup", "AWS::EC2::LaunchTemplate"}
    others = {"Custom::PclusterCluster", "AWS::SageMaker::Cluster", "AWS::EKS::Cluster"}
    assert pcs <= types or others & types


def test_every_kind_of_interface_is_looked_at(assembly_of: Any, case: Case) -> None:
    """Over the examples the test above sees file systems, mount targets and endpoints; it misses no kind."""
    types = {
        resource["Type"]
        for file in (*sorted(EXAMPLES.glob("*.yaml")), case("closed-vpc").file)
        for _, _, resource in interface_resources(assembly_of(file).templates)
    }
    assert {"AWS::FSx::FileSystem", "AWS::EC2::VPCEndpoint"} <= types


def test_zones_are_given_by_id(demo: Any) -> None:
    """Subnets name AZ ids, which mean the same place in every account, and no zone by its letter."""
    subnets = [each["Properties"] for each in demo.resources("network", "AWS::EC2::Subnet").values()]
    assert {each["AvailabilityZoneId"] for each in subnets} == {"usw2-az1", "usw2-az2"}
    assert not any("AvailabilityZone" in each for each in subnets)


def test_only_the_gpu_subnet_lies_in_a_local_zone(assembly: Any) -> None:
    """NAT gateway, endpoints, control subnets, file systems, scheduler and login nodes are in zones of the
    Region; the GPU subnet is in the zone of the capacity.
    """
    wanted = load_environment(assembly.file).network
    subnets = assembly.resources("network", "AWS::EC2::Subnet")
    zones = {key: each["Properties"]["AvailabilityZoneId"] for key, each in subnets.items()}
    for key, zone in zones.items():
        assert zone == wanted.zone if "GpuSubnet" in key else zone in wanted.control_zones
    for nat in assembly.resources("network", "AWS::EC2::NatGateway").values():
        assert not is_local_zone(zones[nat["Properties"]["SubnetId"]["Fn::GetAtt"][0]])


def test_beside_a_local_zone_stands_what_it_does_not_offer(assembly_of: Any) -> None:
    """In Dallas the GPU node group alone is in the GPU subnet; cluster, login and file systems are not."""
    ultra = assembly_of(EXAMPLES / "ultraserver.yaml")
    outputs = ultra.templates["network"]["Outputs"]
    gpu = {key for key, each in outputs.items() if "GpuSubnet" in str(each["Value"])}
    in_gpu = {
        key
        for _, key, resource in interface_resources(ultra.templates)
        if any(output in str(resource["Properties"]) for output in gpu)
    }
    assert gpu
    assert len(in_gpu) == 1
    assert next(iter(in_gpu)).startswith("PoolGb200")


def test_what_no_source_settles_is_said_at_synthesis(assembly_of: Any) -> None:
    """A Local Zone brings two warnings into the assembly, any other zone none."""
    warned = {
        name: sum(
            path.read_text().count('"unverified: ')
            for path in assembly_of(EXAMPLES / f"{name}.yaml").folder.glob("*network*metadata.json")
        )
        for name in ("ultraserver", "demo")
    }
    assert warned == {"ultraserver": 2, "demo": 0}


def test_a_vpc_of_ours_has_flow_logs(assembly: Any) -> None:
    """All traffic of a VPC that is made is logged, to a group that keeps it; a given one is let be."""
    made = assembly.resources("network", "AWS::EC2::VPC")
    logs = [each["Properties"] for each in assembly.resources("network", "AWS::EC2::FlowLog").values()]
    groups = assembly.resources("network", "AWS::Logs::LogGroup")
    assert len(logs) == len(groups) == len(made)
    for log, vpc, group in zip(logs, made, groups.values(), strict=True):
        assert log["ResourceId"] == {"Fn::GetAtt": [vpc, "VpcId"]}
        assert (log["ResourceType"], log["TrafficType"]) == ("VPC", "ALL")
        assert group["Properties"]["RetentionInDays"] == 90


def test_an_existing_vpc_is_left_alone(case: Case) -> None:
    """With a VPC of one's own, Bedplate makes its security group and nothing else of a network."""
    found = case("existing-vpc").templates["network"]["Resources"]
    assert {each["Type"] for each in found.values()} == {"AWS::EC2::SecurityGroup", *RULES}
    (group,) = case("existing-vpc").resources("orchestration", "AWS::PCS::Cluster").values()
    assert group["Properties"]["Networking"]["SubnetIds"] == ["subnet-0123456789abcdef2"]


def test_a_group_that_is_given_is_used_and_not_made(case: Case) -> None:
    """Scheduler and endpoints' clients are in the group of the file; the network makes one for endpoints."""
    closed = case("closed-vpc")
    (group,) = closed.resources("network", "AWS::EC2::SecurityGroup").values()
    (rule,) = group["Properties"]["SecurityGroupIngress"]
    assert rule["SourceSecurityGroupId"] == "sg-0123456789abcdef0"
    assert (rule["FromPort"], rule["ToPort"]) == (443, 443)
    (cluster,) = closed.resources("orchestration", "AWS::PCS::Cluster").values()
    assert cluster["Properties"]["Networking"]["SecurityGroupIds"] == ["sg-0123456789abcdef0"]


def test_a_network_that_is_given_whole_is_still_a_stack(case: Case) -> None:
    """Where nothing of the network is made, its stack has one resource that is nothing: AWS takes no less."""
    found = case("given-network").templates["network"]["Resources"]
    assert [each["Type"] for each in found.values()] == ["AWS::CloudFormation::WaitConditionHandle"]
