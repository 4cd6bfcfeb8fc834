"""Ask many nodes one thing through SSM Run Command, and read each whole answer from S3.

``GetCommandInvocation`` shows 24,000 characters of an output and no more, so answers are read from the
bucket that the agent writes to. A status of success is not an answer: only an envelope that opens is one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from bedplate.node.envelope import EnvelopeEmptyError, EnvelopeError, open_envelope
from bedplate.validation.aws import AwsClients, aws_errors, error_code
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply

if TYPE_CHECKING:
    from types_boto3_ssm.type_defs import CommandInvocationTypeDef

STEP_NAME = "bedplateNode"
PREFIX = "answers"
"""The nodes' role may write below this prefix of the result bucket, and nowhere else."""
_SEND_LIMIT = 50  # instance ids a call, by the API
_DELIVERY_SECONDS = 60  # the API's least is 30
_ENDED = frozenset({"Success", "Failed", "Cancelled", "TimedOut"})
_NOT_DELIVERED = frozenset({"Undeliverable", "DeliveryTimedOut", "Delivery Timed Out", "InvalidPlatform"})
_UPLOAD_SECONDS = 20.0
_READERS = 16


@dataclass
class SsmTransport:
    """Sends the environment's document; ``run_id`` keeps the answers of one run together in the bucket."""

    clients: AwsClients
    document: str
    bucket: str
    run_id: str
    sleep: Callable[[float], None] = field(default=time.sleep)
    clock: Callable[[], float] = field(default=time.monotonic)

    def ask(
        self,
        *,
        instance_ids: Sequence[str],
        question: Question,
        on_reply: Callable[[Reply], None] | None = None,
    ) -> dict[str, Reply]:
        """One reply for each instance, whatever happens to it; ``on_reply`` is called as they come in.

        Raises ``AwsRefused`` where AWS itself refuses or cannot be reached; what was sent is cancelled then.
        """
        nonce = token_hex(16)
        replies: dict[str, Reply] = {}

        def keep(reply: Reply) -> None:
            replies[reply.instance_id] = reply
            if on_reply is not None:
                on_reply(reply)

        online = self.online(instance_ids)
        for instance_id in instance_ids:
            if instance_id not in online:
                keep(Reply(instance_id, problem="its SSM agent is not online", unreachable=True))
        sent: dict[str, list[str]] = {}
        try:
            for chunk in _chunks([one for one in instance_ids if one in online]):
                sent[self._send(chunk, question, nonce)] = chunk
            self._collect(sent, question, nonce, keep)
        except BaseException:
            # Jobs on the GPUs must not run on for nobody; what went wrong first is what is told.
            for command_id in sent:
                with suppress(Exception):
                    self._cancel(command_id)
            raise
        return {instance_id: replies[instance_id] for instance_id in instance_ids}

    def online(self, instance_ids: Sequence[str]) -> frozenset[str]:
        """Those whose agent has pinged lately: for one that has none, the API refuses the whole call."""
        online = set()
        with aws_errors("asking which SSM agents are online"):
            for chunk in _chunks(instance_ids):
                pages = self.clients.ssm.get_paginator("describe_instance_information").paginate(
                    Filters=[{"Key": "InstanceIds", "Values": list(chunk)}]
                )
                for page in pages:
                    for row in page["InstanceInformationList"]:
                        if row.get("PingStatus") == "Online":
                            online.add(row["InstanceId"])
        return frozenset(online)

    def _send(self, instance_ids: Sequence[str], question: Question, nonce: str) -> str:
        arguments = " ".join([question.command, "--nonce", nonce, *question.options])
        with aws_errors(f"sending {question.command} to {len(instance_ids)} nodes"):
            sent = self.clients.ssm.send_command(
                InstanceIds=list(instance_ids),
                DocumentName=self.document,
                Parameters={"Arguments": [arguments], "TimeoutSeconds": [str(question.deadline_seconds)]},
                TimeoutSeconds=_DELIVERY_SECONDS,
                # The defaults would stop sending at the first node that fails.
                MaxConcurrency="100%",
                MaxErrors="100%",
                OutputS3BucketName=self.bucket,
                OutputS3KeyPrefix=f"{PREFIX}/{self.run_id}",
                Comment=f"bedplate {question.command}",
            )
        return sent["Command"]["CommandId"]

    def _collect(
        self, sent: dict[str, list[str]], question: Question, nonce: str, keep: Callable[[Reply], None]
    ) -> None:
        """Poll until every invocation has ended or the deadline has passed, reading answers as they end."""
        waiting = {(command, instance) for command, chunk in sent.items() for instance in chunk}
        give_up = self.clock() + question.deadline_seconds + _DELIVERY_SECONDS
        pause = 0.2
        with ThreadPoolExecutor(max_workers=_READERS) as pool:
            while waiting and self.clock() < give_up:
                ended = [
                    row
                    for row in self._invocations({command for command, _ in waiting})
                    if _is_new(row, waiting)
                ]
                for reply in pool.map(lambda row: self._reply(row, question, nonce), ended):
                    keep(reply)
                waiting -= {(row["CommandId"], row["InstanceId"]) for row in ended}
                if waiting:
                    pause = 0.2 if ended else min(pause * 1.4, 5.0)
                    self.sleep(pause)
        for command_id in sorted({command for command, _ in waiting}):
            self._cancel(command_id)
        for _, instance_id in sorted(waiting):
            keep(Reply(instance_id, problem=f"no answer within {question.deadline_seconds} s"))

    def _invocations(self, command_ids: set[str]) -> Iterator[CommandInvocationTypeDef]:
        with aws_errors("asking which nodes have answered"):
            for command_id in sorted(command_ids):
                pages = self.clients.ssm.get_paginator("list_command_invocations").paginate(
                    CommandId=command_id, Details=True
                )
                for page in pages:
                    yield from page["CommandInvocations"]

    def _cancel(self, command_id: str) -> None:
        with aws_errors("cancelling a command that overran"):
            self.clients.ssm.cancel_command(CommandId=command_id)

    def _reply(self, row: CommandInvocationTypeDef, question: Question, nonce: str) -> Reply:
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
        location = f"s3://{self.bucket}/{key}" if text is not None else ""
        if text is None:
            problem = _told("the bucket holds no answer of it", status, details, row)
            return Reply(instance_id, problem=problem, silent=True)
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
        give_up = self.clock() + (_UPLOAD_SECONDS if patient else 1.0)
        with aws_errors(f"reading the answer s3://{self.bucket}/{key}"):
            while True:
                try:
                    body = self.clients.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()
                    return body.decode("utf-8", errors="replace")
                except ClientError as error:
                    if error_code(error) not in ("NoSuchKey", "404"):
                        raise
                if self.clock() >= give_up:
                    return None
                self.sleep(0.5)


def _is_new(row: CommandInvocationTypeDef, waiting: set[tuple[str, str]]) -> bool:
    return row["Status"] in _ENDED and (row["CommandId"], row["InstanceId"]) in waiting


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


def _chunks(instance_ids: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(instance_ids), _SEND_LIMIT):
        yield list(instance_ids[start : start + _SEND_LIMIT])
