"""SIMULATED: a cluster of fakes for the steps' tests: answers are made by hand, nothing runs on any node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from bedplate.diagnosis.bandwidth_expectation import Expectation
from bedplate.diagnosis.collective import CollectiveJudgement
from bedplate.diagnosis.measurement import Measurement
from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.manifest import (
    ClusterManifest,
    LoginManifest,
    Orchestrator,
    PoolManifest,
    ValidationManifest,
)
from bedplate.node.envelope import Answer
from bedplate.validation.evidence import EvidenceStore
from bedplate.validation.instance import Instance
from bedplate.validation.progress import NullProgress
from bedplate.validation.record import Node, Record
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply

LOGIN = "i-00000000000000abc"
POOL = PoolManifest(
    name="h200",
    instance_type="p5en.48xlarge",
    node_count_min=4,
    node_count_max=4,
    node_group_id="pcs_1",
    selection_tags={"group": "pool"},
    partitions=["train"],
    expected_gpus_per_node=8,
    expected_efas_per_node=16,
    capacity_source="on-demand",
)


def manifest(*, waivers: dict[str, str] | None = None) -> ClusterManifest:
    """A deployed environment of one pool."""
    return ClusterManifest(
        environment="demo",
        account="123456789012",
        region="us-west-2",
        zone_id="usw2-az2",
        orchestrator=Orchestrator(kind="slurm-pcs", cluster_id="pcs_c", cluster_name="demo", version="25.11"),
        pools=[POOL],
        login=LoginManifest(node_group_id="pcs_l", selection_tags={"group": "login"}),
        file_systems=[],
        observability=None,
        validation=ValidationManifest(
            result_bucket="bucket",
            command_document="doc",
            dcgm_level=2,
            collectives=["all_reduce"],
            waivers=waivers or {},
            on_failure="report",
        ),
    )


def name(number: int) -> str:
    """The instance id of a node."""
    return f"i-{number:017x}"


def instance(number: int) -> Instance:
    """A node as EC2 tells it."""
    return Instance(name(number), "p5en.48xlarge", f"10.0.0.{number + 1}", "running")


class FakeTransport:
    """Answers each question by ``answers[command]``, a function of instance id and question."""

    def __init__(self, answers: dict[str, Callable[[str, Question], dict[str, Any] | str]]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        ec2 = SimpleNamespace(get_paginator=lambda _: SimpleNamespace(paginate=self.topology))
        self.clients = SimpleNamespace(s3=SimpleNamespace(put_object=lambda **_: None), ec2=ec2)
        self.leaves: dict[str, str] = {}
        self.now = 0.0

    def topology(self, *, InstanceIds: list[str]) -> list[dict[str, Any]]:  # noqa: N803
        """The pages of DescribeInstanceTopology: a spine and the leaf of ``leaves``, if any."""
        rows = [{"InstanceId": one, "NetworkNodes": self._above(one)} for one in InstanceIds]
        return [{"Instances": rows}]

    def _above(self, one: str) -> list[str]:
        return ["spine", self.leaves[one]] if one in self.leaves else []

    def sleep(self, seconds: float) -> None:
        """It is later at once."""
        self.now += seconds

    def clock(self) -> float:
        """Seconds that were slept."""
        return self.now

    def ask(self, *, instance_ids: Sequence[str], question: Question, on_reply=None) -> dict[str, Reply]:
        """A string is a problem (``unreachable`` for that word), a dictionary a body."""
        self.asked.append((question.command, tuple(instance_ids)))
        replies = {}
        for one in instance_ids:
            told = self.answers[question.command](one, question)
            if isinstance(told, str):
                replies[one] = Reply(
                    one, problem=told, unreachable=told == "unreachable", silent=told == "silent"
                )
            else:
                replies[one] = Reply(one, answer=Answer(one, "nonce-1234", question.command, True, told))
            if on_reply is not None:
                on_reply(replies[one])
        return replies


def context_of(
    answers: dict[str, Callable[[str, Question], dict[str, Any] | str]] | None = None,
    *,
    nodes: int = 4,
    waivers: dict[str, str] | None = None,
) -> Context:
    """A run whose nodes have answered and are idle."""
    transport = FakeTransport({"efa-counters": lambda *_: {"infiniband": []}, **(answers or {})})
    record = Record(manifest(waivers=waivers), simulated=True)
    for number in range(nodes):
        node = Node(name(number), POOL, f"10.0.0.{number + 1}", slurm_name=f"h200-{number}", answered=True)
        record.nodes.append(node)
    evidence = EvidenceStore(transport.clients, "bucket", "run-1")  # type: ignore[arg-type]
    context = Context(record, transport.clients, transport, evidence, NullProgress(), login=LOGIN)  # type: ignore[arg-type]
    context.logins = (Instance(LOGIN, "m7i.4xlarge", "10.0.0.250", "running"),)
    return context


def judgement(
    nodes: Sequence[str],
    *,
    gb_per_s: float | None = 370.0,
    scope: str = "pair",
    transport: Outcome = Outcome.PASS,
    bandwidth: Outcome = Outcome.PASS,
    cause: str | None = None,
    bandwidth_cause: str | None = None,
    hung: bool = False,
    launch_failed: bool = False,
) -> CollectiveJudgement:
    """What the diagnosis says of one run."""
    subject = CLUSTER if scope == "all-nodes" else Subject("link", tuple(nodes))
    measured: tuple[Measurement, ...] = ()
    if gb_per_s is not None:
        one = Measurement(
            collective="all_reduce",
            scope=scope,
            nodes=tuple(nodes),
            ranks=8 * len(nodes),
            size_bytes=1 << 34,
            busbw_gb_per_s=gb_per_s,
            floor_gb_per_s=None,
            ceiling_gb_per_s=None,
        )
        measured = (one,)
    return CollectiveJudgement(
        transport=Verdict("NCL-002", subject, transport, "transport", cause=cause),
        bandwidth=Verdict(
            "NCL-003", subject, bandwidth, "bandwidth", measured=gb_per_s, cause=bandwidth_cause
        ),
        busbw_gb_per_s=gb_per_s,
        ranks=8 * len(nodes),
        measurements=measured,
        expected=(Expectation(1 << 34, None, None),),
        hung=hung,
        launch_failed=launch_failed,
        problem="",
        suspects=(),
    )


def verdicts_of(context: Context, check_id: str) -> dict[tuple[str, ...], Verdict]:
    """A check's verdicts by their subject's names."""
    return {one.subject.names: one for one in context.record.verdicts if one.check_id == check_id}
