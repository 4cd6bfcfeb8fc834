"""Carries a command out on simulated nodes, and misreports it where a test asks for that."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from bedplate.errors import BedplateError
from bedplate.sandbox.nodes import ShellResult
from bedplate.sandbox.options import SsmAnswer
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.s3_objects import write_object
from bedplate.sandbox.services.service import ApiError
from bedplate.sandbox.services.ssm_command import Command, Invocation
from bedplate.sandbox.services.ssm_document import Step

LOG = logging.getLogger("bedplate.sandbox.ssm")
NODES_AT_ONCE = 16


class CommandRunner:
    """A pool of agents; remembers what each node printed last, for a stale answer."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._pool = ThreadPoolExecutor(NODES_AT_ONCE, thread_name_prefix="ssm-agent")
        self._last: dict[str, str] = {}

    def start(self, command: Command, steps: Sequence[Step]) -> None:
        """Run the steps on every instance of the command, in the background."""
        for invocation in command.invocations.values():
            self._pool.submit(self._guarded, command, invocation, steps)

    def _guarded(self, command: Command, invocation: Invocation, steps: Sequence[Step]) -> None:
        try:
            self._run(command, invocation, steps)
        except (
            BedplateError
        ) as error:  # the node does not answer: SSM would wait for the delivery to time out
            LOG.info("%s", error.message)
            invocation.finish("TimedOut", "DeliveryTimedOut")
        except Exception as error:
            LOG.exception("command %s on %s", command.command_id, invocation.instance_id)
            invocation.stderr = f"SBX-015: {type(error).__name__}: {error}"
            invocation.finish("Failed")

    def _run(self, command: Command, invocation: Invocation, steps: Sequence[Step]) -> None:
        fault = self._sandbox.options.ssm_answer(invocation.instance_id)
        if fault == "undeliverable":
            invocation.finish("Failed", "Undeliverable")
            return
        if fault == "timed-out":
            invocation.finish("TimedOut", "ExecutionTimedOut")
            return
        for step in steps:
            if command.cancelled.is_set():
                invocation.finish("Cancelled")
                return
            if invocation.started is None:
                invocation.start()
            result = self._result(command, invocation, step, fault)
            stdout = self._misreported(invocation, result.stdout, fault)
            invocation.stdout += stdout
            invocation.stderr += result.stderr
            if fault != "s3-missing":
                self._upload(command, invocation, step, stdout, result.stderr)
            if getattr(result, "timed_out", False) or result.rc is None:
                invocation.finish("TimedOut", "ExecutionTimedOut")
                return
            if result.rc != 0:
                invocation.finish("Failed", response_code=result.rc)
                return
        invocation.finish("Success", response_code=0)

    def _result(
        self, command: Command, invocation: Invocation, step: Step, fault: SsmAnswer | None
    ) -> ShellResult:
        instance_id = invocation.instance_id
        if fault == "foreign":
            others = [each for each in self._sandbox.instances() if each != instance_id]
            instance_id = next((other for other in others if other in command.instance_ids), others[0])
        return self._sandbox.fleet.run_shell(instance_id, step.script, step.timeout_s)

    def _misreported(self, invocation: Invocation, stdout: str, fault: SsmAnswer | None) -> str:
        before = self._last.get(invocation.instance_id, "")
        self._last[invocation.instance_id] = stdout
        if fault == "empty":
            return ""
        if fault == "cut":
            return stdout[: len(stdout) // 2]
        if fault == "stale":
            return before
        return stdout

    def _upload(self, command: Command, invocation: Invocation, step: Step, stdout: str, stderr: str) -> None:
        """As the agent does: nothing is uploaded for a stream that stayed empty."""
        if not command.bucket:
            return
        folder = "/".join(
            part for part in (command.prefix.strip("/"), command.command_id, invocation.instance_id) if part
        )
        base = f"{folder}/awsrunShellScript/{step.name}"
        url = f"https://s3.{command.region}.amazonaws.com/{command.bucket}/{base}"
        try:
            if stdout:
                write_object(command.account, command.bucket, f"{base}/stdout", stdout.encode())
                invocation.stdout_url = f"{url}/stdout"
            if stderr:
                write_object(command.account, command.bucket, f"{base}/stderr", stderr.encode())
                invocation.stderr_url = f"{url}/stderr"
        except ApiError as error:  # the agent writes such a failure into its own log only
            LOG.warning("%s: %s", invocation.instance_id, error)
