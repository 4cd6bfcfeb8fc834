"""Ask compute nodes through Slurm: from the head node, one srun a node, on nodes that are idle.

For clusters whose compute nodes no command can be sent to (SageMaker HyperPod). Questions to the head itself
go by ``inner``, as do the orders by which it asks the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.run_jobs import Job, encode_jobs
from bedplate.validation.transports.known_nodes import KnownNode
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply
from bedplate.validation.transports.slurm_nodes import (
    SlurmView,
    gpu_count,
    is_ending,
    is_gone,
    read_view,
    told_state,
)
from bedplate.validation.transports.slurm_row import reply_of_row
from bedplate.validation.transports.transport import Transport

Keep = Callable[[Reply], None]


@dataclass(frozen=True)
class SlurmLimits:
    """In seconds where no unit is named.

    ``nodes``: asked by one order. An answer of a node is some 10 to 200 KB, and what one order may print is
    bounded (64 MiB, ``node.process``). ``launch``: for srun to be given its node, beside the question's own
    deadline (``run_jobs`` lets it wait 30 s). ``order``: beside the longest job, to stop and to answer.
    ``settle``: a node whose last job is just ending is asked again for so long.
    """

    nodes: int = 64
    scheduler: int = 120
    launch: float = 30.0
    order: float = 120.0
    settle: float = 60.0
    settle_pause: float = 3.0


@dataclass
class SlurmTransport:
    """``head`` is the instance id of the node that Slurm's clients work on. ``partition`` and ``qos`` are for
    all jobs, of fabric tests too; without a partition it is the pool's own.
    """

    inner: Transport
    head: str
    slurm_version: str = ""
    partition: str = ""
    qos: str = ""
    limits: SlurmLimits = field(default_factory=SlurmLimits)
    _known: dict[str, KnownNode] = field(default_factory=dict)

    def know_nodes(self, nodes: Sequence[KnownNode]) -> None:
        """Addresses, GPUs and partitions; a node that it was not told of cannot be asked."""
        self._known = {node.instance_id: node for node in nodes}

    def ask(
        self, *, instance_ids: Sequence[str], question: Question, on_reply: Keep | None = None
    ) -> dict[str, Reply]:
        """One reply for each node, in the order asked; ``on_reply`` is called as they come in.

        Where this is interrupted, ``inner`` cancels its order, and with it every job that the order started.
        """
        replies: dict[str, Reply] = {}

        def keep(reply: Reply) -> None:
            replies[reply.instance_id] = reply
            if on_reply is not None:
                on_reply(reply)

        if self.head in instance_ids:
            keep(self._ask_head(question))
        others = [one for one in instance_ids if one != self.head]
        if others:
            self._ask_nodes(others, question, keep)
        return {instance_id: replies[instance_id] for instance_id in instance_ids}

    def online(self, instance_ids: Sequence[str]) -> frozenset[str]:
        """The head if it is; of the others those that are idle: Slurm starts no question elsewhere."""
        head = self.inner.online([self.head]) if self.head in instance_ids else frozenset()
        others = [one for one in instance_ids if one != self.head]
        if not others:
            return frozenset(head)
        slurm = self._by_instance(self._view())
        return frozenset({*head, *(one for one in others if one in slurm and slurm[one].idle)})

    def sleep(self, seconds: float, /) -> None:
        """As the way to the head does."""
        self.inner.sleep(seconds)

    def clock(self) -> float:
        """As the way to the head has it."""
        return self.inner.clock()

    def _ask_head(self, question: Question) -> Reply:
        if question.command == "run-jobs":
            question = replace(question, options=(*question.options, *self._queue))
        return self.inner.ask(instance_ids=[self.head], question=question)[self.head]

    @property
    def _queue(self) -> tuple[str, ...]:
        partition = ("--partition", self.partition) if self.partition else ()
        return (*partition, *(("--qos", self.qos) if self.qos else ()))

    def _view(self) -> SlurmView:
        question = Question("scheduler", ("--slurm", self.slurm_version), self.limits.scheduler)
        return read_view(self._ask_head(question))

    def _by_instance(self, view: SlurmView) -> dict[str, SlurmNode]:
        by_address = {node.address: node for node in view.nodes}
        return {
            one.instance_id: by_address[one.private_ip]
            for one in self._known.values()
            if one.private_ip in by_address
        }

    def _ask_nodes(self, instance_ids: Sequence[str], question: Question, keep: Keep) -> None:
        """The idle ones at once, those whose last job is ending when it has ended; never the others."""
        give_up = self.clock() + self.limits.settle
        left = list(instance_ids)
        while left:
            view = self._view()
            slurm = self._by_instance(view)
            late = self.clock() >= give_up
            idle = [one for one in left if one in slurm and slurm[one].idle]
            ending = [] if late else [one for one in left if one in slurm and is_ending(slurm[one])]
            for one in left:
                if one not in idle and one not in ending:
                    keep(self._not_asked(one, view, slurm.get(one)))
            self._ask_idle({one: slurm[one] for one in idle}, question, keep)
            left = ending
            if left:
                self.sleep(self.limits.settle_pause)

    def _not_asked(self, instance_id: str, view: SlurmView, node: SlurmNode | None) -> Reply:
        """Only what no job could reach is unreachable: that is a fault of the node, a job on it is not."""
        if view.problem:
            return Reply(instance_id, problem=f"the head node {self.head} does not tell: {view.problem}")
        if node is None:
            known = self._known.get(instance_id)
            where = f"the address {known.private_ip}" if known else "an address that we know"
            problem = f"it is not online: Slurm has no node with {where}"
            return Reply(instance_id, problem=problem, unreachable=True)
        problem = f"it was not asked: {told_state(node)}"
        return Reply(instance_id, problem=problem, unreachable=is_gone(node))

    def _ask_idle(self, nodes: Mapping[str, SlurmNode], question: Question, keep: Keep) -> None:
        for batch in _batches(list(nodes), self.limits.nodes):
            jobs = {one: self._job(str(at), one, nodes[one], question) for at, one in enumerate(batch)}
            deadline = int(question.deadline_seconds + self.limits.launch + self.limits.order)
            options = ("--jobs", encode_jobs(list(jobs.values())), "--slurm", self.slurm_version)
            told = self._ask_head(Question("run-jobs", options, deadline))
            rows = _rows(told)
            for one, job in jobs.items():
                keep(reply_of_row(one, question, told, rows.get(job.job_id)))

    def _job(self, job_id: str, instance_id: str, node: SlurmNode, question: Question) -> Job:
        known, counted = self._known[instance_id], gpu_count(node)
        return Job(
            job_id=job_id,
            kind="question",
            nodes=(node.name,),
            deadline_seconds=question.deadline_seconds + self.limits.launch,
            # Slurm may know of fewer than the type has, and refuses a request for more.
            gpus=known.gpus if counted is None else counted,
            partition=known.partitions[0] if known.partitions else "",
            arguments=question.arguments,
        )


def _batches(instance_ids: Sequence[str], most: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(instance_ids), most):
        yield instance_ids[start : start + most]


def _rows(reply: Reply) -> dict[str, dict[str, Any]]:
    told = None if reply.answer is None else reply.answer.body.get("jobs")
    rows = told if isinstance(told, list) else []
    return {str(row.get("id")): row for row in rows if isinstance(row, dict)}
