"""Ask many nodes one thing through SSM Run Command, and bring back one reply for each, whatever happens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from secrets import token_hex
from typing import TYPE_CHECKING

from bedplate.errors import AwsRefused
from bedplate.validation.aws import AwsClients, aws_errors, error_code
from bedplate.validation.transports.known_nodes import KnownNode
from bedplate.validation.transports.patience import patiently
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply
from bedplate.validation.transports.sent_log import Sent, SentLog
from bedplate.validation.transports.ssm_limits import SsmLimits
from bedplate.validation.transports.ssm_reader import SsmReader
from bedplate.validation.transports.ssm_sender import Groups, SsmSender

if TYPE_CHECKING:
    from types_boto3_ssm.type_defs import CommandInvocationTypeDef

_ENDED = frozenset({"Success", "Failed", "Cancelled", "TimedOut"})
Keep = Callable[[Reply], None]


@dataclass
class SsmTransport:
    """Sends the environment's document; ``run_id`` keeps the answers of one run together in the bucket.

    ``sent_log`` is what a run that goes on with another knows of its commands. ``groups`` are the pools by
    the tags that select them: a pool that is asked as a whole is addressed by its tag.
    """

    clients: AwsClients
    document: str
    bucket: str
    run_id: str
    sleep: Callable[[float], None] = field(default=time.sleep)
    clock: Callable[[], float] = field(default=time.monotonic)
    limits: SsmLimits = field(default_factory=SsmLimits)
    sent_log: SentLog | None = None
    groups: Groups = field(default_factory=dict)

    def know_nodes(self, nodes: Sequence[KnownNode]) -> None:
        """Which pools can be addressed by a tag."""
        pools: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for one in nodes:
            pools.setdefault(tuple(sorted(one.selection_tags.items())), []).append(one.instance_id)
        self.groups = groups_of((dict(tags), members) for tags, members in pools.items())

    def ask(
        self, *, instance_ids: Sequence[str], question: Question, on_reply: Keep | None = None
    ) -> dict[str, Reply]:
        """One reply for each instance, whatever happens to it; ``on_reply`` is called as they come in.

        Raises ``AwsRefused`` where AWS itself refuses or cannot be reached; what was sent is cancelled then.
        """
        replies: dict[str, Reply] = {}

        def keep(reply: Reply) -> None:
            replies[reply.instance_id] = reply
            if on_reply is not None:
                on_reply(reply)

        waiting: dict[str, Sent] = {}
        try:
            waiting |= self._take_up(instance_ids, question, keep)
            known = {*replies, *waiting}
            self._send([one for one in instance_ids if one not in known], question, waiting, keep)
            _Collection(self, question, waiting, keep).run()
        except BaseException:
            # Jobs on the GPUs must not run on for nobody; what went wrong first is what is told.
            for command_id in dict.fromkeys(sent.command_id for sent in waiting.values()):
                with suppress(Exception):
                    self.cancel(command_id)
            raise
        return {instance_id: replies[instance_id] for instance_id in instance_ids}

    def online(self, instance_ids: Sequence[str]) -> frozenset[str]:
        """Those whose agent has pinged lately: for one that has none, the API refuses the whole call."""
        online = set()
        for start in range(0, len(instance_ids), self.limits.instance_ids):
            chunk = list(instance_ids[start : start + self.limits.instance_ids])
            pages = self.clients.ssm.get_paginator("describe_instance_information")
            rows = patiently(
                lambda pages=pages, chunk=chunk: [  # type: ignore[misc]
                    row
                    for page in pages.paginate(Filters=[{"Key": "InstanceIds", "Values": chunk}])
                    for row in page["InstanceInformationList"]
                ],
                doing="asking which SSM agents are online",
                backoff=self.limits.backoff,
                sleep=self.sleep,
            )
            online |= {row["InstanceId"] for row in rows if row.get("PingStatus") == "Online"}
        return frozenset(online)

    def cancel(self, command_id: str) -> None:
        """End a command on every node that still works on it."""
        with aws_errors("cancelling a command that overran"):
            self.clients.ssm.cancel_command(CommandId=command_id)

    def invocations(self, command_id: str) -> tuple[list[CommandInvocationTypeDef], int]:
        """What each instance makes of a command, and how many pages that took."""

        def listed() -> list[list[CommandInvocationTypeDef]]:
            pages = self.clients.ssm.get_paginator("list_command_invocations")
            return [page["CommandInvocations"] for page in pages.paginate(CommandId=command_id, Details=True)]

        found = patiently(
            listed,
            doing="asking which nodes have answered",
            backoff=self.limits.backoff,
            sleep=self.sleep,
        )
        return [row for page in found for row in page], len(found)

    @cached_property
    def reader(self) -> SsmReader:
        """Reads what the nodes left in the bucket."""
        return SsmReader(self.clients, self.bucket, self.run_id, self.limits, self.sleep, self.clock)

    def _send(
        self, instance_ids: Sequence[str], question: Question, waiting: dict[str, Sent], keep: Keep
    ) -> None:
        online = self.online(instance_ids)
        for instance_id in instance_ids:
            if instance_id not in online:
                keep(Reply(instance_id, problem="its SSM agent is not online", unreachable=True))
        sender = SsmSender(self.clients, self.document, self.bucket, self.run_id, self.limits, self.sleep)
        asked, nonce = [one for one in instance_ids if one in online], token_hex(16)
        sent: list[Sent] = []
        for one in sender.send(asked, question, nonce, self.groups):
            if isinstance(one, str):
                problem = "SSM takes no command for it: its agent went away"
                keep(Reply(one, problem=problem, unreachable=True))
                continue
            sent.append(one)
            waiting |= dict.fromkeys(one.instance_ids, one)
        if sent and self.sent_log is not None and question.usable_seconds > 0:
            self.sent_log.add(sent)

    def _take_up(self, instance_ids: Sequence[str], question: Question, keep: Keep) -> dict[str, Sent]:
        """Keep the answers to the same question of the run before; return who still works on it."""
        waiting: dict[str, Sent] = {}
        ended: list[tuple[CommandInvocationTypeDef, str]] = []
        wanted = set(instance_ids)
        for sent in self.sent_log.take(question, wanted) if self.sent_log else ():
            for row in self._known_invocations(sent.command_id):
                if row["InstanceId"] in wanted and row["Status"] not in _ENDED:
                    waiting[row["InstanceId"]] = sent
                elif row["InstanceId"] in wanted and row["Status"] == "Success":
                    ended.append((row, sent.nonce))
        with ThreadPoolExecutor(max_workers=self.limits.readers) as pool:
            for reply in pool.map(lambda one: self.reader.reply(one[0], question, one[1]), ended):
                # Anything but an answer is asked for again.
                if reply.answer is not None:
                    keep(replace(reply, taken_up=True))
        return waiting

    def _known_invocations(self, command_id: str) -> list[CommandInvocationTypeDef]:
        """None of a command that SSM does not know any more."""
        try:
            return self.invocations(command_id)[0]
        except AwsRefused as refused:
            if error_code(refused.__cause__) in ("InvalidCommandId", "InvocationDoesNotExist"):
                return []
            raise


@dataclass
class _Collection:
    """The wait for the answers to one question: until each has ended, is lost, or the deadline has passed."""

    transport: SsmTransport
    question: Question
    waiting: dict[str, Sent]
    keep: Keep
    _seen: set[str] = field(default_factory=set)
    _offline: frozenset[str] = frozenset()

    def run(self) -> None:
        """Poll, and read answers as they come in."""
        transport, limits = self.transport, self.transport.limits
        began = next_look = transport.clock()
        next_look += limits.lost_look
        give_up = began + self.question.deadline_seconds + limits.delivery
        pause = limits.first_pause
        with ThreadPoolExecutor(max_workers=limits.readers) as pool:
            while self.waiting and transport.clock() < give_up:
                ended, pages = self._poll()
                for reply in pool.map(self._reply, ended):
                    self._done(reply)
                if transport.clock() >= began + limits.delivery + limits.upload:
                    self._without_invocation()
                if self.waiting and transport.clock() >= next_look:
                    next_look = transport.clock() + limits.lost_look
                    self._drop_lost()
                if self.waiting:
                    pause = (
                        limits.first_pause if ended else min(pause * limits.pause_factor, limits.most_pause)
                    )
                    transport.sleep(pause + pages * limits.page_pause)
        for command_id in sorted({sent.command_id for sent in self.waiting.values()}):
            transport.cancel(command_id)
        for instance_id in sorted(self.waiting):
            self.keep(Reply(instance_id, problem=f"no answer within {self.question.deadline_seconds} s"))

    def _poll(self) -> tuple[list[CommandInvocationTypeDef], int]:
        """The invocations that have ended since, and how many pages beyond the first each listing took."""
        ended, beyond = [], 0
        for command_id in sorted({sent.command_id for sent in self.waiting.values()}):
            rows, pages = self.transport.invocations(command_id)
            beyond += max(pages - 1, 0)
            for row in rows:
                sent = self.waiting.get(row["InstanceId"])
                if sent is None or sent.command_id != row["CommandId"]:
                    continue
                self._seen.add(row["InstanceId"])
                if row["Status"] in _ENDED:
                    ended.append(row)
        return ended, beyond

    def _reply(self, row: CommandInvocationTypeDef) -> Reply:
        nonce = self.waiting[row["InstanceId"]].nonce
        return self.transport.reader.reply(row, self.question, nonce)

    def _done(self, reply: Reply) -> None:
        self.waiting.pop(reply.instance_id)
        self.keep(reply)

    def _without_invocation(self) -> None:
        """A tag may have led past a node, and SSM makes invocations late but not that late."""
        for instance_id in [one for one in self.waiting if one not in self._seen]:
            problem = "SSM made no invocation of the command for it"
            self._done(Reply(instance_id, problem=problem, unreachable=True))

    def _drop_lost(self) -> None:
        """An agent that is offline twice in a row will not tell any more; the rest is not held up by it."""
        offline = frozenset(self.waiting) - self.transport.online(sorted(self.waiting))
        for instance_id in sorted(offline & self._offline):
            sent = self.waiting[instance_id]
            self._cancel_one(sent.command_id, instance_id)
            self._done(Reply(instance_id, problem="its SSM agent was lost while it worked on the command"))
        self._offline = offline

    def _cancel_one(self, command_id: str, instance_id: str) -> None:
        # An agent that comes back must not go on with it; that it cannot be told now changes nothing.
        with suppress(Exception):
            self.transport.clients.ssm.cancel_command(CommandId=command_id, InstanceIds=[instance_id])


def groups_of(tags: Iterable[tuple[dict[str, str], Iterable[str]]]) -> Groups:
    """Pools by tag, for those that one tag selects; more tags than one are no target of one value."""
    return {
        next(iter(selection.items())): frozenset(instances)
        for selection, instances in tags
        if len(selection) == 1
    }
