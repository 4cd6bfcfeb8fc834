"""Send one question to many nodes by SSM: by tag where a whole group is asked, else by ids, fifty a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bedplate.errors import AwsRefused
from bedplate.validation.aws import AwsClients, error_code
from bedplate.validation.transports.patience import patiently
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.sent_log import Sent
from bedplate.validation.transports.ssm_limits import SsmLimits

PREFIX = "answers"
"""The nodes' role may write below this prefix of the result bucket, and nowhere else."""
Groups = Mapping[tuple[str, str], frozenset[str]]
"""(tag, value) → the instances that carry it, all of them."""


@dataclass(frozen=True)
class SsmSender:
    """Sends the environment's document; ``run_id`` keeps the answers of one run together in the bucket."""

    clients: AwsClients
    document: str
    bucket: str
    run_id: str
    limits: SsmLimits
    sleep: Callable[[float], None]

    def send(
        self, instance_ids: Sequence[str], question: Question, nonce: str, groups: Groups
    ) -> Iterator[Sent | str]:
        """What was sent, one by one; an instance id for one that SSM would not take a command for.

        Raises ``AwsRefused`` where AWS refuses for another reason: what was yielded until then was sent.
        """
        left = list(instance_ids)
        for (tag, value), members in groups.items():
            if len(members) >= self.limits.tag_from and members <= set(left):
                asked = tuple(one for one in left if one in members)
                targets = {"Targets": [{"Key": f"tag:{tag}", "Values": [value]}]}
                yield self._sent(self._call(targets, question, nonce, len(asked)), question, nonce, asked)
                left = [one for one in left if one not in members]
        for start in range(0, len(left), self.limits.instance_ids):
            yield from self._by_ids(left[start : start + self.limits.instance_ids], question, nonce)

    def _by_ids(self, chunk: Sequence[str], question: Question, nonce: str) -> Iterator[Sent | str]:
        """One call; where SSM refuses it for an instance, halves, down to the one that is at fault."""
        try:
            command_id = self._call({"InstanceIds": list(chunk)}, question, nonce, len(chunk))
        except AwsRefused as refused:
            if error_code(refused.__cause__) != "InvalidInstanceId":
                raise
            if len(chunk) == 1:
                yield chunk[0]
                return
            middle = len(chunk) // 2
            yield from self._by_ids(chunk[:middle], question, nonce)
            yield from self._by_ids(chunk[middle:], question, nonce)
            return
        yield self._sent(command_id, question, nonce, tuple(chunk))

    def _call(self, whom: Mapping[str, Any], question: Question, nonce: str, count: int) -> str:
        arguments = " ".join([question.command, "--nonce", nonce, *question.options])

        def send() -> str:
            sent = self.clients.ssm_once.send_command(
                **whom,
                DocumentName=self.document,
                Parameters={"Arguments": [arguments], "TimeoutSeconds": [str(question.deadline_seconds)]},
                TimeoutSeconds=self.limits.delivery,
                # The defaults would stop sending at the first node that fails.
                MaxConcurrency="100%",
                MaxErrors="100%",
                OutputS3BucketName=self.bucket,
                OutputS3KeyPrefix=f"{PREFIX}/{self.run_id}",
                Comment=f"bedplate {question.command} {self.run_id}"[:100],
            )
            return sent["Command"]["CommandId"]

        doing = f"sending {question.command} to {count} nodes"
        return patiently(send, doing=doing, backoff=self.limits.backoff, sleep=self.sleep)

    def _sent(self, command_id: str, question: Question, nonce: str, instance_ids: tuple[str, ...]) -> Sent:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return Sent(command_id, nonce, question.digest, instance_ids, now)
