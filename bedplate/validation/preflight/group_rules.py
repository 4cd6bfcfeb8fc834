"""What the rules of a security group let in and out. Reading only; no question is asked here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import IpPermissionOutputTypeDef, SecurityGroupTypeDef

ALL_PROTOCOLS = "-1"
HTTPS = 443
_ANYWHERE = frozenset({"0.0.0.0/0", "::/0"})


def admits_itself(group: SecurityGroupTypeDef) -> bool:
    """Whether the group admits all traffic from itself, by id."""
    return _all_with(group.get("IpPermissions", []), group.get("GroupId", ""))


def reaches_itself(group: SecurityGroupTypeDef) -> bool:
    """Whether the group lets all traffic out to itself, by id; a range, be it all addresses, is none."""
    return _all_with(group.get("IpPermissionsEgress", []), group.get("GroupId", ""))


def reaches_everything_by_range(group: SecurityGroupTypeDef) -> bool:
    """Whether the group lets all traffic out to all addresses: what EFA is not matched by."""
    return any(
        rule.get("IpProtocol") == ALL_PROTOCOLS and _ANYWHERE & set(_ranges(rule))
        for rule in group.get("IpPermissionsEgress", [])
    )


def open_to_anyone(group: SecurityGroupTypeDef) -> list[str]:
    """What comes in from all addresses, in words, one entry a rule and family of addresses."""
    return [
        f"{_ports(rule)} from {range_}"
        for rule in group.get("IpPermissions", [])
        for range_ in _ranges(rule)
        if range_ in _ANYWHERE
    ]


def other_sources(group: SecurityGroupTypeDef) -> list[str]:
    """Who else comes in: ranges (but all addresses), prefix lists and other groups."""
    own = group.get("GroupId", "")
    found = {
        source
        for rule in group.get("IpPermissions", [])
        for source in (*_ranges(rule), *_groups(rule), *_prefix_lists(rule))
        if source != own and source not in _ANYWHERE
    }
    return sorted(found)


def lets_https_out(group: SecurityGroupTypeDef) -> bool:
    """Whether HTTPS gets out to anything but the group itself."""
    own = group.get("GroupId", "")
    return any(
        _covers(rule, HTTPS) and {*_ranges(rule), *_groups(rule), *_prefix_lists(rule)} - {own}
        for rule in group.get("IpPermissionsEgress", [])
    )


def admits_https_from(
    group: SecurityGroupTypeDef, *, client_group: str | None, ranges: Iterable[str]
) -> bool:
    """Whether HTTPS comes in from the clients' group by id, or from all of their ranges."""
    rules = [rule for rule in group.get("IpPermissions", []) if _covers(rule, HTTPS)]
    if client_group and any(client_group in _groups(rule) for rule in rules):
        return True
    admitted = [ip_network(text) for rule in rules for text in _ranges(rule) if ":" not in text]
    return all(any(ip_network(own).subnet_of(one) for one in admitted) for own in ranges)  # type: ignore[arg-type]


def _all_with(rules: Iterable[IpPermissionOutputTypeDef], group_id: str) -> bool:
    return any(rule.get("IpProtocol") == ALL_PROTOCOLS and group_id in _groups(rule) for rule in rules)


def _covers(rule: IpPermissionOutputTypeDef, port: int) -> bool:
    if rule.get("IpProtocol") == ALL_PROTOCOLS:
        return True
    return rule.get("IpProtocol") == "tcp" and rule.get("FromPort", 0) <= port <= rule.get("ToPort", 65535)


def _ranges(rule: IpPermissionOutputTypeDef) -> Iterator[str]:
    yield from (each.get("CidrIp", "") for each in rule.get("IpRanges", []))
    yield from (each.get("CidrIpv6", "") for each in rule.get("Ipv6Ranges", []))


def _groups(rule: IpPermissionOutputTypeDef) -> list[str]:
    return [each.get("GroupId", "") for each in rule.get("UserIdGroupPairs", [])]


def _prefix_lists(rule: IpPermissionOutputTypeDef) -> list[str]:
    return [each.get("PrefixListId", "") for each in rule.get("PrefixListIds", [])]


def _ports(rule: IpPermissionOutputTypeDef) -> str:
    if rule.get("IpProtocol") == ALL_PROTOCOLS:
        return "everything"
    first, last = rule.get("FromPort"), rule.get("ToPort")
    return f"{rule.get('IpProtocol')} {first}" + (f"-{last}" if last != first else "")
