"""Two ways to ask simulated nodes: through real processes, or through the same programs called here."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from bedplate.errors import AwsRefused
from bedplate.node.envelope import EnvelopeEmptyError, EnvelopeError, open_envelope
from bedplate.sandbox.fleet import NodeUnreachable
from bedplate.sandbox.fleet.shell import ShellResult, half_of
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply
from tests.bench.faults.cluster import Cluster
from tests.bench.faults.played_node import PlayedNodes
from tests.bench.faults.virtual_time import VirtualTime

NONCE = "0123456789abcdef0123456789abcdef"


class _Shell(Protocol):
    def __call__(self, instance_id: str, question: Question) -> ShellResult: ...


class DirectTransport:
    """A ``Transport`` without AWS: ``shell`` runs the question on a node; a silent node is one reply."""

    def __init__(
        self,
        *,
        shell: _Shell,
        answers: Callable[[str], bool],
        clock: VirtualTime,
        at_once: int = 1,
    ) -> None:
        self._shell, self._answers, self._clock, self._at_once = shell, answers, clock, at_once
        self.questions_left: int | None = None
        """How many questions AWS lets through before it throttles for good; None for all."""

    def sleep(self, seconds: float) -> None:
        """Nothing is worth waiting for."""
        self._clock.sleep(seconds)

    def clock(self) -> float:
        """Real seconds, and those that were to be slept."""
        return self._clock.monotonic()

    def online(self, instance_ids: Sequence[str]) -> frozenset[str]:
        """Those that answer now."""
        return frozenset(filter(self._answers, instance_ids))

    def ask(
        self,
        *,
        instance_ids: Sequence[str],
        question: Question,
        on_reply: Callable[[Reply], None] | None = None,
    ) -> dict[str, Reply]:
        """One reply for each instance. Raises ``AwsRefused`` once AWS throttles."""
        if self.questions_left is not None:
            if self.questions_left == 0:
                raise AwsRefused("sending a question: ThrottlingException", error_id="AWS-004", remedy="")
            self.questions_left -= 1
        if self._at_once == 1:
            found = [self._one(each, question) for each in instance_ids]
        else:
            with ThreadPoolExecutor(self._at_once) as pool:
                found = list(pool.map(lambda each: self._one(each, question), instance_ids))
        for reply in found:
            if on_reply:
                on_reply(reply)
        return {reply.instance_id: reply for reply in found}

    def _one(self, instance_id: str, question: Question) -> Reply:
        try:
            left = self._shell(instance_id, question)
        except NodeUnreachable as error:
            return Reply(instance_id, problem=str(error), unreachable=True)
        try:
            answer = open_envelope(
                left.stdout, instance_id=instance_id, nonce=NONCE, command=question.command
            )
        except EnvelopeError as error:
            told = (left.stderr.strip().splitlines() or [""])[-1]
            silent = isinstance(error, EnvelopeEmptyError)
            return Reply(instance_id, problem=f"{error}: {told}", silent=silent)
        if left.rc != 0:
            return Reply(instance_id, problem=f"it did not end well (status {left.rc})")
        return Reply(instance_id, answer=answer)


def process_transport(cluster: Cluster) -> DirectTransport:
    """Every probe, exercise and job is a process of its own, with stand-ins that are processes too."""

    def shell(instance_id: str, question: Question) -> ShellResult:
        words = " ".join([question.command, "--nonce", NONCE, *question.options])
        script = f'exec python3 "$BEDPLATE_ROOT/opt/bedplate/bedplate-node.pyz" {words}'
        return cluster.fleet.run_shell(instance_id, script, question.deadline_seconds)

    return DirectTransport(shell=shell, answers=cluster.fleet.answers, clock=_Slept(), at_once=4)


def played_transport(cluster: Cluster, nodes: PlayedNodes, clock: VirtualTime) -> DirectTransport:
    """Every program is called in this process."""
    truths = cluster.truths()

    def shell(instance_id: str, question: Question) -> ShellResult:
        node = truths[instance_id]
        if node.effects.unreachable:
            raise NodeUnreachable(instance_id, "the agent lost its connection")
        words = [question.command, "--nonce", NONCE, *question.options]
        left = nodes.run(node, words, deadline_seconds=question.deadline_seconds)
        return half_of(left) if node.effects.agent_lost else left

    return DirectTransport(shell=shell, answers=cluster.fleet.answers, clock=clock)


class _Slept(VirtualTime):
    """For real processes: what the controller would sleep is skipped, what runs takes its time."""

    def monotonic(self) -> float:
        """The real clock, and all that was slept."""
        return time.monotonic() + self._ahead_seconds
