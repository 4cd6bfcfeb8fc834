"""A sandbox in the test's process, with a fake fleet, and clients for it."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config

REGION = "us-west-2"


@dataclass(frozen=True)
class FakeResult:
    """What a script left on a fake node."""

    stdout: str
    stderr: str = ""
    rc: int | None = 0


@dataclass
class FakeFleet:
    """Remembers what was asked of it; ``answer`` decides what a script prints."""

    booted: dict[str, dict[str, Any]] = field(default_factory=dict)
    terminated: list[str] = field(default_factory=list)
    scripts: list[tuple[str, str, int]] = field(default_factory=list)
    answer: Callable[[str, str], FakeResult] = lambda instance_id, script: FakeResult(
        f"{instance_id}: {script}"
    )
    tied: list[Mapping[str, Any]] = field(default_factory=list)
    boot_error: Exception | None = None

    def boot(self, instance_id: str, **values: Any) -> None:
        """Remember the node."""
        if self.boot_error is not None:
            raise self.boot_error
        self.booted[instance_id] = values

    def put_in_partitions(self, instance_id: str, partitions: Sequence[str]) -> None:
        """Remember the node's partitions."""
        self.booted[instance_id]["partitions"] = tuple(partitions)

    def tie(self, associations: Sequence[Mapping[str, Any]]) -> None:
        """Remember which folders are tied to S3."""
        self.tied = list(associations)

    def terminate(self, instance_id: str) -> None:
        """Forget the node."""
        self.terminated.append(instance_id)
        self.booted.pop(instance_id, None)

    def run_shell(self, instance_id: str, script: str, timeout_s: int) -> FakeResult:
        """Answer as told."""
        self.scripts.append((instance_id, script, timeout_s))
        return self.answer(instance_id, script)

    def compute_nodes(self) -> list[str]:
        """The compute nodes, as they were booted."""
        return [name for name, values in self.booted.items() if values.get("role") == "compute"]

    def answers(self, instance_id: str) -> bool:
        """Every node that was booted answers."""
        return instance_id in self.booted


@dataclass
class StandIn:
    """A sandbox that runs in this process."""

    endpoint: str
    fleet: FakeFleet
    options_path: Path

    def client(self, service: str, region: str = REGION) -> Any:
        """A boto3 client that does not retry."""
        return boto3.client(
            service,
            endpoint_url=self.endpoint,
            region_name=region,
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
            config=Config(retries={"total_max_attempts": 1}),
        )

    def options(self, **values: Any) -> None:
        """Throw switches; without arguments: put all back."""
        self.options_path.write_text(json.dumps(values), encoding="utf-8")

    def create(self, resources: Mapping[str, Any], *, name: str = "", **sections: Any) -> Mapping[str, Any]:
        """Create a stack and return what DescribeStacks says of it."""
        name = name or f"t-{uuid.uuid4().hex[:8]}"
        region = sections.pop("region", REGION)
        options = sections.pop("options", {})
        body = json.dumps({"Resources": resources, **sections})
        self.client("cloudformation", region).create_stack(StackName=name, TemplateBody=body, **options)
        return self.stack(name, region)

    def update(self, name: str, resources: Mapping[str, Any], **sections: Any) -> Mapping[str, Any]:
        """Update a stack and return what DescribeStacks says of it."""
        body = json.dumps({"Resources": resources, **sections})
        self.client("cloudformation").update_stack(StackName=name, TemplateBody=body)
        return self.stack(name)

    def delete(self, stack: Mapping[str, Any]) -> Mapping[str, Any]:
        """Delete a stack and return what DescribeStacks says of it by its id."""
        self.client("cloudformation").delete_stack(StackName=stack["StackName"])
        return self.stack(stack["StackId"])

    def stack(self, name: str, region: str = REGION) -> Mapping[str, Any]:
        """What DescribeStacks says."""
        found: Mapping[str, Any] = self.client("cloudformation", region).describe_stacks(StackName=name)[
            "Stacks"
        ][0]
        return found

    def reasons(self, name: str, region: str = REGION) -> str:
        """Every reason in the stack's history, joined."""
        events = self.client("cloudformation", region).describe_stack_events(StackName=name)["StackEvents"]
        return "\n".join(event.get("ResourceStatusReason", "") for event in events)

    def physical_id(self, stack: str, logical_id: str) -> str:
        """The physical id of one resource."""
        answer = self.client("cloudformation").describe_stack_resource(
            StackName=stack, LogicalResourceId=logical_id
        )
        found: str = answer["StackResourceDetail"]["PhysicalResourceId"]
        return found


def outputs(stack: Mapping[str, Any]) -> dict[str, str]:
    """Output name → value."""
    return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}


def eventually(condition: Callable[[], Any], limit_s: float = 10.0) -> Any:
    """The first true value of ``condition``; fails after ``limit_s``."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"did not come true within {limit_s} s")
