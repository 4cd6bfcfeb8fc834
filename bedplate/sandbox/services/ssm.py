"""SSM Run Command and the inventory of managed nodes; documents and parameters go on to moto."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call, Service
from bedplate.sandbox.services.ssm_command import Command, Invocation
from bedplate.sandbox.services.ssm_document import document_steps
from bedplate.sandbox.services.ssm_parameter import get_parameter
from bedplate.sandbox.services.ssm_runner import CommandRunner

MOST_INSTANCE_IDS = 50
"""Instance ids that one SendCommand takes (SSM API reference, SendCommand)."""
_PASSED_ON = (
    "AddTagsToResource CreateDocument DeleteDocument DeleteParameter DeleteParameters DescribeDocument"
    " DescribeParameters GetDocument GetParameterHistory GetParameters GetParametersByPath"
    " ListDocuments ListTagsForResource PutParameter RemoveTagsFromResource UpdateDocument"
    " UpdateDocumentDefaultVersion"
)


class SsmApi:
    """Sends commands to the nodes and tells what became of them."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._runner = CommandRunner(sandbox)
        self._commands: dict[str, Command] = {}

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "ssm",
            {
                "GetParameter": partial(get_parameter, self._sandbox),
                "SendCommand": self._send,
                "CancelCommand": self._cancel,
                "ListCommands": self._list_commands,
                "GetCommandInvocation": self._get_invocation,
                "ListCommandInvocations": self._list_invocations,
                "DescribeInstanceInformation": self._instances,
            },
            passes_on=frozenset(_PASSED_ON.split()),
        )

    def _send(self, call: Call) -> Mapping[str, Any]:
        instance_ids = list(dict.fromkeys(call.get("InstanceIds") or self._targets(call)))
        if len(instance_ids) > MOST_INSTANCE_IDS and call.get("InstanceIds"):
            raise ApiError(
                "ValidationException", f"instanceIds holds {len(instance_ids)}, at most {MOST_INSTANCE_IDS}"
            )
        managed = self._managed(call)
        unknown = [instance_id for instance_id in instance_ids if instance_id not in managed]
        if unknown:
            raise ApiError(
                "InvalidInstanceId", f"Instances [{', '.join(unknown)}] not in a valid state for account"
            )
        parameters = call.get("Parameters") or {}
        steps = document_steps(
            account=call.account, region=call.region, name=call.need("DocumentName"), parameters=parameters
        )
        command = Command(
            account=call.account,
            region=call.region,
            document=call.need("DocumentName"),
            parameters=parameters,
            instance_ids=instance_ids,
            comment=call.get("Comment", ""),
            bucket=call.get("OutputS3BucketName", ""),
            prefix=call.get("OutputS3KeyPrefix", ""),
            delivery_timeout_s=int(call.get("TimeoutSeconds") or 3600),
        )
        for instance_id in instance_ids:
            command.invocations[instance_id] = Invocation(
                command.command_id, instance_id, command.document, steps[0].name, command.comment
            )
        self._commands[command.command_id] = command
        self._runner.start(command, steps)
        return {"Command": command.answer()}

    def _cancel(self, call: Call) -> None:
        command = self._command(call)
        command.cancelled.set()
        wanted = call.get("InstanceIds") or command.instance_ids
        for instance_id in wanted:
            command.invocations[instance_id].finish("Cancelled")

    def _list_commands(self, call: Call) -> Mapping[str, Any]:
        if call.get("CommandId"):
            return {"Commands": [self._command(call).answer()]}
        return {"Commands": [command.answer() for command in self._commands.values()]}

    def _get_invocation(self, call: Call) -> Mapping[str, Any]:
        command = self._commands.get(call.need("CommandId"))
        invocation = command.invocations.get(call.need("InstanceId")) if command else None
        plugin = call.get("PluginName")
        if invocation is None or (plugin and plugin != invocation.plugin):
            raise ApiError(
                "InvocationDoesNotExist", "The command ID and managed node ID you specified did not match"
            )
        return invocation.answer()

    def _list_invocations(self, call: Call) -> Mapping[str, Any]:
        commands = [self._command(call)] if call.get("CommandId") else list(self._commands.values())
        invocations = [invocation for command in commands for invocation in command.invocations.values()]
        if call.get("InstanceId"):
            invocations = [item for item in invocations if item.instance_id == call.get("InstanceId")]
        details = bool(call.get("Details"))
        return {"CommandInvocations": [item.listed(details=details) for item in invocations]}

    def _instances(self, call: Call) -> Mapping[str, Any]:
        managed = self._managed(call)
        wanted = set(managed)
        for each in [*(call.get("InstanceInformationFilterList") or []), *(call.get("Filters") or [])]:
            key, values = each.get("key") or each.get("Key"), each.get("valueSet") or each.get("Values")
            if key == "InstanceIds":
                wanted &= set(values)
            elif key == "PingStatus":
                wanted = {item for item in wanted if self._ping(item) in values}
            else:
                raise ApiError("InvalidFilterKey", f"SBX-018: the sandbox knows no filter {key}")
        return {
            "InstanceInformationList": [self._information(item, managed[item]) for item in sorted(wanted)]
        }

    def _information(self, instance_id: str, instance: Any) -> dict[str, Any]:
        return {
            "InstanceId": instance_id,
            "PingStatus": self._ping(instance_id),
            "LastPingDateTime": datetime.now(UTC),
            "AgentVersion": "3.3.2746.0",
            "IsLatestVersion": True,
            "PlatformType": "Linux",
            "PlatformName": "Ubuntu",
            "PlatformVersion": "24.04",
            "ResourceType": "EC2Instance",
            "IPAddress": instance.private_ip,
            "ComputerName": f"ip-{instance.private_ip.replace('.', '-')}",
        }

    def _ping(self, instance_id: str) -> str:
        answers = getattr(self._sandbox.fleet, "answers", None)
        return "Online" if answers is None or answers(instance_id) else "ConnectionLost"

    def _managed(self, call: Call) -> dict[str, Any]:
        """Running instances that a cluster launched: those that have an agent."""
        launched = set(self._sandbox.instances())
        return {
            instance.id: instance
            for reservation in ec2_backends[call.account][call.region].reservations.values()
            for instance in reservation.instances
            if instance.id in launched and instance.state == "running"
        }

    def _targets(self, call: Call) -> Iterable[str]:
        managed = self._managed(call)
        targets = call.get("Targets") or []
        if not targets:
            raise ApiError("InvalidTarget", "SendCommand needs InstanceIds or Targets")
        for target in targets:
            key, values = target["Key"], target["Values"]
            if key == "InstanceIds":
                managed = {item: found for item, found in managed.items() if item in values}
            elif key.startswith("tag:"):
                name = key.removeprefix("tag:")
                managed = {
                    item: found
                    for item, found in managed.items()
                    if any(tag["key"] == name and tag["value"] in values for tag in found.get_tags())
                }
            else:
                raise ApiError("InvalidTarget", f"SBX-018: the sandbox knows no target {key}")
        return sorted(managed)

    def _command(self, call: Call) -> Command:
        command = self._commands.get(call.need("CommandId"))
        if command is None:
            raise ApiError("InvalidCommandId", f"{call.get('CommandId')} is no command")
        return command
