"""Reading templates of several stacks as one: what refers to what, and what waits for what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Resource = dict[str, Any]
TOUCHES_NETWORK = {
    "SubnetId",
    "SubnetIds",
    "SecurityGroups",
    "SecurityGroupIds",
    "Groups",
    "VpcConfig",
    "NetworkInterfaces",
}
"""Properties, at any depth, that give a resource an interface in a subnet, or under a security group."""
NO_INTERFACE = {
    "AWS::EC2::SubnetRouteTableAssociation": "ties a route table to a subnet",
    "AWS::EC2::NatGateway": "has an interface, but no security group",
}
"""Types that name a subnet and have no interface under a security group, each with its reason."""


def interface_resources(templates: dict[str, Any]) -> Iterator[tuple[str, str, Resource]]:
    """Role of the stack, logical id and resource of everything with an interface under a security group."""
    for role, template in templates.items():
        for key, resource in template["Resources"].items():
            if resource["Type"] not in NO_INTERFACE and TOUCHES_NETWORK & set(
                _keys(resource.get("Properties"))
            ):
                yield role, key, resource


def waits_for(template: dict[str, Any], key: str) -> set[str]:
    """Logical ids that a resource waits for, directly or by way of others."""
    found: set[str] = set()
    left = [key]
    while left:
        resource = template["Resources"].get(left.pop(), {})
        depends = resource.get("DependsOn", [])
        names = {depends} if isinstance(depends, str) else set(depends)
        names |= set(_referenced(resource.get("Properties")))
        left += names - found
        found |= names
    return found


def stack_dependencies(folder: Any, stack: str) -> set[str]:
    """Names of the stacks that are deployed before this one, directly or by way of others."""
    artifacts = json.loads((folder / "manifest.json").read_text())["artifacts"]
    found: set[str] = set()
    left = [stack]
    while left:
        names = set(artifacts[left.pop()].get("dependencies", []))
        left += names - found
        found |= names
    return found


def machine_roles(templates: dict[str, Any]) -> set[tuple[str, str]]:
    """Stack role and logical id of the IAM roles of what runs inside the VPC: instances, functions in it."""
    found = set()
    for role, template in templates.items():
        for resource in template["Resources"].values():
            properties = resource.get("Properties", {})
            if resource["Type"] == "AWS::IAM::InstanceProfile":
                found |= {resolve(templates, role, each) for each in properties["Roles"]}
            if resource["Type"] == "AWS::Lambda::Function" and "VpcConfig" in properties:
                found.add(resolve(templates, role, properties["Role"]))
    return found


def actions_of(templates: dict[str, Any], roles: set[tuple[str, str]]) -> set[str]:
    """Every IAM action that a policy of any stack allows these roles."""
    found: set[str] = set()
    for role, template in templates.items():
        for key, resource in template["Resources"].items():
            properties = resource.get("Properties", {})
            documents = []
            if resource["Type"] in {"AWS::IAM::ManagedPolicy", "AWS::IAM::Policy", "AWS::IAM::RolePolicy"}:
                named = properties.get("Roles") or [properties[x] for x in ("RoleName",) if x in properties]
                if {resolve(templates, role, each) for each in named} & roles:
                    documents.append(properties["PolicyDocument"])
            if (role, key) in roles:
                assert not properties.get("ManagedPolicyArns"), (
                    "a policy of AWS's allows what nobody can list"
                )
                documents += [each["PolicyDocument"] for each in properties.get("Policies", [])]
            found |= {action for document in documents for action in _allowed(document)}
    return found


def resolve(templates: dict[str, Any], role: str, value: Any) -> tuple[str, str]:
    """The resource that a reference of this stack means, be it in another stack."""
    if "Ref" in value:
        return role, value["Ref"]
    if "Fn::GetAtt" in value:
        return role, value["Fn::GetAtt"][0]
    there = value["Fn::GetStackOutput"]
    other = there["StackName"].rsplit("-", 1)[1]
    return resolve(templates, other, templates[other]["Outputs"][there["OutputName"]]["Value"])


def _allowed(document: dict[str, Any]) -> Iterator[str]:
    for statement in document["Statement"]:
        if statement["Effect"] == "Allow":
            action = statement["Action"]
            yield from [action] if isinstance(action, str) else action


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def _referenced(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _referenced(item)
    elif isinstance(value, dict):
        if "Ref" in value:
            yield value["Ref"]
        elif "Fn::GetAtt" in value:
            yield value["Fn::GetAtt"][0]
        else:
            for item in value.values():
                yield from _referenced(item)
