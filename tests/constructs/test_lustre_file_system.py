"""The Lustre file system's properties, rules and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]
RULES = ("AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")


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


def test_every_option_reaches_the_file_system(synthesise: Synthesise) -> None:
    """Key, backups, maintenance, compression and log level are those that are given."""
    template = synthesise(
        lambda stack: _build(
            stack,
            kms_key_arn="arn:aws:kms:us-west-2:111122223333:key/1",
            backup_days=7,
            maintenance="7:03:30",
            compression="none",
            log_level="error",
            log_name="mine/fsx",
        )
    )
    properties = _file_system(template)["Properties"]
    lustre = properties["LustreConfiguration"]
    assert properties["KmsKeyId"] == "arn:aws:kms:us-west-2:111122223333:key/1"
    assert (lustre["AutomaticBackupRetentionDays"], lustre["CopyTagsToBackups"]) == (7, True)
    assert lustre["WeeklyMaintenanceStartTime"] == "7:03:30"
    assert lustre["DataCompressionType"] == "NONE"
    assert lustre["LogConfiguration"]["Level"] == "ERROR"
    (log,) = [each for each in template["Resources"].values() if each["Type"] == "AWS::Logs::LogGroup"]
    assert log["Properties"]["LogGroupName"] == "/aws/fsx/mine/fsx"


def test_defaults_are_what_associations_take(synthesise: Synthesise) -> None:
    """By itself a file system has no backups, which FSx refuses beside associations, and metadata as FSx
    likes.
    """
    lustre = _file_system(synthesise(_build))["Properties"]["LustreConfiguration"]
    assert lustre["AutomaticBackupRetentionDays"] == 0
    assert "CopyTagsToBackups" not in lustre
    assert lustre["MetadataConfiguration"] == {"Mode": "AUTOMATIC"}


def test_without_logs_there_is_no_log_group(synthesise: Synthesise) -> None:
    """Level none switches the log off and makes nothing."""
    template = synthesise(lambda stack: _build(stack, log_level="none"))
    lustre = _file_system(template)["Properties"]["LustreConfiguration"]
    assert lustre["LogConfiguration"] == {"Level": "DISABLED"}
    assert "AWS::Logs::LogGroup" not in {each["Type"] for each in template["Resources"].values()}


def test_two_file_systems_stand_in_one_stack(synthesise: Synthesise) -> None:
    """Log groups, which have names of their own, do not clash."""

    def build(stack: Any) -> None:
        from bedplate.constructs.lustre_file_system import LustreFileSystem

        for name in ("One", "Two"):
            LustreFileSystem(
                stack,
                name,
                vpc_id="vpc-1",
                subnet_id="subnet-1",
                client_group_id="sg-clients",
                capacity_gib=4_800,
                throughput_mbps_per_tib=1000,
            )

    logs = [each for each in synthesise(build)["Resources"].values() if each["Type"] == "AWS::Logs::LogGroup"]
    assert len({log["Properties"]["LogGroupName"] for log in logs}) == 2


def test_the_file_system_is_kept_when_the_stack_goes(synthesise: Synthesise) -> None:
    """Deleting or replacing leaves the file system, and the group and rules that it is reached by."""
    template = synthesise(_build)
    kept = [each for each in template["Resources"].values() if each["Type"] != "AWS::Logs::LogGroup"]
    assert len(kept) == 8
    for each in kept:
        assert (each["DeletionPolicy"], each["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")


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
    rules = {key for key, each in template["Resources"].items() if each["Type"] in RULES}
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


@pytest.mark.parametrize(
    ("props", "message"),
    [
        ({"capacity_gib": 38_401}, "multiple of 19200"),
        ({"capacity_gib": 19_200, "throughput_mbps_per_tib": 125}, "multiple of 38400"),
        ({"capacity_gib": 0, "throughput_mbps_per_tib": 1000}, "multiple of 4800"),
        ({"capacity_gib": 3_600, "efa": False}, "multiple of 2400"),
        ({"throughput_mbps_per_tib": 200}, "allowed are 125, 250, 500, 1000"),
        ({"metadata_iops": 13_000}, "multiples of 12000 up to 192000"),
        ({"metadata_iops": 204_000}, "multiples of 12000 up to 192000"),
    ],
)
def test_what_fsx_refuses_does_not_synthesise(
    synthesise: Synthesise, props: dict[str, Any], message: str
) -> None:
    """A capacity that is no multiple, an unknown throughput or number of IOPS is refused with what is
    allowed.
    """
    with pytest.raises(ValueError, match=message):
        synthesise(lambda stack: _build(stack, **props))


@pytest.mark.parametrize(
    ("capacity", "throughput", "efa"),
    [(38_400, 125, True), (19_200, 250, True), (9_600, 500, True), (4_800, 1000, True), (1_200, 125, False)],
)
def test_the_smallest_of_each_throughput_synthesises(
    synthesise: Synthesise, capacity: int, throughput: int, efa: bool
) -> None:
    """Each throughput has a smallest size with EFA; without, it is 1200 GiB."""
    template = synthesise(
        lambda stack: _build(stack, capacity_gib=capacity, throughput_mbps_per_tib=throughput, efa=efa)
    )
    properties = _file_system(template)["Properties"]
    assert properties["StorageCapacity"] == capacity
    assert properties["LustreConfiguration"]["PerUnitStorageThroughput"] == throughput
