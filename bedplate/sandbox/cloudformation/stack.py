"""A stack as the sandbox remembers it: resources, events, outputs."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.cloudformation.template import Template


@dataclass(frozen=True)
class StackEvent:
    """One line of a stack's history."""

    logical_id: str
    physical_id: str
    resource_type: str
    status: str
    reason: str | None
    timestamp: datetime
    event_id: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass
class StackResource:
    """One resource of a stack that exists, with the request that made it."""

    request: ResourceRequest
    made: Made
    status: str
    reason: str | None = None
    deletion_policy: str = "Delete"
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def logical_id(self) -> str:
        """The name in the template."""
        return self.request.logical_id


@dataclass
class Stack:
    """One stack; ``resources`` keeps the order in which they were made."""

    stack_id: str
    name: str
    account: str
    region: str
    template: Template
    parameters: Mapping[str, Any]
    tags: Mapping[str, str]
    role_arn: str | None = None
    termination_protection: bool = False
    disable_rollback: bool = False
    status: str = "REVIEW_IN_PROGRESS"
    reason: str | None = None
    created: datetime = field(default_factory=lambda: datetime.now(UTC))
    updated: datetime | None = None
    deleted: datetime | None = None
    resources: dict[str, StackResource] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    events: list[StackEvent] = field(default_factory=list)
    on_status: Callable[[Stack], None] | None = None

    @property
    def exists(self) -> bool:
        """Whether the stack was created and not deleted."""
        return self.status not in {"DELETE_COMPLETE", "REVIEW_IN_PROGRESS"}

    @property
    def busy(self) -> bool:
        """Whether an operation runs on the stack."""
        return self.status.endswith("_IN_PROGRESS") and self.status != "REVIEW_IN_PROGRESS"

    def enter(self, status: str, reason: str | None = None) -> None:
        """Take on a status, write it into the history, and tell of it."""
        self.status, self.reason = status, reason
        self.log(self.name, self.stack_id, "AWS::CloudFormation::Stack", status, reason)
        if self.on_status is not None:
            self.on_status(self)

    def log(
        self, logical_id: str, physical_id: str, kind: str, status: str, reason: str | None = None
    ) -> None:
        """Write one event into the history, at least a millisecond after the last: clients sort by time."""
        now = datetime.now(UTC)
        if self.events:
            now = max(now, self.events[-1].timestamp + timedelta(milliseconds=1))
        self.events.append(StackEvent(logical_id, physical_id, kind, status, reason, now))
