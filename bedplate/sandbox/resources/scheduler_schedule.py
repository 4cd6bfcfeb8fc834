"""AWS::Scheduler::Schedule, which moto has by its API only."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from moto.scheduler.models import scheduler_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import generated_name
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest

LONGEST_NAME = 64
"""Scheduler API, CreateSchedule, ``Name``."""


class SchedulerScheduleHandler:
    """Keeps a schedule and never runs it.

    A one-time schedule in the past is refused. No source says what AWS does with one; a stack that passes
    here passes either way.
    """

    def create(self, request: ResourceRequest) -> Made:
        """Make the schedule."""
        name = request.properties.get("Name") or generated_name(request, longest=LONGEST_NAME)
        return self._put(request, name, at_creation=True)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Replace what it holds; the name stays."""
        return self._put(request, made.physical_id, at_creation=False)

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Delete it."""
        backend = scheduler_backends[request.account][request.region]
        group = request.properties.get("GroupName") or "default"
        if made.physical_id in backend.schedule_groups[group].schedules:
            backend.delete_schedule(group_name=group, name=made.physical_id)

    def _put(self, request: ResourceRequest, name: str, *, at_creation: bool) -> Made:
        properties = request.properties
        _refuse_the_past(properties["ScheduleExpression"])
        values: dict[str, Any] = {
            "description": properties.get("Description"),
            "end_date": properties.get("EndDate"),
            "flexible_time_window": properties["FlexibleTimeWindow"],
            "group_name": properties.get("GroupName"),
            "kms_key_arn": properties.get("KmsKeyArn"),
            "name": name,
            "schedule_expression": properties["ScheduleExpression"],
            "schedule_expression_timezone": properties.get("ScheduleExpressionTimezone"),
            "start_date": properties.get("StartDate"),
            "state": properties.get("State"),
            "target": properties["Target"],
        }
        backend = scheduler_backends[request.account][request.region]
        if at_creation:
            schedule = backend.create_schedule(**values, action_after_completion=None)
        else:
            schedule = backend.update_schedule(**values)
        return Made(name, {"Arn": schedule.arn}.__getitem__)


def _refuse_the_past(expression: str) -> None:
    if not expression.startswith("at("):
        return
    try:
        moment = datetime.fromisoformat(expression.removeprefix("at(").removesuffix(")"))
    except ValueError as error:
        raise ResourceError(f"ValidationException: Invalid Schedule Expression {expression}.") from error
    if moment.replace(tzinfo=UTC) <= datetime.now(UTC):
        raise ResourceError(f"ValidationException: {expression} is in the past")
