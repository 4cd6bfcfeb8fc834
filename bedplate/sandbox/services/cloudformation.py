"""The CloudFormation API."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.cloudformation.change_set import ChangeSets
from bedplate.sandbox.cloudformation.errors import TemplateError
from bedplate.sandbox.cloudformation.manager import StackManager
from bedplate.sandbox.cloudformation.stack import Stack, StackEvent, StackResource
from bedplate.sandbox.cloudformation.template import Template, parse_template
from bedplate.sandbox.services.s3_objects import read_url
from bedplate.sandbox.services.service import Call, Service

_STACK_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,127}")


class CloudFormationApi:
    """Turns API calls into operations of the stack manager."""

    def __init__(self, manager: StackManager) -> None:
        self._stacks = manager
        self._change_sets = ChangeSets(manager)

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "cloudformation",
            {
                "CreateStack": self._create_stack,
                "UpdateStack": self._update_stack,
                "DeleteStack": self._delete_stack,
                "DescribeStacks": self._describe_stacks,
                "ListStacks": self._list_stacks,
                "DescribeStackEvents": self._describe_events,
                "DescribeStackResources": self._describe_resources,
                "DescribeStackResource": self._describe_resource,
                "ListStackResources": self._list_resources,
                "GetTemplate": self._get_template,
                "GetTemplateSummary": self._template_summary,
                "ValidateTemplate": self._validate,
                "ListExports": self._list_exports,
                "UpdateTerminationProtection": self._termination_protection,
                "CreateChangeSet": self._create_change_set,
                "DescribeChangeSet": self._describe_change_set,
                "ExecuteChangeSet": self._execute_change_set,
                "DeleteChangeSet": self._delete_change_set,
            },
        )

    def _create_stack(self, call: Call) -> Mapping[str, Any]:
        stack = self._new_stack(call)
        stack.disable_rollback = bool(call.get("DisableRollback")) or call.get("OnFailure") == "DO_NOTHING"
        stack.termination_protection = bool(call.get("EnableTerminationProtection"))
        self._stacks.create(stack)
        return {"StackId": stack.stack_id}

    def _new_stack(self, call: Call) -> Stack:
        name = call.need("StackName")
        if not _STACK_NAME.fullmatch(name):
            raise TemplateError(
                f"1 validation error detected: Value '{name}' at 'stackName' failed to satisfy constraint"
            )
        arn = f"arn:aws:cloudformation:{call.region}:{call.account}:stack/{name}/{uuid.uuid4()}"
        return Stack(
            stack_id=arn,
            name=name,
            account=call.account,
            region=call.region,
            template=self._template(call),
            parameters=_parameters(call, {}),
            tags=_tags(call),
            role_arn=call.get("RoleARN"),
        )

    def _update_stack(self, call: Call) -> Mapping[str, Any]:
        stack = self._stack(call)
        if not stack.exists:
            raise TemplateError(f"Stack [{stack.name}] does not exist")
        template = stack.template if call.get("UsePreviousTemplate") else self._template(call)
        tags = stack.tags if call.get("Tags") is None else _tags(call)
        self._stacks.update(stack, template, _parameters(call, stack.parameters), tags)
        return {"StackId": stack.stack_id}

    def _delete_stack(self, call: Call) -> None:
        stack = self._stacks.find(call.account, call.region, call.need("StackName"))
        if stack is not None:
            self._stacks.delete(stack)

    def _describe_stacks(self, call: Call) -> Mapping[str, Any]:
        if call.get("StackName"):
            return {"Stacks": [_stack_answer(self._stack(call))]}
        stacks = self._stacks.all(call.account, call.region)
        return {"Stacks": [_stack_answer(stack) for stack in stacks if stack.status != "DELETE_COMPLETE"]}

    def _list_stacks(self, call: Call) -> Mapping[str, Any]:
        wanted = call.get("StackStatusFilter") or []
        stacks = self._stacks.all(call.account, call.region)
        return {
            "StackSummaries": [
                _stack_answer(stack) for stack in stacks if not wanted or stack.status in wanted
            ]
        }

    def _describe_events(self, call: Call) -> Mapping[str, Any]:
        stack = self._stack(call)
        return {"StackEvents": [_event_answer(stack, event) for event in reversed(stack.events)]}

    def _describe_resources(self, call: Call) -> Mapping[str, Any]:
        stack = self._stack(call)
        wanted = call.get("LogicalResourceId")
        chosen = [r for r in stack.resources.values() if wanted in (None, r.logical_id)]
        return {"StackResources": [_resource_answer(stack, resource) for resource in chosen]}

    def _describe_resource(self, call: Call) -> Mapping[str, Any]:
        stack = self._stack(call)
        resource = stack.resources.get(call.need("LogicalResourceId"))
        if resource is None:
            raise TemplateError(
                f"Resource {call.get('LogicalResourceId')} does not exist for stack {stack.name}"
            )
        return {"StackResourceDetail": _resource_answer(stack, resource)}

    def _list_resources(self, call: Call) -> Mapping[str, Any]:
        stack = self._stack(call)
        return {"StackResourceSummaries": [_resource_answer(stack, r) for r in stack.resources.values()]}

    def _get_template(self, call: Call) -> Mapping[str, Any]:
        return {"TemplateBody": self._stack(call).template.text, "StagesAvailable": ["Original", "Processed"]}

    def _template_summary(self, call: Call) -> Mapping[str, Any]:
        template = self._stack(call).template if call.get("StackName") else self._template(call)
        return {
            "Parameters": [_declared(name, value) for name, value in template.parameters.items()],
            "Description": template.description,
            "ResourceTypes": sorted({resource["Type"] for resource in template.resources.values()}),
            "Capabilities": [],
        }

    def _validate(self, call: Call) -> Mapping[str, Any]:
        template = self._template(call)
        template.order()
        return {"Parameters": [_declared(name, value) for name, value in template.parameters.items()]}

    def _list_exports(self, call: Call) -> Mapping[str, Any]:
        exports = []
        for stack in self._stacks.all(call.account, call.region):
            names = self._stacks.scope(stack).export_names() if stack.exists else {}
            exports += [
                {"ExportingStackId": stack.stack_id, "Name": name, "Value": stack.outputs.get(output)}
                for output, name in names.items()
            ]
        return {"Exports": exports}

    def _termination_protection(self, call: Call) -> Mapping[str, Any]:
        stack = self._stack(call)
        stack.termination_protection = bool(call.need("EnableTerminationProtection"))
        return {"StackId": stack.stack_id}

    def _create_change_set(self, call: Call) -> Mapping[str, Any]:
        stack = self._stacks.find(call.account, call.region, call.need("StackName"))
        if stack is None:
            stack = self._new_stack(call)
            self._stacks.register(stack)
        template = stack.template if call.get("UsePreviousTemplate") else self._template(call)
        change_set = self._change_sets.create(
            stack, call.need("ChangeSetName"), template, _parameters(call, stack.parameters), _tags(call)
        )
        return {"Id": change_set.arn, "StackId": stack.stack_id}

    def _describe_change_set(self, call: Call) -> Mapping[str, Any]:
        return self._change_sets.find(call.get("StackName"), call.need("ChangeSetName")).answer()

    def _execute_change_set(self, call: Call) -> Mapping[str, Any]:
        self._change_sets.execute(call.get("StackName"), call.need("ChangeSetName"))
        return {}

    def _delete_change_set(self, call: Call) -> Mapping[str, Any]:
        self._change_sets.delete(call.get("StackName"), call.need("ChangeSetName"))
        return {}

    def _stack(self, call: Call) -> Stack:
        return self._stacks.get(call.account, call.region, call.need("StackName"))

    def _template(self, call: Call) -> Template:
        body = call.get("TemplateBody")
        if not body:
            body = read_url(call.account, call.need("TemplateURL"))
        return parse_template(body)


def _parameters(call: Call, previous: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for parameter in call.get("Parameters") or []:
        name = parameter["ParameterKey"]
        if parameter.get("UsePreviousValue"):
            if name in previous:
                values[name] = previous[name]
        else:
            values[name] = parameter.get("ParameterValue", "")
    return values


def _tags(call: Call) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in call.get("Tags") or []}


def _declared(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "ParameterKey": name,
        "DefaultValue": None if value.get("Default") is None else str(value["Default"]),
        "ParameterType": value.get("Type", "String"),
        "Description": value.get("Description"),
        "NoEcho": bool(value.get("NoEcho")),
    }


def _stack_answer(stack: Stack) -> dict[str, Any]:
    return {
        "StackId": stack.stack_id,
        "StackName": stack.name,
        "Description": stack.template.description,
        "Parameters": [
            {"ParameterKey": name, "ParameterValue": str(value)}
            for name, value in _shown_parameters(stack).items()
        ],
        "CreationTime": stack.created,
        "LastUpdatedTime": stack.updated,
        "DeletionTime": stack.deleted,
        "StackStatus": stack.status,
        "StackStatusReason": stack.reason,
        "DisableRollback": stack.disable_rollback,
        "EnableTerminationProtection": stack.termination_protection,
        "RoleARN": stack.role_arn,
        "NotificationARNs": [],
        "Capabilities": ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"],
        "Outputs": [
            {
                "OutputKey": name,
                "OutputValue": value,
                "Description": stack.template.outputs.get(name, {}).get("Description"),
            }
            for name, value in stack.outputs.items()
        ],
        "Tags": [{"Key": key, "Value": value} for key, value in stack.tags.items()],
    }


def _shown_parameters(stack: Stack) -> dict[str, Any]:
    defaults = {
        name: value["Default"] for name, value in stack.template.parameters.items() if "Default" in value
    }
    return {**defaults, **stack.parameters}


def _event_answer(stack: Stack, event: StackEvent) -> dict[str, Any]:
    return {
        "StackId": stack.stack_id,
        "EventId": event.event_id,
        "StackName": stack.name,
        "LogicalResourceId": event.logical_id,
        "PhysicalResourceId": event.physical_id,
        "ResourceType": event.resource_type,
        "Timestamp": event.timestamp,
        "ResourceStatus": event.status,
        "ResourceStatusReason": event.reason,
    }


def _resource_answer(stack: Stack, resource: StackResource) -> dict[str, Any]:
    return {
        "StackName": stack.name,
        "StackId": stack.stack_id,
        "LogicalResourceId": resource.logical_id,
        "PhysicalResourceId": resource.made.physical_id,
        "ResourceType": resource.request.type_name,
        "Timestamp": resource.timestamp,
        "LastUpdatedTimestamp": resource.timestamp,
        "ResourceStatus": resource.status,
        "ResourceStatusReason": resource.reason,
    }
