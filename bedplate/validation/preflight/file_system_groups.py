"""PRE-021: the security groups of existing file systems and of the nodes let each other through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer, of_file_system
from bedplate.validation.preflight.existing_file_systems import existing_ones

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import SecurityGroupTypeDef

    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.file_system_traffic import Traffic
    from bedplate.spec.file_systems import ExistingEfs, ExistingLustre, ExistingOpenZfs
    from bedplate.validation.preflight.traffic_rules import Side

ROW = CheckRow(
    id="PRE-021",
    title="existing file systems and nodes let each other through",
    what="Where `security_group` of an existing file system is given: that its servers are in that group, "
    "and that the rules which the deploy adds are not there already. Where it is not: the rules of its "
    "groups and of `network.vpc.fabric_group`, for Lustre tcp 988 and 1018-1023 both ways, with EFA all "
    "traffic both ways by group id, for NFS tcp 2049.",
    why="A port that is shut makes a mount hang for minutes, and then every node fails. EFA is not matched "
    "by address ranges. EC2 refuses a rule that is there already, and the deploy with it.",
    fix="Name one of the file system's own groups; or leave `security_group` out and add the rules that the "
    "report names.",
    by_hand="`aws ec2 describe-security-groups --group-ids sg-…`",
)


_WORDS = {"lustre-efa": "all traffic, by group id,", "lustre-tcp": "Lustre", "nfs": "NFS"}


def applies(environment: Environment) -> bool:
    """Where a file system is given by id."""
    return bool(existing_ones(environment))


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict for each file system that is given by id."""
    return [_one(preflight, each) for each in existing_ones(preflight.environment)]


def _one(preflight: Preflight, wanted: ExistingLustre | ExistingOpenZfs | ExistingEfs) -> Verdict:
    from bedplate.spec.file_system_traffic import traffic_of
    from bedplate.validation.preflight.traffic_rules import Side

    writer, traffic = of_file_system(ROW.id, wanted), traffic_of(wanted)
    found = _servers(preflight, wanted)
    if not found:
        return writer.not_made(f"nobody tells the network interfaces of {wanted.id}")
    ids, subnets = found
    network = preflight.environment.network
    assert network.vpc is not None
    fabric_id = network.vpc.fabric_group
    groups = _groups(preflight, {*ids, *([fabric_id] if fabric_id else [])})
    servers = Side(
        name="its group", groups=[groups[each] for each in sorted(ids)], ranges=_ranges(preflight, subnets)
    )
    clients = Side(
        name="the nodes' group",
        groups=[groups[fabric_id]] if fabric_id else [],
        ranges=_ranges(preflight, [network.vpc.gpu_subnet]),
    )
    if wanted.security_group in (None, fabric_id):
        return _admitted(writer, wanted.id, traffic, servers=servers, clients=clients)
    return _to_be_opened(writer, wanted, traffic, servers=servers, clients=clients)


def _admitted(
    writer: Writer, file_system_id: str, traffic: Traffic, *, servers: Side, clients: Side
) -> Verdict:
    """No rule will be added, so all of them must be there."""
    from bedplate.validation.preflight.traffic_rules import shut_ways

    shut = shut_ways(traffic, servers=servers, clients=clients)
    if shut:
        return writer.failed(f"{file_system_id}: {'; '.join(shut)}", remedy=ROW.fix)
    return writer.passed(
        f"{file_system_id}: {_WORDS[traffic.kind]} gets through between its group and the nodes'"
    )


def _to_be_opened(
    writer: Writer,
    wanted: ExistingLustre | ExistingOpenZfs | ExistingEfs,
    traffic: Traffic,
    *,
    servers: Side,
    clients: Side,
) -> Verdict:
    """The deploy adds the rules to the group that is given, so its servers must be in it."""
    from bedplate.validation.preflight.traffic_rules import Side, present_rules

    group_id = wanted.security_group
    if group_id not in servers.ids:
        return writer.failed(
            f"{wanted.id}: its servers are in {', '.join(sorted(servers.ids))}, not in {group_id}",
            remedy=ROW.fix,
        )
    given = Side(name="its group", groups=[one for one in servers.groups if one.get("GroupId") == group_id])
    there = sorted(
        {
            f"{group} ({direction})"
            for group, direction in present_rules(traffic, servers=given, clients=clients, ours=traffic.label)
        }
    )
    if there and group_id not in clients.ids:
        return writer.failed(
            f"{wanted.id}: rules that the deploy would add are there already in {', '.join(there)}",
            remedy="Leave `security_group` out: the groups let each other through; or remove the rules.",
        )
    return writer.passed(f"{wanted.id}: its servers are in {group_id}, where the deploy adds the rules")


def _servers(
    preflight: Preflight, wanted: ExistingLustre | ExistingOpenZfs | ExistingEfs
) -> tuple[set[str], list[str]] | None:
    """Groups and subnets of the servers; None where nobody tells them."""
    from bedplate.spec.file_systems import ExistingEfs
    from bedplate.validation.aws import aws_errors
    from bedplate.validation.preflight import existing_efs, existing_fsx

    if isinstance(wanted, ExistingEfs):
        zone = preflight.environment.network.zone
        targets = [
            each
            for each in existing_efs.mount_targets(preflight, wanted.id)
            if each.get("AvailabilityZoneId") == zone
        ]
        groups = existing_efs.groups_of_targets(preflight, targets)
        ids = {group for each in groups.values() for group in each}
        return (ids, [str(each["SubnetId"]) for each in targets]) if ids else None
    row = existing_fsx.file_system(preflight, wanted.id)
    interfaces = row.get("NetworkInterfaceIds", []) if row else []
    if not interfaces:
        return None
    with aws_errors(f"asking for the network interfaces of {wanted.id}"):
        rows = preflight.clients.ec2.describe_network_interfaces(NetworkInterfaceIds=interfaces)[
            "NetworkInterfaces"
        ]
    ids = {group.get("GroupId", "") for one in rows for group in one.get("Groups", [])}
    return (ids, sorted({one.get("SubnetId", "") for one in rows})) if ids else None


def _groups(preflight: Preflight, ids: Iterable[str]) -> dict[str, SecurityGroupTypeDef]:
    from bedplate.validation.aws import aws_errors

    wanted = sorted(ids)
    with aws_errors(f"asking for the security groups {', '.join(wanted)}"):
        rows = preflight.clients.ec2.describe_security_groups(GroupIds=wanted)["SecurityGroups"]
    return {row.get("GroupId", ""): row for row in rows}


def _ranges(preflight: Preflight, subnets: list[str]) -> list[str]:
    from bedplate.validation.aws import aws_errors

    with aws_errors(f"asking for the subnets {', '.join(subnets)}"):
        rows = preflight.clients.ec2.describe_subnets(SubnetIds=subnets)["Subnets"]
    return [row.get("CidrBlock", "") for row in rows]
