"""Whether security groups let a file system's traffic through. Reading only; no question is asked here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Literal

from bedplate.spec.file_system_traffic import Traffic

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import IpPermissionOutputTypeDef, SecurityGroupTypeDef

Direction = Literal["in", "out"]
ALL_PROTOCOLS = "-1"


@dataclass(frozen=True, kw_only=True)
class Side:
    """One end: its groups, of which one letting through suffices, and the addresses of its subnets."""

    name: str
    groups: Sequence[SecurityGroupTypeDef]
    ranges: Sequence[str] = ()

    @property
    def ids(self) -> set[str]:
        """The groups' ids."""
        return {group.get("GroupId", "") for group in self.groups}


def shut_ways(traffic: Traffic, *, servers: Side, clients: Side) -> list[str]:
    """The ways that are shut, in words; none where all traffic gets through."""
    shut = _way(traffic, sender=clients, receiver=servers)
    if traffic.both_ways:
        shut += _way(traffic, sender=servers, receiver=clients)
    if traffic.between_servers:
        shut += _way(traffic, sender=servers, receiver=servers)
    return shut


def _way(traffic: Traffic, *, sender: Side, receiver: Side) -> list[str]:
    shut = []
    for first, last in traffic.ports or ((0, 65_535),):
        ports = "all traffic" if not traffic.ports else f"{traffic.protocol} {_span(first, last)}"
        for side, other, direction in ((sender, receiver, "out"), (receiver, sender, "in")):
            rules = [rule for group in side.groups for rule in _rules(group, direction)]
            if not any(_lets(rule, traffic, first, last, other) for rule in rules):
                preposition = "to" if direction == "out" else "from"
                by_id = ", by group id" if not traffic.ports else ""
                shut.append(
                    f"{side.name} ({', '.join(sorted(side.ids))}) has no rule that lets {ports} {direction} "
                    f"{preposition} {other.name}{by_id}"
                )
    return shut


def present_rules(
    traffic: Traffic, *, servers: Side, clients: Side, ours: str
) -> Iterable[tuple[str, Direction]]:
    """Rules between both sides, by group id, that are there already; not ``ours`` (by description)."""
    ways: list[tuple[Side, Side, Direction]] = [(servers, clients, "in"), (clients, servers, "out")]
    if traffic.both_ways:
        ways += [(clients, servers, "in"), (servers, clients, "out")]
    for side, other, direction in ways:
        for group in side.groups:
            for rule in _rules(group, direction):
                if _is_the_rule(rule, traffic, other, ours):
                    yield group.get("GroupId", ""), direction


def _is_the_rule(rule: IpPermissionOutputTypeDef, traffic: Traffic, other: Side, ours: str) -> bool:
    ports = (rule.get("FromPort"), rule.get("ToPort"))
    same = rule.get("IpProtocol") == traffic.protocol and (not traffic.ports or ports in traffic.ports)
    return same and any(
        pair.get("GroupId") in other.ids and pair.get("Description") != ours
        for pair in rule.get("UserIdGroupPairs", [])
    )


def _rules(group: SecurityGroupTypeDef, direction: str) -> Sequence[IpPermissionOutputTypeDef]:
    return group.get("IpPermissionsEgress", []) if direction == "out" else group.get("IpPermissions", [])


def _lets(rule: IpPermissionOutputTypeDef, traffic: Traffic, first: int, last: int, other: Side) -> bool:
    by_id = any(pair.get("GroupId") in other.ids for pair in rule.get("UserIdGroupPairs", []))
    if not traffic.ports:
        # EFA is not matched by addresses, nor by ports.
        return by_id and rule.get("IpProtocol") == ALL_PROTOCOLS
    if rule.get("IpProtocol") != ALL_PROTOCOLS:
        span = rule.get("FromPort", -1), rule.get("ToPort", -1)
        if rule.get("IpProtocol") != traffic.protocol or not span[0] <= first <= last <= span[1]:
            return False
    return by_id or _covers(rule, other.ranges)


def _covers(rule: IpPermissionOutputTypeDef, ranges: Sequence[str]) -> bool:
    """Whether the rule's ranges hold all addresses of the other side; prefix lists are not looked into."""
    own = [IPv4Network(each.get("CidrIp", ""), strict=False) for each in rule.get("IpRanges", [])]
    return bool(ranges) and all(any(IPv4Network(text).subnet_of(each) for each in own) for text in ranges)


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
