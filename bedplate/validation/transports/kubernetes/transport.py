"""Ask nodes of a Kubernetes cluster: one Indexed Job over the nodes that may be asked, an index a node.

What a node printed comes back as its pod's log and is kept in the result bucket; only an envelope that opens
is an answer, so that a log that was cut is none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from bedplate.kubernetes.validation.indexed_job import indexed_job
from bedplate.kubernetes.validation.names import JOB_LABEL, PROGRAM_FILE, selector
from bedplate.kubernetes.validation.node_check import node_check_pod
from bedplate.kubernetes.validation.priority import priority_class
from bedplate.kubernetes.validation.program import program_map
from bedplate.kubernetes.validation.requests import WholeNode
from bedplate.node.kubernetes.names import GPU_TAINT
from bedplate.validation.transports.kubernetes.client import (
    ALL_PODS,
    CONFIG_MAPS,
    JOBS,
    NODES,
    PODS,
    PRIORITY_CLASSES,
    ClusterClient,
)
from bedplate.validation.transports.kubernetes.job_run import JobRun, PodEnd
from bedplate.validation.transports.kubernetes.limits import KubernetesLimits
from bedplate.validation.transports.kubernetes.nodes import ClusterNode, cluster_nodes
from bedplate.validation.transports.kubernetes.program import node_program
from bedplate.validation.transports.kubernetes.refused import ClusterRefused
from bedplate.validation.transports.printed import Printed, reply_of
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply

Keep = Callable[[Reply], None]
LOADS = frozenset({"exercise"})
"""Questions that load GPUs: they go to nodes that nobody else has GPUs of, and hold them meanwhile."""


@dataclass
class KubernetesTransport:
    """``image`` has a shell and ``chroot``. ``store`` keeps a text by a name and returns its address.

    ``taints`` are those that our pods tolerate: name ``bedplate.dev/gate`` or ``bedplate.dev/unfit`` to ask
    nodes that wait or that were found unfit, ``node.kubernetes.io/unschedulable`` for cordoned ones.
    """

    client: ClusterClient
    run_id: str
    image: str
    store: Callable[[str, str], str]
    taints: tuple[str, ...] = (GPU_TAINT,)
    program: Callable[[], bytes] = node_program
    limits: KubernetesLimits = field(default_factory=KubernetesLimits)
    sleep: Callable[[float], None] = field(default=time.sleep)
    clock: Callable[[], float] = field(default=time.monotonic)
    _ready: bool = False

    def ask(
        self, *, instance_ids: Sequence[str], question: Question, on_reply: Keep | None = None
    ) -> dict[str, Reply]:
        """One reply for each node, in the order asked; ``on_reply`` is called as they come in.

        Where this is interrupted, or the cluster refuses (``ClusterRefused``), all that was made is deleted.
        """
        replies: dict[str, Reply] = {}

        def keep(reply: Reply) -> None:
            replies[reply.instance_id] = reply
            if on_reply is not None:
                on_reply(reply)

        if not instance_ids:
            return {}
        self._prepare()
        loads = question.command in LOADS
        nodes = self._nodes(loads=loads)
        asked: list[ClusterNode] = []
        for instance_id in instance_ids:
            refused = self._not_asked(instance_id, nodes.get(instance_id), loads=loads)
            if refused is None:
                asked.append(nodes[instance_id])
            else:
                keep(refused)
        if asked:
            self._ask(asked, question, keep, loads=loads)
        return {instance_id: replies[instance_id] for instance_id in instance_ids}

    def online(self, instance_ids: Sequence[str]) -> frozenset[str]:
        """Those that are ready and that no taint bars to us."""
        nodes = self._nodes(loads=False)
        asked = (one for one in instance_ids if one in nodes)
        return frozenset(one for one in asked if self._not_asked(one, nodes[one], loads=False) is None)

    def sweep(self) -> None:
        """Delete what runs that were cut off have left; one run at a time has an environment."""
        for path in (JOBS, CONFIG_MAPS):
            for one in self.client.listed(path, labels=selector()):
                self.client.delete(f"{path}/{one['metadata']['name']}", propagation="Foreground")

    def _prepare(self) -> None:
        if not self._ready:
            self.sweep()
            self.client.create(PRIORITY_CLASSES, priority_class())
            self._ready = True

    def _nodes(self, *, loads: bool) -> dict[str, ClusterNode]:
        ended = "status.phase!=Succeeded,status.phase!=Failed"
        pods = self.client.listed(ALL_PODS, fields=ended) if loads else []
        return cluster_nodes(nodes=self.client.listed(NODES), pods=pods)

    def _not_asked(self, instance_id: str, node: ClusterNode | None, *, loads: bool) -> Reply | None:
        """Only what no pod could reach is unreachable: that is a fault of the node, a job on it is not."""
        if node is None:
            problem = "it is not online: Kubernetes has no node of it"
            return Reply(instance_id, problem=problem, unreachable=True)
        if gone := node.gone():
            return Reply(instance_id, problem=gone, unreachable=True)
        problem = node.barred(self.taints) or (node.taken() if loads else "")
        return Reply(instance_id, problem=problem) if problem else None

    def _ask(self, nodes: Sequence[ClusterNode], question: Question, keep: Keep, *, loads: bool) -> None:
        nonce = token_hex(16)
        program = f"bedplate-{nonce}"
        groups: dict[WholeNode | None, list[ClusterNode]] = {}
        for node in nodes:
            groups.setdefault(node.whole if loads else None, []).append(node)
        runs = {}
        for at, (whole, members) in enumerate(groups.items()):
            run = self._run(f"{program}-{at}", program, nonce, question, whole, members)
            runs[run.name] = (run, members)
        try:
            files = {PROGRAM_FILE: self.program()}
            self.client.create(CONFIG_MAPS, program_map(name=program, run_id=self.run_id, files=files))
            for run, _ in runs.values():
                run.start()
            self._collect(runs, question, nonce, keep)
        finally:
            for run, _ in runs.values():
                run.delete()
            with suppress(ClusterRefused):
                self.client.delete(f"{CONFIG_MAPS}/{program}")
        if loads:
            self._wait_until_freed(runs)

    def _run(
        self,
        name: str,
        program: str,
        nonce: str,
        question: Question,
        whole: WholeNode | None,
        nodes: Sequence[ClusterNode],
    ) -> JobRun:
        pod = node_check_pod(
            image=self.image,
            program=program,
            arguments=(question.command, "--nonce", nonce, *question.options),
            deadline_seconds=question.deadline_seconds,
            tolerated=self.taints,
            resources=whole.resources if whole else None,
        )
        job = indexed_job(
            name=name,
            run_id=self.run_id,
            pods=len(nodes),
            pod=pod,
            deadline_seconds=int(question.deadline_seconds + self.limits.beside),
        )
        names = [node.name for node in nodes]
        return JobRun(self.client, job, names, question.deadline_seconds, self.limits, self.clock)

    def _collect(
        self,
        runs: Mapping[str, tuple[JobRun, Sequence[ClusterNode]]],
        question: Question,
        nonce: str,
        keep: Keep,
    ) -> None:
        """Each ``JobRun`` bounds every stage of its pods, so that this ends."""
        pause = self.limits.first_pause
        while any(run.waiting for run, _ in runs.values()):
            pods = self._pods()
            for name, (run, nodes) in runs.items():
                for index, end in run.step(pods.get(name, ())):
                    keep(self._reply(nodes[index].instance_id, question, nonce, end))
            if any(run.waiting for run, _ in runs.values()):
                self.sleep(pause)
                pause = min(pause * self.limits.pause_factor, self.limits.most_pause)

    def _pods(self) -> dict[str, list[dict[str, Any]]]:
        by_job: dict[str, list[dict[str, Any]]] = {}
        for pod in self.client.listed(PODS, labels=selector(self.run_id)):
            by_job.setdefault(pod["metadata"]["labels"].get(JOB_LABEL, ""), []).append(pod)
        return by_job

    def _reply(self, instance_id: str, question: Question, nonce: str, end: PodEnd) -> Reply:
        location = self.store(f"{nonce}/{instance_id}.txt", end.text) if end.text else ""
        if end.problem and not end.overran:
            return Reply(instance_id, problem=end.problem, location=location)
        said = [line.strip() for line in end.said.splitlines() if line.strip()]
        printed = Printed(
            text=end.text,
            exit_status=end.exit_status,
            last_line=said[-1][:200] if said else "",
            overran=end.overran,
            location=location,
        )
        return reply_of(instance_id, question, nonce, printed)

    def _wait_until_freed(self, runs: Mapping[str, object]) -> None:
        """So that the next load finds the GPUs free; what stays longer is told of by the next look."""
        give_up = self.clock() + self.limits.freed
        while self.clock() < give_up and runs.keys() & self._pods().keys():
            self.sleep(self.limits.first_pause)
