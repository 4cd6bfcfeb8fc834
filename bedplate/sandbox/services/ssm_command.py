"""One Run Command: its invocations, how far they are, and what they left."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

# GetCommandInvocation: "The first 24,000 characters written by the plugin to stdout", and 8,000 to stderr.
LONGEST_STANDARD_OUTPUT = 24_000
LONGEST_STANDARD_ERROR = 8_000
FINISHED = ("Success", "Failed", "TimedOut", "Cancelled")


@dataclass
class Invocation:
    """What one instance makes of the command; ``status_details`` is AWS's finer word for ``status``."""

    command_id: str
    instance_id: str
    document: str
    plugin: str
    comment: str
    status: str = "Pending"
    status_details: str = "Pending"
    response_code: int = -1
    stdout: str = ""
    stderr: str = ""
    stdout_url: str = ""
    stderr_url: str = ""
    started: datetime | None = None
    ended: datetime | None = None

    def start(self) -> None:
        """The agent took the command."""
        self.started = datetime.now(UTC)
        self.status = self.status_details = "InProgress"

    def finish(self, status: str, details: str | None = None, *, response_code: int = -1) -> None:
        """The command came to an end; the first end counts."""
        if self.status in FINISHED:
            return
        self.response_code, self.ended = response_code, datetime.now(UTC)
        self.status, self.status_details = status, details or status

    def answer(self) -> dict[str, Any]:
        """As GetCommandInvocation tells it."""
        elapsed = (self.ended - self.started).total_seconds() if self.started and self.ended else None
        return {
            "CommandId": self.command_id,
            "InstanceId": self.instance_id,
            "Comment": self.comment,
            "DocumentName": self.document,
            "DocumentVersion": "$DEFAULT",
            "PluginName": self.plugin,
            "ResponseCode": self.response_code,
            "ExecutionStartDateTime": self.started.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if self.started else "",
            "ExecutionEndDateTime": self.ended.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if self.ended else "",
            "ExecutionElapsedTime": f"PT{elapsed:.3f}S" if elapsed is not None else "",
            "Status": self.status,
            "StatusDetails": self.status_details,
            "StandardOutputContent": self.stdout[:LONGEST_STANDARD_OUTPUT],
            "StandardOutputUrl": self.stdout_url,
            "StandardErrorContent": self.stderr[:LONGEST_STANDARD_ERROR],
            "StandardErrorUrl": self.stderr_url,
        }

    def listed(self, *, details: bool) -> dict[str, Any]:
        """As ListCommandInvocations tells it."""
        answer = {
            "CommandId": self.command_id,
            "InstanceId": self.instance_id,
            "InstanceName": "",
            "Comment": self.comment,
            "DocumentName": self.document,
            "RequestedDateTime": self.started or datetime.now(UTC),
            "Status": self.status,
            "StatusDetails": self.status_details,
            "StandardOutputUrl": self.stdout_url,
            "StandardErrorUrl": self.stderr_url,
            "CommandPlugins": [],
        }
        if details:
            plugin = {
                "Name": self.plugin,
                "Status": self.status,
                "StatusDetails": self.status_details,
                "ResponseCode": self.response_code,
                "ResponseStartDateTime": self.started,
                "ResponseFinishDateTime": self.ended,
                "Output": self.stdout[:2500],
                "StandardOutputUrl": self.stdout_url,
                "StandardErrorUrl": self.stderr_url,
            }
            answer["CommandPlugins"] = [plugin]
        return answer


@dataclass
class Command:
    """One SendCommand."""

    account: str
    region: str
    document: str
    parameters: Mapping[str, Sequence[str]]
    instance_ids: Sequence[str]
    comment: str
    bucket: str
    prefix: str
    delivery_timeout_s: int
    command_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    requested: datetime = field(default_factory=lambda: datetime.now(UTC))
    invocations: dict[str, Invocation] = field(default_factory=dict)
    cancelled: threading.Event = field(default_factory=threading.Event)

    def answer(self) -> dict[str, Any]:
        """As SendCommand and ListCommands tell it."""
        states = [invocation.status for invocation in self.invocations.values()]
        done = [state for state in states if state in FINISHED]
        status = "InProgress" if len(done) < len(states) or not states else _worst(done)
        return {
            "CommandId": self.command_id,
            "DocumentName": self.document,
            "DocumentVersion": "$DEFAULT",
            "Comment": self.comment,
            "ExpiresAfter": self.requested + timedelta(seconds=self.delivery_timeout_s),
            "Parameters": {name: list(values) for name, values in self.parameters.items()},
            "InstanceIds": list(self.instance_ids),
            "Targets": [],
            "RequestedDateTime": self.requested,
            "Status": status,
            "StatusDetails": status,
            "OutputS3BucketName": self.bucket,
            "OutputS3KeyPrefix": self.prefix,
            "OutputS3Region": self.region,
            "TargetCount": len(states),
            "CompletedCount": len(done),
            "ErrorCount": sum(state in {"Failed", "TimedOut"} for state in done),
            "TimeoutSeconds": self.delivery_timeout_s,
        }


def _worst(states: Sequence[str]) -> str:
    return next((state for state in ("Failed", "TimedOut", "Cancelled") if state in states), "Success")
