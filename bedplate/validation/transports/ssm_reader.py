"""From one invocation that has ended to one reply: the whole answer lies in the bucket.

``GetCommandInvocation`` shows 24,000 characters of an output and no more, so answers are read from the
bucket that the agent writes to. A status of success is not an answer: only an envelope that opens is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from bedplate.node.envelope import EnvelopeEmptyError, EnvelopeError, open_envelope
from bedplate.validation.aws import AwsClients, error_code
from bedplate.validation.transports.patience import patiently
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply
from bedplate.validation.transports.ssm_limits import SsmLimits
from bedplate.validation.transports.ssm_sender import PREFIX

if TYPE_CHECKING:
    from types_boto3_ssm.type_defs import CommandInvocationTypeDef

STEP_NAME = "bedplateNode"
_NOT_DELIVERED = frozenset({"Undeliverable", "DeliveryTimedOut", "Delivery Timed Out", "InvalidPlatform"})


@dataclass(frozen=True)
class SsmReader:
    """Reads the answers of one run."""

    clients: AwsClients
    bucket: str
    run_id: str
    limits: SsmLimits
    sleep: Callable[[float], None]
    clock: Callable[[], float]

    def reply(self, row: CommandInvocationTypeDef, question: Question, nonce: str) -> Reply:
        """The reply of one instance. Raises ``AwsRefused`` where the bucket cannot be read."""
        instance_id, status = row["InstanceId"], row["Status"]
        details = row.get("StatusDetails", status)
        if details in _NOT_DELIVERED:
            return Reply(
                instance_id, problem=f"the command did not reach the node: {details}", unreachable=True
            )
        key = "/".join(
            [PREFIX, self.run_id, row["CommandId"], instance_id, "awsrunShellScript", STEP_NAME, "stdout"]
        )
        text = self._read(key, patient=status == "Success")
        if text is None:
            problem = _told("the bucket holds no answer of it", status, details, row)
            return Reply(instance_id, problem=problem, silent=True)
        location = f"s3://{self.bucket}/{key}"
        try:
            answer = open_envelope(text, instance_id=instance_id, nonce=nonce, command=question.command)
        except EnvelopeError as error:
            problem, silent = _told(str(error), status, details, row), isinstance(error, EnvelopeEmptyError)
            return Reply(instance_id, problem=problem, location=location, silent=silent)
        if status != "Success":
            return Reply(
                instance_id, problem=_told("it did not end well", status, details, row), location=location
            )
        return Reply(instance_id, answer=answer, location=location)

    def _read(self, key: str, *, patient: bool) -> str | None:
        """What the node printed, None where the bucket has nothing; the agent's upload may come a little
        late.
        """
        give_up = self.clock() + (self.limits.upload if patient else 1.0)
        while True:
            text = patiently(
                lambda: self._object(key),
                doing=f"reading the answer s3://{self.bucket}/{key}",
                backoff=self.limits.backoff,
                sleep=self.sleep,
            )
            if text is not None or self.clock() >= give_up:
                return text
            self.sleep(0.5)

    def _object(self, key: str) -> str | None:
        try:
            body = self.clients.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        except ClientError as error:
            if error_code(error) in ("NoSuchKey", "404"):
                return None
            raise
        return body.decode("utf-8", errors="replace")


def _told(problem: str, status: str, details: str, row: CommandInvocationTypeDef) -> str:
    """The problem, how SSM says it ended, and the last line that the node printed about it."""
    output = "\n".join(plugin.get("Output", "") for plugin in row.get("CommandPlugins", []))
    # The console's text holds stdout as well: a line of a cut envelope says nothing to a person.
    lines = [line.strip() for line in output.splitlines() if " " in line.strip()]
    # The agent's own closing words tell less than the program's.
    lines = [line for line in lines if not line.startswith("failed to run commands")]
    ended = "" if status == "Success" else f" (SSM: {details})"
    last = lines[-1][:200] if lines and not lines[-1].startswith("-----") else ""
    return f"{problem}{ended}{': ' + last if last else ''}"
