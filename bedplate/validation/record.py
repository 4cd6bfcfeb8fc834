"""What a run of validation has found so far, and the result that it makes, whole or cut off."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import boto3

import bedplate
from bedplate.diagnosis.bandwidth_expectation import Accepted
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.measurement import Measurement
from bedplate.diagnosis.storage_speed import StorageSpeeds
from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.hardware import EFA, NVLINK, InstanceType
from bedplate.manifest import ClusterManifest, PoolManifest
from bedplate.validation.baselines.baseline import Baseline
from bedplate.validation.expectation import node_expectation
from bedplate.validation.result import (
    Bandwidth,
    BlockResult,
    EfaTraffic,
    NodeResult,
    Round,
    RunResult,
    Waiver,
)


def now() -> str:
    """The time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class Node:
    """One instance of a pool, and what is known about it."""

    node: str
    pool: PoolManifest
    private_ip: str
    launched_at: datetime | None = None
    hostname: str = ""
    slurm_name: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    unread_versions: dict[str, str] = field(default_factory=dict)
    """Component → why what the probe says of its version cannot be trusted."""
    nccl_versions: dict[str, str] = field(default_factory=dict)
    """What NCCL's own log inside the node tells: NCCL, its plugin, and the libfabric that this uses."""
    answered: bool = False
    boot_id: str = ""
    """The boot that the probe saw; what is measured in another one is another node's, so to speak."""
    found_type: str = ""
    """The instance type as EC2 tells it, where it is not the pool's."""
    storage: StorageSpeeds | None = None
    """How fast its disks and file systems are; None where no exercise told."""
    nvlink_domain: str = ""
    """Of an UltraServer: its NVLink domain, as the GPUs' driver names it; empty where it does not."""
    nccl_tests: str = ""
    """The folder of nccl-tests on the node, where it is not on its PATH."""
    why_not_loaded: str = ""
    """Why no load may be put on it (it runs a job, Slurm does not know it); empty where it may."""
    held: bool = False
    """Whether processes of a job of this run were seen to stay on it after the job had been stopped."""

    @property
    def hardware(self) -> InstanceType:
        """The type's row of the hardware table, with the interfaces that its pool was deployed with."""
        return self.pool.hardware


