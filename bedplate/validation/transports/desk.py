"""Ask nodes that have a desk, through the result bucket: a question is put there, its answer is waited for.

For nodes that Run Command does not reach (SageMaker HyperPod). What lies where: ``bedplate.node.desk.keys``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from secrets import token_hex

from bedplate.node.desk import keys
from bedplate.node.desk.order import Order
from bedplate.validation.aws import AwsClients
from bedplate.validation.transports.desk_objects import DeskObjects
from bedplate.validation.transports.printed import Printed, reply_of
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply
from bedplate.validation.transports.sent_log import Sent, SentLog
from bedplate.validation.transports.ssm_limits import Backoff

Keep = Callable[[Reply], None]
Waiting = dict[str, str]
"""Instance id → the nonce of what it works on."""


@dataclass(frozen=True)
class DeskLimits:
    """Our patience, in seconds. ``taken``: until a desk that lives takes an order up, beside the order's own
    deadline. ``ended``: for a program that is stopped to end its jobs, and for its answer to be put.
    ``look``: how often desks are asked after while an order lasts; one that is twice silent in a row is lost.
    """

    taken: float = 60.0
    ended: float = 90.0
    look: float = 60.0
    first_pause: float = 0.5
    pause_factor: float = 1.4
    most_pause: float = 3.0
    backoff: Backoff = field(default_factory=Backoff)


@dataclass
class DeskTransport:
    """``bucket`` is the result bucket. A node without a sign of life in the last 90 s is not asked.

    ``sent_log`` is what a run that goes on with another knows of its questions.
    """

    clients: AwsClients
    bucket: str
    sleep: Callable[[float], None] = field(default=time.sleep)
    clock: Callable[[], float] = field(default=time.monotonic)
    limits: DeskLimits = field(default_factory=DeskLimits)
    sent_log: SentLog | None = None

    def ask(
        self, *, instance_ids: Sequence[str], question: Question, on_reply: Keep | None = None
    ) -> dict[str, Reply]:
        """One reply for each node, in the order asked; ``on_reply`` is called as they come in.

        Where this is interrupted, or AWS refuses (``AwsRefused``), what was asked is cancelled first.
        """
        replies: dict[str, Reply] = {}

        def keep(reply: Reply) -> None:
            replies[reply.instance_id] = reply
            if on_reply is not None:
                on_reply(reply)

        waiting: Waiting = {}
        try:
            self._take_up(instance_ids, question, waiting, keep)
            known = {*replies, *waiting}
            self._put([one for one in instance_ids if one not in known], question, waiting, keep)
            self._collect(question, waiting, keep)
        except BaseException:
            # Jobs on the GPUs must not run on for nobody; what went wrong first is what is told.
            for instance_id, nonce in waiting.items():
                with suppress(Exception):
                    self._cancel(instance_id, nonce)
            raise
        return {instance_id: replies[instance_id] for instance_id in instance_ids}

    def online(self, instance_ids: Sequence[str]) -> frozenset[str]:
        """Those whose desk has given a sign of life in the last 90 s."""
        return frozenset(one for one in instance_ids if not self._silence(one))

    @property
    def _objects(self) -> DeskObjects:
        return DeskObjects(self.clients, self.bucket, self.limits.backoff, self.sleep)

    def _silence(self, instance_id: str) -> str:
        """Why a question would not reach it, in words; empty where it would."""
        age_seconds = self._objects.age_seconds(keys.alive_key(instance_id))
        if age_seconds is None:
            return "its desk is not online: it has never given a sign of life"
        if age_seconds > keys.LOST_SECONDS:
            return f"its desk is not online: its last sign of life is {age_seconds:.0f} s old"
        return ""

    def _take_up(self, instance_ids: Sequence[str], question: Question, waiting: Waiting, keep: Keep) -> None:
        """Keep the whole answers to the same question of the run before; wait for what still works on it."""
        wanted = set(instance_ids)
        for sent in self.sent_log.take(question, wanted) if self.sent_log else ():
            for instance_id in wanted & set(sent.instance_ids):
                reply = self._reply(instance_id, question, sent.nonce)
                # Anything but an answer is asked for again.
                if reply is not None and reply.answer is not None:
                    keep(replace(reply, taken_up=True))
                elif reply is None and sent.nonce in self._objects.running(instance_id):
                    waiting[instance_id] = sent.nonce

    def _put(self, instance_ids: Sequence[str], question: Question, waiting: Waiting, keep: Keep) -> None:
        nonce, asked = token_hex(16), list[str]()
        order = Order(question.arguments, question.deadline_seconds).to_json()
        for instance_id in instance_ids:
            silence = self._silence(instance_id)
            if silence:
                keep(Reply(instance_id, problem=silence, unreachable=True))
                continue
            # Before: of a request whose connection broke nobody knows whether it was carried out.
            waiting[instance_id] = nonce
            self._objects.write(keys.asked_key(instance_id, nonce), order)
            asked.append(instance_id)
        if asked and self.sent_log is not None and question.usable_seconds > 0:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            self.sent_log.add([Sent("", nonce, question.digest, tuple(asked), now)])

    def _collect(self, question: Question, waiting: Waiting, keep: Keep) -> None:
        """Until each has answered or is lost, or the deadline has passed."""
        limits = self.limits
        began = self.clock()
        next_look, silent = began + limits.look, set[str]()
        give_up = began + question.deadline_seconds + limits.taken + limits.ended
        pause = limits.first_pause
        while waiting and self.clock() < give_up:
            for instance_id, nonce in list(waiting.items()):
                reply = self._reply(instance_id, question, nonce)
                if reply is not None:
                    del waiting[instance_id]
                    keep(reply)
            if waiting and self.clock() >= next_look:
                next_look = self.clock() + limits.look
                silent = self._drop_lost(waiting, silent, keep)
            if waiting:
                self.sleep(pause)
                pause = min(pause * limits.pause_factor, limits.most_pause)
        for instance_id, nonce in list(waiting.items()):
            self._cancel(instance_id, nonce)
            del waiting[instance_id]
            keep(Reply(instance_id, problem=f"no answer within {question.deadline_seconds} s"))

    def _drop_lost(self, waiting: Waiting, before: set[str], keep: Keep) -> set[str]:
        """A desk that is silent twice in a row will not tell any more; the others are not held up by it."""
        silent = {one for one in waiting if self._silence(one)}
        for instance_id in sorted(silent & before):
            # A desk that comes back must not begin it; that it cannot be told now changes nothing.
            with suppress(Exception):
                self._cancel(instance_id, waiting[instance_id])
            del waiting[instance_id]
            keep(Reply(instance_id, problem="its desk was lost while it worked on the question"))
        return silent

    def _cancel(self, instance_id: str, nonce: str) -> None:
        """The order first: a desk that sees a cancellation of what it does not know takes it away."""
        self._objects.remove(keys.asked_key(instance_id, nonce))
        self._objects.write(keys.cancelled_key(instance_id, nonce), "")

    def _reply(self, instance_id: str, question: Question, nonce: str) -> Reply | None:
        """None while there is none."""
        status = self._objects.status(instance_id, nonce)
        if status is None:
            return None
        if not status.begun:
            return Reply(instance_id, problem=f"its desk did not begin it: {status.problem}")
        key = keys.answer_key(instance_id, nonce)
        text = self._objects.read(key)
        printed = Printed(
            text=(text or b"").decode("utf-8", errors="replace"),
            exit_status=status.exit_status,
            last_line=status.last_line,
            overran=status.overran,
            problem=status.problem,
            location="" if text is None else f"s3://{self.bucket}/{key}",
        )
        return reply_of(instance_id, question, nonce, printed)
