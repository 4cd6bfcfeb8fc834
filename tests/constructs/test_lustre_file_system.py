"""The file system's properties, rules and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]


def _build(stack: Any, **props: Any) -> None:
    from bedplate.constructs.lustre_file_system import LustreFileSystem

    given: dict[str, Any] = {"capacity_gib": 38_400, "throughput_mbps_per_tib": 250, **props}
    LustreFileSystem(
        stack, "Lustre", vpc_id="vpc-1", subnet_id="subnet-1", client_group_id="sg-clients", **given
    )


def _file_system(template: dict[str, Any]) -> dict[str, Any]:
    (found,) = [each for each in template["Resources"].values() if each["Type"] == "AWS::FSx::FileSystem"]
    return dict(found)


def test_efa_comes_with_persistent_2_and_metadata(synthesise: Synthesise) -> None:
    """FSx takes EFA only on PERSISTENT_2 with a metadata configuration."""
    template = synthesise(lambda stack: _build(stack, metadata_iops=12_000))
    properties = _file_system(template)["Properties"]
    lustre = properties["LustreConfiguration"]
    assert lustre["EfaEnabled"] is True
    assert lustre["DeploymentType"] == "PERSISTENT_2"
    assert lustre["MetadataConfiguration"] == {"Mode": "USER_PROVISIONED", "Iops": 12_000}
    assert properties["StorageCapacity"] == 38_400
    assert properties["SubnetIds"] == ["subnet-1"]


def test_the_file_system_is_kept_when_the_stack_goes(synthesise: Synthesise) -> None:
    """Deleting or replacing leaves the file system, and the group and rules that it is reached by."""
    template = synthesise(_build)
    kept = [each for each in template["Resources"].values() if each["Type"] != "AWS::Logs::LogGroup"]
    assert len(kept) == 8
    for each in kept:
        assert each["DeletionPolicy"] == each["UpdateReplacePolicy"] == "Retain"


def test_with_efa_servers_and_clients_allow_each_other_both_ways(synthesise: Synthesise) -> None:
    """Server-server, server-client and client-server have all traffic in and out, by group id."""
    template = synthesise(_build)
    found = template["Resources"]
    (own,) = [key for key, each in found.items() if each["Type"] == "AWS::EC2::SecurityGroup"]
    servers = {"Fn::GetAtt": [own, "GroupId"]}
    for kind, end in (("Ingress", "SourceSecurityGroupId"), ("Egress", "DestinationSecurityGroupId")):
        rules = [
            each["Properties"] for each in found.values() if each["Type"] == f"AWS::EC2::SecurityGroup{kind}"
        ]
        assert all(rule["IpProtocol"] == "-1" for rule in rules)
        pairs = [(str(rule["GroupId"]), str(rule[end])) for rule in rules]
        assert sorted(pairs) == sorted(
            [(str(servers), str(servers)), (str(servers), "sg-clients"), ("sg-clients", str(servers))]
        )


def test_the_file_system_waits_for_every_rule(synthesise: Synthesise) -> None:
    """FSx checks its ports when it is made, so no rule may come later."""
    template = synthesise(_build)
    rules = {
        key
        for key, each in template["Resources"].items()
        if each["Type"] in ("AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")
    }
    assert rules == set(_file_system(template)["DependsOn"])


def test_without_efa_only_lustres_ports_are_open(synthesise: Synthesise) -> None:
    """TCP 988 and 1018 to 1023 suffice for a file system without EFA."""
    template = synthesise(lambda stack: _build(stack, efa=False))
    ports = {
        (each["Properties"]["IpProtocol"], each["Properties"]["FromPort"], each["Properties"]["ToPort"])
        for each in template["Resources"].values()
        if each["Type"] == "AWS::EC2::SecurityGroupIngress"
    }
    assert ports == {("tcp", 988, 988), ("tcp", 1018, 1023)}


def test_no_backups_beside_associations(synthesise: Synthesise) -> None:
    """FSx refuses automatic backups of a file system that is linked to S3."""
    template = synthesise(lambda stack: _build(stack, linked_to_s3=True))
    assert _file_system(template)["Properties"]["LustreConfiguration"]["AutomaticBackupRetentionDays"] == 0


@pytest.mark.parametrize(
    ("capacity", "throughput", "efa", "message"),
    [
        (38_401, 250, True, "multiple of 19200"),
        (19_200, 125, True, "multiple of 38400"),
        (0, 1000, True, "multiple of 4800"),
        (3_600, 250, False, "multiple of 2400"),
        (38_400, 200, True, "allowed are 125, 250, 500, 1000"),
    ],
)
def test_sizes_that_fsx_refuses_do_not_synthesise(
    synthesise: Synthesise, capacity: int, throughput: int, efa: bool, message: str
) -> None:
    """A capacity that is no multiple, or an unknown throughput, is refused with what is allowed."""
    with pytest.raises(ValueError, match=message):
        synthesise(
            lambda stack: _build(stack, capacity_gib=capacity, throughput_mbps_per_tib=throughput, efa=efa)
        )
