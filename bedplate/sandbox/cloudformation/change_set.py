"""Change sets: what an update would do, and then doing it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bedplate.sandbox.cloudformation.engine import needs_replacement
from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.manager import StackManager
from bedplate.sandbox.cloudformation.precheck import changed_paths, template_problems
from bedplate.sandbox.cloudformation.stack import Stack
from bedplate.sandbox.cloudformation.template import Template
from bedplate.sandbox.services.service import ApiError

_NO_CHANGES = (
    "The submitted information didn't contain changes. Submit different information to create a change set."
)


@dataclass
class ChangeSet:
    """One change set: where it would move its stack, and by which changes."""

    arn: str
    name: str
    stack: Stack
    template: Template
    parameters: Mapping[str, Any]
    tags: Mapping[str, str]
    changes: list[dict[str, Any]]
    status: str = "CREATE_COMPLETE"
    reason: str | None = None
    execution_status: str = "AVAILABLE"
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def answer(self) -> dict[str, Any]:
        """The change set as DescribeChangeSet tells it."""
        return {
            "ChangeSetId": self.arn,
            "ChangeSetName": self.name,
            "StackId": self.stack.stack_id,
            "StackName": self.stack.name,
            "CreationTime": self.created,
            "Status": self.status,
            "StatusReason": self.reason,
            "ExecutionStatus": self.execution_status,
            "Parameters": [{"ParameterKey": k, "ParameterValue": str(v)} for k, v in self.parameters.items()],
            "Tags": [{"Key": key, "Value": value} for key, value in self.tags.items()],
            "Changes": [{"Type": "Resource", "ResourceChange": change} for change in self.changes],
        }


class ChangeSets:
    """All change sets of the sandbox."""

    def __init__(self, manager: StackManager) -> None:
        self._manager = manager
        self._sets: dict[str, ChangeSet] = {}

    def create(
        self,
        stack: Stack,
        name: str,
        template: Template,
        parameters: Mapping[str, Any],
        tags: Mapping[str, str],
    ) -> ChangeSet:
        """Work out what would change; without a change the set is FAILED, as at AWS."""
        arn = f"arn:aws:cloudformation:{stack.region}:{stack.account}:changeSet/{name}/{uuid.uuid4()}"
        template.order()
        self._manager.scope(stack, template, parameters)
        changes = list(self._changes(stack, template, parameters))
        change_set = ChangeSet(arn, name, stack, template, parameters, tags, changes)
        problems = template_problems(template, stack.region)
        if problems:
            change_set.status, change_set.reason = "FAILED", f"SBX-011: {'; '.join(problems)}"
        elif stack.exists and not self._manager.has_changes(stack, template, parameters, tags):
            change_set.status, change_set.reason = "FAILED", _NO_CHANGES
        if change_set.status == "FAILED":
            change_set.execution_status = "UNAVAILABLE"
        self._sets[arn] = change_set
        return change_set

    def find(self, stack_name: str | None, name_or_arn: str) -> ChangeSet:
        """The change set of that ARN, or the newest of that name."""
        found = self._sets.get(name_or_arn) or next(
            (
                change_set
                for change_set in reversed(self._sets.values())
                if change_set.name == name_or_arn
                and stack_name in (None, change_set.stack.name, change_set.stack.stack_id)
            ),
            None,
        )
        if found is None:
            raise ApiError("ChangeSetNotFound", f"ChangeSet [{name_or_arn}] does not exist")
        return found

    def execute(self, stack_name: str | None, name: str) -> None:
        """Create or update the stack as the change set says."""
        change_set = self.find(stack_name, name)
        if change_set.execution_status != "AVAILABLE":
            raise ApiError("InvalidChangeSetStatus", f"ChangeSet [{change_set.arn}] is {change_set.status}")
        change_set.execution_status = "EXECUTE_COMPLETE"
        stack = change_set.stack
        if stack.exists:
            self._manager.update(stack, change_set.template, change_set.parameters, change_set.tags)
            return
        stack.template, stack.parameters, stack.tags = (
            change_set.template,
            change_set.parameters,
            change_set.tags,
        )
        self._manager.create(stack)

    def delete(self, stack_name: str | None, name: str) -> None:
        """Forget a change set; one that is gone already is no error."""
        try:
            self._sets.pop(self.find(stack_name, name).arn)
        except ApiError as error:
            if error.code != "ChangeSetNotFound":
                raise

    def _changes(
        self, stack: Stack, template: Template, parameters: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        scope = self._manager.scope(stack, template, parameters)
        for logical_id, resource in template.resources.items():
            try:
                if not scope.wanted(logical_id):
                    continue
                properties = scope.resolver.resolve(resource.get("Properties") or {})
            except ResourceError:
                properties = resource.get("Properties") or {}  # refers to what is not made yet
            old = stack.resources.get(logical_id)
            if old is None:
                yield _change("Add", logical_id, resource["Type"])
            elif old.request.properties != properties:
                replaced = old.request.type_name != resource["Type"] or needs_replacement(
                    old.request, properties
                )
                change = _change("Modify", logical_id, resource["Type"], old.made.physical_id)
                names = sorted(
                    {path.split(".")[0] for path in changed_paths(old.request.properties, properties)}
                )
                yield {
                    **change,
                    "Replacement": "True" if replaced else "False",
                    "Scope": ["Properties"],
                    "Details": [
                        {
                            "Target": {
                                "Attribute": "Properties",
                                "Name": name,
                                "RequiresRecreation": "Never",
                            },
                            "Evaluation": "Static",
                            "ChangeSource": "DirectModification",
                        }
                        for name in names
                    ],
                }
        for logical_id, old in stack.resources.items():
            if logical_id not in template.resources:
                yield _change("Remove", logical_id, old.request.type_name, old.made.physical_id)


def _change(action: str, logical_id: str, kind: str, physical_id: str | None = None) -> dict[str, Any]:
    return {
        "Action": action,
        "LogicalResourceId": logical_id,
        "PhysicalResourceId": physical_id,
        "ResourceType": kind,
        "Scope": [],
        "Details": [],
    }