@dataclass
class Record:
    """Filled by the steps of a run, in order."""

    manifest: ClusterManifest
    simulated: bool
    started_at: str = field(default_factory=now)
    nodes: list[Node] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    bandwidths: list[Bandwidth] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    required: set[str] = field(default_factory=set)
    evidence_location: str = ""
    notes: list[str] = field(default_factory=list)
    baseline: Baseline | None = None
    """What this cluster reached when it was accepted; None where nobody has accepted anything yet."""
    _said: dict[Subject, list[Verdict]] = field(default_factory=dict, repr=False)
    _indexed: int = field(default=0, repr=False)

    def add(self, verdicts: Iterable[Verdict]) -> None:
        """Keep verdicts."""
        self.verdicts.extend(verdicts)

    def say_anew(self, index: int, verdict: Verdict) -> None:
        """Put another verdict in the place of one; what is known of its subject is gathered anew."""
        self.verdicts[index] = verdict
        self._said.clear()
        self._indexed = 0

    def measured(self, measurement: Measurement | None, efa: EfaTraffic | None = None) -> None:
        """Keep a bandwidth, where there is one, beside what the EFA devices counted meanwhile."""
        if measurement is not None:
            self.bandwidths.append(
                Bandwidth(
                    collective=measurement.collective,
                    scope=measurement.scope,
                    nodes=list(measurement.nodes),
                    ranks=measurement.ranks,
                    size_bytes=measurement.size_bytes,
                    busbw_gb_per_s=measurement.busbw_gb_per_s,
                    floor_gb_per_s=measurement.floor_gb_per_s,
                    ceiling_gb_per_s=measurement.ceiling_gb_per_s,
                    source=measurement.source,
                    basis=measurement.basis,
                    path=measurement.path,
                    efa=efa,
                )
            )

    def expected_of(self, pool: PoolManifest) -> NodeExpectation:
        """What the environment promised of the pool's nodes, and what was asked of them."""
        return node_expectation(manifest=self.manifest, pool=pool)

    def accepted(
        self, pool: PoolManifest, collective: str, nodes: int, path: str | None
    ) -> tuple[tuple[int, Accepted], ...]:
        """(size in bytes, figure) of the stored baseline for a run of this shape; ``path`` as in a run."""
        if self.baseline is None:
            return ()
        taken = path or (NVLINK if nodes == 1 else EFA)
        return self.baseline.accepted(
            pool=pool.name, hardware=pool.hardware, collective=collective, path=taken, nodes=nodes
        )

    def of_pool(self, pool: PoolManifest) -> list[Node]:
        """The pool's nodes."""
        return [node for node in self.nodes if node.pool.name == pool.name]

    def failed_checks(self, node: str) -> tuple[str, ...]:
        """The checks that failed on the node, waived ones left out."""
        waived = self.manifest.validation.waivers
        return tuple(
            verdict.check_id
            for verdict in self._about(Subject("node", (node,)))
            if verdict.outcome is Outcome.FAIL and verdict.check_id not in waived
        )

    def has_verdict(self, check_id: str, subject: Subject) -> bool:
        """Whether the check has said anything about the subject."""
        return any(one.check_id == check_id for one in self._about(subject))

    def _about(self, subject: Subject) -> Sequence[Verdict]:
        """The verdicts on one subject. To look through all, for each node, would cost the square of the
        nodes.
        """
        for verdict in self.verdicts[self._indexed :]:
            self._said.setdefault(verdict.subject, []).append(verdict)
        self._indexed = len(self.verdicts)
        return self._said.get(subject, ())

    def result(self, *, complete: bool) -> RunResult:
        """The run as one result; ``complete`` is False where it was cut off."""
        wanted = self.manifest.validation
        return RunResult(
            kind="validate",
            environment=self.manifest.environment,
            account=self.manifest.account,
            region=self.manifest.region,
            simulated=self.simulated,
            started_at=self.started_at,
            finished_at=now(),
            complete=complete,
            required_checks=sorted(self.required),
            nodes=[_node_result(node) for node in self.nodes],
            verdicts=list(self.verdicts),
            bandwidths=list(self.bandwidths),
            rounds=list(self.rounds),
            waivers=[
                Waiver(check_id=check, reason=reason) for check, reason in sorted(wanted.waivers.items())
            ],
            versions={
                "bedplate": bedplate.__version__,
                "boto3": boto3.__version__,
                "python": ".".join(map(str, sys.version_info[:3])),
                "slurm (deployed)": self.manifest.orchestrator.version,
            },
            blocks=[block for block in map(_block_result, self.manifest.pools) if block],
            evidence_location=self.evidence_location,
            notes=list(self.notes),
        )


def _node_result(node: Node) -> NodeResult:
    return NodeResult(
        node=node.node,
        hostname=node.hostname,
        pool=node.pool.name,
        instance_type=node.found_type or node.pool.instance_type,
        versions=node.versions | node.nccl_versions,
    )


def _block_result(pool: PoolManifest) -> BlockResult | None:
    start, warning = pool.capacity_start_time, pool.capacity_warning_time
    taken, end = pool.capacity_taken_time, pool.capacity_end_time
    if not (start and warning and taken and end):
        return None
    return BlockResult(
        pool=pool.name,
        reservation_id=pool.reservation_id or "",
        start_time=start,
        warning_time=warning,
        taken_time=taken,
        end_time=end,
    )


def not_made(*, check_id: str, outcome: Outcome, why: str, node: str = "") -> Verdict:
    """A verdict that says why a check was not made, about a node or (without one) the cluster."""
    subject = Subject("node", (node,)) if node else CLUSTER
    return Verdict(check_id=check_id, subject=subject, outcome=outcome, summary=why)
