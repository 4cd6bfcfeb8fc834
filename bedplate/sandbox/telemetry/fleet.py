"""A simulated cluster as its exporters show it: nodes, jobs, and faults that are injected at a moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from bedplate.hardware import instance_type as find_type
from bedplate.sandbox.fleet.binding import bind
from bedplate.sandbox.fleet.effects import Effects
from bedplate.sandbox.fleet.fault import Fault
from bedplate.sandbox.fleet.hardware_facts import read_hardware
from bedplate.sandbox.fleet.leaves import network_nodes
from bedplate.sandbox.fleet.truth import Hardware, NodeTruth
from bedplate.sandbox.telemetry.node import Job, TelemetryNode, View
from bedplate.sandbox.telemetry.situation import HEALTHY, Situation, with_symptom
from bedplate.sandbox.telemetry.timeline import Stretch

LOGIN = "login"
_NODES_A_JOB = 4
_ACCOUNT, _PARTITION = "research", "gpu"


@dataclass(frozen=True)
class FleetPlan:
    """What the cluster is made of. ``nodes`` are compute nodes, of which the last two serve requests."""

    environment: str = "demo"
    cluster: str = "demo"
    pool: str = "gpu"
    instance_type: str = "p5en.48xlarge"
    zone: str = "usw2-az2"
    nodes: int = 8
    seed: str = "default"
    efa_count: int | None = None
    kubernetes: bool = False
    """Whether Kubernetes runs the jobs: there is neither slurmctld nor a login node to scrape then."""
    job_sizes: tuple[int, ...] = ()
    """Nodes of each training job, in order, as many as there are nodes; empty for four each, and two
    nodes that serve requests."""


@dataclass
class TelemetryFleet:
    """The compute nodes in order, the login node, and what was injected; not safe for writers in several
    threads. ``epoch_s`` is when the simulation began, since 1970.
    """

    plan: FleetPlan
    epoch_s: float
    nodes: list[TelemetryNode] = field(default_factory=list)
    faults: list[tuple[float, Fault]] = field(default_factory=list)
    symptoms: list[tuple[float, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.nodes = [_compute_node(self.plan, index) for index in range(self.plan.nodes)]
        self.login = _login_node(self.plan)

    def inject(self, fault: Fault, *, at_s: float) -> tuple[str, ...]:
        """One fault more from ``at_s`` on, bound as the sandbox's fleet binds it. Returns its instances; none
        for the whole fabric, or where there is no such node.
        """
        self.faults.append((at_s, fault))
        self._settle()
        return next((where for each, where in self.bound(at_s) if each is fault), ())

    def befall(self, symptom: str, *, node: int, at_s: float) -> str:
        """Put a node into a situation from ``at_s`` on; returns its instance. Raises ``UnknownSymptom``."""
        with_symptom(HEALTHY, symptom)
        self.symptoms.append((at_s, node, symptom))
        self._settle()
        return self.nodes[node].truth.instance_id

    def clear(self, *, at_s: float) -> None:
        """All is well again from ``at_s`` on; what was counted stays counted."""
        self.faults, self.symptoms = [], []
        self.nodes = [replace(each, timeline=each.timeline.then(Stretch(at_s))) for each in self.nodes]

    def bound(self, at_s: float) -> list[tuple[Fault, tuple[str, ...]]]:
        """Each fault that has begun, with its instances; those of the whole fabric name none."""
        begun = [fault for from_s, fault in self.faults if from_s <= at_s]
        return [*bind(begun, self._instances()).bound]

    def views(self, at_s: float) -> list[View]:
        """The compute nodes at a moment."""
        return [node.view(at_s, epoch_s=self.epoch_s) for node in self.nodes]

    def _instances(self) -> list[str]:
        return [node.truth.instance_id for node in self.nodes]

    def _settle(self) -> None:
        """Make the stretches that are still to come anew, from the earliest injection that is known."""
        moments = sorted({at for at, _ in self.faults} | {at for at, _, _ in self.symptoms})
        for at_s in moments:
            begun = [fault for from_s, fault in self.faults if from_s <= at_s]
            effects = bind(begun, self._instances()).effects
            situations = self._situations(at_s)
            for index, node in enumerate(self.nodes):
                found = effects.get(node.truth.instance_id, Effects())
                stretch = Stretch(at_s, found, situations.get(index, HEALTHY))
                before = node.timeline.at(at_s)
                if (before.effects, before.situation) != (stretch.effects, stretch.situation):
                    self.nodes[index] = replace(node, timeline=node.timeline.then(stretch))

    def _situations(self, at_s: float) -> Mapping[int, Situation]:
        found: dict[int, Situation] = {}
        for from_s, index, symptom in self.symptoms:
            if from_s <= at_s:
                found[index] = with_symptom(found.get(index, HEALTHY), symptom)
        return found

    def jobs(self) -> Iterator[tuple[Job, list[int]]]:
        """Each job with the indices of its nodes, in order."""
        seen: dict[str, tuple[Job, list[int]]] = {}
        for index, node in enumerate(self.nodes):
            if node.job is not None:
                seen.setdefault(node.job.job_id, (node.job, []))[1].append(index)
        yield from seen.values()


def _compute_node(plan: FleetPlan, index: int) -> TelemetryNode:
    number = f"{index + 1:04d}"
    truth = _truth(
        plan,
        instance_id=f"i-0{index + 1:016x}",
        slurm_name=f"{plan.pool}-{index + 1}",
        address=index + 10,
        hardware=read_hardware(plan.instance_type, role="compute", efa_count=plan.efa_count),
    )
    return TelemetryNode(
        truth=truth,
        labels=_labels(plan, truth, pool=plan.pool, node=truth.slurm_name or number),
        architecture=find_type(plan.instance_type).gpu.architecture,
        job=_job(plan, index),
        network_node=network_nodes(index)[-1],
    )


def _login_node(plan: FleetPlan) -> TelemetryNode:
    truth = _truth(plan, instance_id="i-0ffffffffffffff00", slurm_name=None, address=4, hardware=Hardware())
    truth = replace(truth, role=LOGIN, instance_type="m7i.2xlarge", partitions=())
    return TelemetryNode(truth=truth, labels=_labels(plan, truth, pool=LOGIN, node=truth.hostname))


def _truth(
    plan: FleetPlan, *, instance_id: str, slurm_name: str | None, address: int, hardware: Hardware
) -> NodeTruth:
    private_ip = f"10.0.{address // 250}.{address % 250 + 1}"
    return NodeTruth(
        instance_id=instance_id,
        hostname="ip-" + private_ip.replace(".", "-"),
        private_ip=private_ip,
        slurm_name=slurm_name,
        role="compute",
        instance_type=plan.instance_type,
        partitions=(_PARTITION,),
        boot_id="",
        booted_at="",
        seed=plan.seed,
        hardware=hardware,
    )


def _labels(plan: FleetPlan, truth: NodeTruth, *, pool: str, node: str) -> tuple[tuple[str, str], ...]:
    return (
        ("environment", plan.environment),
        ("cluster", plan.cluster),
        ("pool", pool),
        ("instance_id", truth.instance_id),
        ("instance_type", truth.instance_type),
        ("zone", plan.zone),
        ("node", node),
    )


def _job(plan: FleetPlan, index: int) -> Job:
    """Four nodes a training job; the last two nodes serve requests."""
    left = plan.nodes - index
    if plan.job_sizes:
        number = next(n for n in range(len(plan.job_sizes)) if index < sum(plan.job_sizes[: n + 1]))
        return Job(str(1000 + number), f"pretrain-{number}", _ACCOUNT, _PARTITION)
    if left <= 2:
        server = "vllm" if left == 2 else "sglang"
        return Job(str(2000 + index), f"serve-{server}", _ACCOUNT, _PARTITION, serves=server)
    number = index // _NODES_A_JOB
    return Job(str(1000 + number), f"pretrain-{number}", _ACCOUNT, _PARTITION)
