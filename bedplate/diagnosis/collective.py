"""What the log of one collective between nodes says: the front door of the diagnosis for a multi-node run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.diagnosis.checks import nccl_all_nodes, nccl_transport
from bedplate.diagnosis.checks.bandwidth_rule import Expectation, expectation, trusted_bandwidth
from bedplate.diagnosis.checks.collective_run import Asked, CollectiveRun, read_run
from bedplate.diagnosis.measurement import Measurement
from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.hardware import InstanceType, ultraservers_of


@dataclass(frozen=True)
class Suspect:
    """A host, by the name it has in NCCL's log, and the cause that the log itself gives for it."""

    hostname: str
    cause: str


@dataclass(frozen=True)
class CollectiveJudgement:
    """One run, judged whole.

    ``transport`` is NCL-002 (what was measured: EFA, GPUDirect, ranks) and ``bandwidth`` NCL-003 (data
    right, and at or above the floor at the named size). ``busbw_gb_per_s`` is there whenever a trustworthy
    table holds the named size, floor or not, so that runs of one shape can be compared; it is the lower of
    in-place and out-of-place. ``ranks`` is the proven number, None where unproven. ``problem`` is empty
    where both verdicts could be made.
    """

    transport: Verdict
    bandwidth: Verdict
    busbw_gb_per_s: float | None
    ranks: int | None
    measurement: Measurement | None
    hung: bool
    launch_failed: bool
    problem: str
    suspects: tuple[Suspect, ...]

    @property
    def verdicts(self) -> tuple[Verdict, Verdict]:
        """NCL-002 and NCL-003."""
        return (self.transport, self.bandwidth)

    @property
    def outcome(self) -> Outcome:
        """The worse of the two: fail, then error, then not-tested, then pass."""
        order = (Outcome.FAIL, Outcome.ERROR, Outcome.NOT_TESTED, Outcome.NOT_APPLICABLE, Outcome.PASS)
        return min((self.transport.outcome, self.bandwidth.outcome), key=order.index)


def judge_collective(
    *,
    log: str,
    rc: int | None,
    timed_out: bool,
    nodes: Sequence[str],
    instance_type: InstanceType,
    collective: str = "all_reduce",
    size_bytes: int = 16 * 1024**3,
    begin_bytes: int = 8,
    scope: str = "all-nodes",
    evidence: Sequence[str] = (),
) -> CollectiveJudgement:
    """Judge one collective over ``nodes`` (instance ids), run with one rank a GPU and sizes doubling from
    ``begin_bytes``.

    ``log`` is stdout and stderr together with NCCL_DEBUG=INFO; ``scope`` is ``all-nodes`` (subject: the
    cluster) or ``pair`` (subject: the link between two nodes). A run past its deadline fails with the cause
    ``collective-hang``; a launch failure, another non-zero end, a partial or contradictory table is an
    error; no floor is not-tested.
    """
    ranks = len(nodes) * instance_type.gpus
    asked = Asked(collective, ranks, begin_bytes, size_bytes)
    run = read_run(log=log, rc=rc, timed_out=timed_out, asked=asked)
    subject = CLUSTER if scope == "all-nodes" else Subject("link", tuple(nodes))
    expected = expectation(
        instance_type=instance_type, collective=collective, nodes=len(nodes), size_bytes=size_bytes
    )
    transport = nccl_transport.check(
        subject=subject,
        run=run,
        nodes=len(nodes),
        instance_type=instance_type,
        shares_nvlink=_share_nvlink(instance_type, len(nodes)),
        evidence=evidence,
    )
    bandwidth = nccl_all_nodes.check(
        subject=subject, run=run, expected=expected, transport=transport, evidence=evidence
    )
    problem = "ran past its deadline" if run.hung else run.problem()
    busbw = trusted_bandwidth(run=run, expected=expected)
    return CollectiveJudgement(
        transport=transport,
        bandwidth=bandwidth,
        busbw_gb_per_s=busbw,
        ranks=None if problem else ranks,
        measurement=None if busbw is None else _measurement(scope, nodes, asked, busbw, expected),
        hung=run.hung,
        launch_failed=run.launch_failed,
        problem=problem,
        suspects=_suspects(run, instance_type),
    )


def _share_nvlink(instance_type: InstanceType, nodes: int) -> bool:
    """Whether the nodes may all stand in one NVLink domain, where NCCL would not use EFA."""
    return any(nodes <= ultraserver.instances for ultraserver in ultraservers_of(instance_type.name))


def _suspects(run: CollectiveRun, instance_type: InstanceType) -> tuple[Suspect, ...]:
    if run.info is None:
        return ()
    found = [Suspect(host, "efa-fallback-socket") for host in nccl_transport.socket_hosts(run.info)]
    found += [
        Suspect(host, "efa-device-lost") for host, _ in nccl_transport.short_of_nics(run.info, instance_type)
    ]
    return tuple(found)


def _measurement(
    scope: str, nodes: Sequence[str], asked: Asked, busbw: float, expected: Expectation
) -> Measurement:
    return Measurement(
        collective=asked.collective,
        scope=scope,
        nodes=tuple(nodes),
        ranks=asked.ranks,
        size_bytes=asked.end_bytes,
        busbw_gb_per_s=busbw,
        floor_gb_per_s=None if expected.floor is None else expected.floor.value_gb_per_s,
        ceiling_gb_per_s=None if expected.ceiling is None else expected.ceiling.value_gb_per_s,
        source=expected.source,
    )
