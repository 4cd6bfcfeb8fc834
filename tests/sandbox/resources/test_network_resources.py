"""VPCs, subnets, security groups and their rules, as EC2 tells them."""

from __future__ import annotations

from typing import Any

from tests.sandbox.stand_in import StandIn, outputs


def _network(**more: Any) -> dict[str, Any]:
    return {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        "Subnet": {
            "Type": "AWS::EC2::Subnet",
            "Properties": {
                "VpcId": {"Ref": "Vpc"},
                "CidrBlock": "10.0.0.0/24",
                "AvailabilityZoneId": "usw2-az2",
            },
        },
        "Group": {
            "Type": "AWS::EC2::SecurityGroup",
            "Properties": {
                "GroupDescription": "g",
                "VpcId": {"Ref": "Vpc"},
                "SecurityGroupEgress": [
                    {"IpProtocol": "tcp", "FromPort": 1, "ToPort": 2, "CidrIp": "10.0.0.0/8"}
                ],
            },
        },
        **more,
    }


def _rule(direction: str) -> dict[str, Any]:
    other = "SourceSecurityGroupId" if direction == "Ingress" else "DestinationSecurityGroupId"
    return {
        "Type": f"AWS::EC2::SecurityGroup{direction}",
        "Properties": {
            "GroupId": {"Fn::GetAtt": ["Group", "GroupId"]},
            "IpProtocol": "-1",
            other: {"Fn::GetAtt": ["Group", "GroupId"]},
        },
    }


_OUTPUTS = {
    "Vpc": {"Value": {"Fn::GetAtt": ["Vpc", "VpcId"]}},
    "Subnet": {"Value": {"Ref": "Subnet"}},
    "Group": {"Value": {"Fn::GetAtt": ["Group", "GroupId"]}},
}


def test_subnet_lands_in_the_zone_asked_for(stand_in: StandIn) -> None:
    """A subnet asked for by zone id is in that zone."""
    stack = stand_in.create(_network(), Outputs=_OUTPUTS)
    subnet = stand_in.client("ec2").describe_subnets(SubnetIds=[outputs(stack)["Subnet"]])["Subnets"][0]
    assert subnet["AvailabilityZoneId"] == "usw2-az2"
    assert subnet["AvailableIpAddressCount"] == 251


def test_unknown_zone_fails(stand_in: StandIn) -> None:
    """A zone that the Region does not have fails the stack."""
    network = _network()
    network["Subnet"]["Properties"]["AvailabilityZoneId"] = "use1-az1"
    stack = stand_in.create(network)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "use1-az1" in stand_in.reasons(stack["StackName"])


def test_self_referencing_rules_take_effect_and_go(stand_in: StandIn) -> None:
    """Rules as resources add to the group's own, and do not keep the stack from being deleted."""
    stack = stand_in.create(_network(In=_rule("Ingress"), Out=_rule("Egress")), Outputs=_OUTPUTS)
    group_id = outputs(stack)["Group"]
    group = stand_in.client("ec2").describe_security_groups(GroupIds=[group_id])["SecurityGroups"][0]
    assert [pair["GroupId"] for rule in group["IpPermissions"] for pair in rule["UserIdGroupPairs"]] == [
        group_id
    ]
    egress = group["IpPermissionsEgress"]
    assert [pair["GroupId"] for rule in egress for pair in rule["UserIdGroupPairs"]] == [group_id]
    assert [cidr["CidrIp"] for rule in egress for cidr in rule["IpRanges"]] == ["10.0.0.0/8"]
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"


def test_duplicate_rule_is_refused(stand_in: StandIn) -> None:
    """A rule that the group has already is refused, as at AWS."""
    stack = stand_in.create(_network(One=_rule("Ingress"), Two={**_rule("Ingress"), "DependsOn": "One"}))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "InvalidPermission.Duplicate" in stand_in.reasons(stack["StackName"])


def test_group_keeps_its_id_when_its_rules_change(stand_in: StandIn) -> None:
    """Changed rules are changed in place."""
    network = _network()
    stack = stand_in.create(network, Outputs=_OUTPUTS)
    network["Group"]["Properties"]["SecurityGroupEgress"][0]["ToPort"] = 3
    updated = stand_in.update(stack["StackName"], network, Outputs=_OUTPUTS)
    assert outputs(updated)["Group"] == outputs(stack)["Group"]
    group = stand_in.client("ec2").describe_security_groups(GroupIds=[outputs(stack)["Group"]])[
        "SecurityGroups"
    ][0]
    assert [rule["ToPort"] for rule in group["IpPermissionsEgress"]] == [3]


def test_vpc_with_strangers_in_it_cannot_be_deleted(stand_in: StandIn) -> None:
    """A subnet that somebody made by hand keeps the VPC."""
    stack = stand_in.create(_network(), Outputs=_OUTPUTS)
    ec2 = stand_in.client("ec2")
    ec2.create_subnet(VpcId=outputs(stack)["Vpc"], CidrBlock="10.0.9.0/24")
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_FAILED"
    assert "has dependencies" in stand_in.reasons(stack["StackId"])


def test_placement_group_is_told(stand_in: StandIn) -> None:
    """A placement group from a stack is one that EC2 describes, until the stack goes."""
    group = {"Type": "AWS::EC2::PlacementGroup", "Properties": {"Strategy": "cluster"}}
    stack = stand_in.create({"P": group}, Outputs={"Name": {"Value": {"Ref": "P"}}})
    ec2 = stand_in.client("ec2")
    answer = ec2.describe_placement_groups(GroupNames=[outputs(stack)["Name"]])
    assert answer["PlacementGroups"][0]["Strategy"] == "cluster"
    stand_in.delete(stack)
    assert outputs(stack)["Name"] not in {
        g["GroupName"] for g in ec2.describe_placement_groups()["PlacementGroups"]
    }
