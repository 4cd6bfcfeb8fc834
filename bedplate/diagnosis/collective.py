"""What the log of one collective between nodes says: the front door of the diagnosis for a multi-node run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.diagnosis.bandwidth_expectation import (
    NAMED_SIZES,
    Accepted,
    Expectation,
    Reference,
    Shape,
    expectations,
)
from bedplate.diagnosis.checks import nccl_all_nodes, nccl_nvlink_domain, nccl_transport
from bedplate.diagnosis.checks.bandwidth_rule import trusted_bandwidth
from bedplate.diagnosis.checks.collective_run import Asked, CollectiveRun, read_run
from bedplate.diagnosis.measurement import Measurement, measurements
from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.hardware import EFA, NVLINK, InstanceType, ultraservers_of


@dataclass(frozen=True)
class Suspect:
    """A host, by the name it has in NCCL's log, and the cause that the log itself gives for it."""

    hostname: str
    cause: str


@dataclass(frozen=True)
class CollectiveJudgement:
    """One run, judged whole.

    ``transport`` is NCL-002 (what was measured: EFA, GPUDirect, ranks) and ``bandwidth`` NCL-003 (data
    right, and at or above the floor at every named size). ``busbw_gb_per_s`` is that at the largest size, and
    is there whenever the table can be trusted, floor or not, so that runs of one shape can be compared; it is
    the lower of in-place and out-of-place. ``ranks`` is the number that NCCL's own lines and the table's
    ratios both prove, None where they do not. ``problem`` is empty where both verdicts could be made.
    ``expected`` is what was asked at each named size, smallest first.
    """

    transport: Verdict
    bandwidth: Verdict
    busbw_gb_per_s: float | None
    ranks: int | None
    measurements: tuple[Measurement, ...]
    expected: tuple[Expectation, ...]
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
    hosts: Sequence[str] = (),
    collective: str = "all_reduce",
    sizes: Sequence[int] = NAMED_SIZES,
    begin_bytes: int = 8,
    scope: str = "all-nodes",
    path: str | None = None,
    accepted: Sequence[tuple[int, Accepted]] = (),
    reference: Reference | None = None,
    evidence: Sequence[str] = (),
) -> CollectiveJudgement:
    """Judge one collective over ``nodes`` (instance ids), run with one rank a GPU and sizes doubling from
    ``begin_bytes`` to the largest of ``sizes``, each of which is judged.

    ``hosts`` are the host names that the nodes told of themselves: a log of others is no proof. Where they
    are not all known it stays empty, and hosts are counted only.
    ``log`` is stdout and stderr together with NCCL_DEBUG=INFO; ``scope`` is ``all-nodes`` (subject: the
    cluster), ``nvlink-domain``, ``group``, or ``pair`` (subject: the link between two nodes). ``path`` is
    ``efa`` where NVLink between instances was switched off for the run, ``nvlink`` where it must carry all:
    then both verdicts are NCL-004. ``accepted`` is this cluster's stored baseline for the
    shape, ``reference`` what smaller groups reached in the same run. A run past its deadline fails with the
    cause ``collective-hang``; a launch failure, another non-zero end, a partial or contradictory table is an
    error; nothing to compare with is not-tested.
    """
    ranks = len(nodes) * instance_type.gpus
    asked = Asked(collective, ranks, begin_bytes, max(sizes), tuple(hosts) if all(hosts) else ())
    run = read_run(log=log, rc=rc, timed_out=timed_out, asked=asked)
    subject = Subject("link", tuple(nodes)) if scope == "pair" else CLUSTER
    expected = expectations(
        shape=Shape(instance_type, collective, len(nodes), path),
        sizes=sizes,
        accepted=accepted,
        reference=reference,
    )
    if path == NVLINK:
        transport = nccl_nvlink_domain.transport(
            subject=subject, run=run, nodes=len(nodes), evidence=evidence
        )
        bandwidth = nccl_nvlink_domain.check(
            subject=subject, run=run, expected=expected, proof=transport, evidence=evidence
        )
    else:
        transport = nccl_transport.check(
            subject=subject,
            run=run,
            nodes=len(nodes),
            instance_type=instance_type,
            shares_nvlink=path != EFA and _share_nvlink(instance_type, len(nodes)),
            evidence=evidence,
        )
        bandwidth = nccl_all_nodes.check(
            subject=subject, run=run, expected=expected, transport=transport, evidence=evidence
        )
    busbw = trusted_bandwidth(run=run, expected=expected)
    measured: tuple[Measurement, ...] = ()
    if busbw is not None:
        measured = measurements(run=run, expected=expected, scope=scope, nodes=nodes, path=path or EFA)
    return CollectiveJudgement(
        transport=transport,
        bandwidth=bandwidth,
        busbw_gb_per_s=busbw,
        ranks=ranks if run.ranks_proven else None,
        measurements=measured,
        expected=expected,
        hung=run.hung,
        launch_failed=run.launch_failed,
        problem="ran past its deadline" if run.hung else run.problem(),
        suspects=_suspects(run, instance_type),
    )


def _share_nvlink(instance_type: InstanceType, nodes: int) -> bool:
    """Whether the nodes may all stand in one NVLink domain, where NCCL would not use EFA."""
    return any(nodes <= ultraserver.instances for ultraserver in ultraservers_of(instance_type.name))


def _suspects(run: CollectiveRun, instance_type: InstanceType) -> tuple[Suspect, ...]:
    if run.info is None:
        return ()
    without = nccl_transport.hosts_without_network(run.info) or nccl_transport.socket_hosts(run.info)
    found = [Suspect(host, "efa-fallback-socket") for host in without]
    found += [
        Suspect(host, "efa-device-lost") for host, _ in nccl_transport.short_of_nics(run.info, instance_type)
    ]
    return tuple(found)
