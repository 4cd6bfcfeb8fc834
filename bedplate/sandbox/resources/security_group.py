"""AWS::EC2::SecurityGroup and its rules as resources, with effect on the group that EC2 describes.

moto's own model asks for ports where the protocol has none, forgets egress rules, and gives a group a new id
on update.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import NeedsReplacement, ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.interfaces import interfaces_of_group

Direction = Literal["ingress", "egress"]


class SecurityGroupHandler:
    """A group with the rules that its own properties list."""

    def create(self, request: ResourceRequest) -> Made:
        """Create the group; without egress rules it keeps AWS's default, which allows everything."""
        properties, backend = request.properties, ec2_backends[request.account][request.region]
        group = backend.create_security_group(
            name=properties.get("GroupName")
            or f"{request.stack_name}-{request.logical_id}-{request.stack_id[-12:]}",
            description=properties["GroupDescription"],
            vpc_id=properties.get("VpcId"),
        )
        backend.create_tags([group.id], request.all_tags())
        self._set_rules(group, request)
        return Made(group.id, {"GroupId": group.id, "VpcId": group.vpc_id, "Id": group.id}.__getitem__, group)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Put the new rules in the place of those that the old properties listed."""
        if old.get("GroupDescription") != request.properties.get("GroupDescription"):
            raise NeedsReplacement
        group = made.state
        for direction, name in (("ingress", "SecurityGroupIngress"), ("egress", "SecurityGroupEgress")):
            for rule in old.get(name) or []:
                _revoke(group, direction, rule)  # type: ignore[arg-type]  # the tuple above holds the two directions
        ec2_backends[request.account][request.region].create_tags([group.id], request.all_tags())
        self._set_rules(group, request)
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Delete the group; EC2 refuses while a network interface or another group's rule uses it."""
        backend = ec2_backends[request.account][request.region]
        users = [
            group.id
            for groups in backend.groups.values()
            for group in groups.values()
            if group.id != made.physical_id
            and any(
                (rule.source_group or {}).get("GroupId") == made.physical_id for rule in _all_rules(group)
            )
        ]
        users += interfaces_of_group(backend, made.physical_id)
        if users:
            raise ResourceError(f"resource {made.physical_id} has a dependent object: {', '.join(users)}")
        backend.delete_security_group(group_id=made.physical_id)

    def _set_rules(self, group: Any, request: ResourceRequest) -> None:
        for rule in request.properties.get("SecurityGroupIngress") or []:
            _authorize(group, "ingress", rule)
        egress = request.properties.get("SecurityGroupEgress")
        if egress:
            group.egress_rules.clear()
            for rule in egress:
                _authorize(group, "egress", rule)


class SecurityGroupRuleHandler:
    """One rule as a resource of its own."""

    def __init__(self, direction: Direction) -> None:
        self._direction = direction

    def create(self, request: ResourceRequest) -> Made:
        """Add the rule to its group; a rule that the group has already is refused, as at AWS."""
        group = _group(request)
        if any(_same(rule, request.properties, self._direction) for rule in _rules(group, self._direction)):
            raise ResourceError("InvalidPermission.Duplicate: the specified rule already exists")
        rule_id = _authorize(group, self._direction, request.properties)
        return Made(rule_id, {"Id": rule_id}.__getitem__, rule_id)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Only the description changes in place; all else is create-only."""
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Take the rule off its group; a group that is gone is no error."""
        group = ec2_backends[request.account][request.region].get_security_group_from_id(
            request.properties["GroupId"]
        )
        if group is not None:
            rules = _rules(group, self._direction)
            rules[:] = [rule for rule in rules if rule.id != made.physical_id]


def _group(request: ResourceRequest) -> Any:
    group_id = str(request.properties.get("GroupId"))
    group = ec2_backends[request.account][request.region].get_security_group_from_id(group_id)
    if group is None:
        raise ResourceError(f"InvalidGroup.NotFound: the security group '{group_id}' does not exist")
    return group


def _rules(group: Any, direction: Direction) -> list[Any]:
    rules: list[Any] = group.ingress_rules if direction == "ingress" else group.egress_rules
    return rules


def _all_rules(group: Any) -> list[Any]:
    return [*group.ingress_rules, *group.egress_rules]


def _other_group(rule: Mapping[str, Any], direction: Direction) -> str | None:
    name = "SourceSecurityGroupId" if direction == "ingress" else "DestinationSecurityGroupId"
    found: str | None = rule.get(name)
    return found


def _authorize(group: Any, direction: Direction, rule: Mapping[str, Any]) -> str:
    """Add a rule and return its id."""
    backend = group.ec2_backend
    authorize = (
        backend.authorize_security_group_ingress
        if direction == "ingress"
        else backend.authorize_security_group_egress
    )
    other = _other_group(rule, direction)
    if other is not None and backend.get_security_group_from_id(other) is None:
        raise ResourceError(f"InvalidGroup.NotFound: the security group '{other}' does not exist")
    prefix_list = rule.get("SourcePrefixListId") or rule.get("DestinationPrefixListId")
    description = {"Description": rule["Description"]} if rule.get("Description") else {}
    ranges = [{name: rule[name], **description} for name in ("CidrIp", "CidrIpv6") if rule.get(name)]
    before = {item.id for item in _rules(group, direction)}
    authorize(
        group_name_or_id=group.id,
        ip_protocol=str(rule["IpProtocol"]),
        from_port=_port(rule.get("FromPort")),
        to_port=_port(rule.get("ToPort")),
        ip_ranges=ranges,
        source_groups=[{"GroupId": other, **description}] if other else [],
        prefix_list_ids=[{"PrefixListId": prefix_list}] if prefix_list else [],
        vpc_id=group.vpc_id,
    )
    added = [str(item.id) for item in _rules(group, direction) if item.id not in before]
    if not added:
        raise ResourceError(f"EC2 took no {direction} rule from {dict(rule)!r}")
    return added[0]


def _revoke(group: Any, direction: Direction, rule: Mapping[str, Any]) -> None:
    rules = _rules(group, direction)
    rules[:] = [item for item in rules if not _same(item, rule, direction)]


def _same(item: Any, rule: Mapping[str, Any], direction: Direction) -> bool:
    return (
        str(item.ip_protocol) == str(rule["IpProtocol"])
        and _port(item.from_port) == _port(rule.get("FromPort"))
        and _port(item.to_port) == _port(rule.get("ToPort"))
        and (item.ip_range or {}).get("CidrIp") == rule.get("CidrIp")
        and (item.source_group or {}).get("GroupId") == _other_group(rule, direction)
    )


def _port(value: Any) -> int | None:
    return None if value is None else int(value)
