"""SIMULATED: a cluster in memory that obeys as Slurm, EC2 and PCS do, or refuses where a test says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, ClassVar

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.errors import AwsRefused
from bedplate.manifest import PoolManifest
from bedplate.node.set_nodes import Change
from bedplate.validation.actions.live import Live
from bedplate.validation.actions.model import ActionPlan, Journal
from bedplate.validation.instance import Instance

from .acting import instance, manifest, node, slurm


@dataclass
class FakeCluster:
    """``launches`` is what PCS brings in place of an instance; None: nothing comes."""

    scheduler: ClassVar[str] = "Slurm"
    nodes: int = 4
    launches: int | None = 1
    refuses: dict[str, str] = field(default_factory=dict)
    forgets_drains: bool = False
    ends_no_instance: bool = False
    pools: tuple[PoolManifest, ...] = ()
    reservations: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.running = {node(i): instance(i) for i in range(self.nodes)}
        self.states: dict[str, SlurmNode] = {f"10.0.0.{i + 1}": slurm(i) for i in range(self.nodes)}
        self.changes: list[Change] = []
        self.terminated: list[str] = []
        self.slept = 0.0
        self.on_change: Callable[[], None] = lambda: None
        self.manifest = manifest(*self.pools)
        self.transport = SimpleNamespace(clock=lambda: self.slept, sleep=self._sleep)
        self.clients = SimpleNamespace(
            simulated=True,
            ec2=SimpleNamespace(
                describe_capacity_reservations=lambda **_: {"CapacityReservations": self.reservations}
            ),
        )

    def _sleep(self, seconds: float) -> None:
        self.slept += seconds

    def pool(self, name: str) -> PoolManifest:
        """The pool."""
        return next(pool for pool in self.manifest.pools if pool.name == name)

    def instances(self, _pool: PoolManifest) -> tuple[Instance, ...]:
        """What runs."""
        return tuple(self.running.values())

    def live(self) -> Live:
        """How things stand."""
        return Live({"h200": dict(self.running)}, dict(self.states))

    def slurm(self) -> dict[str, SlurmNode]:
        """Slurm's nodes."""
        return dict(self.states)

    def change(self, changes: Sequence[Change]) -> tuple[dict[str, str], dict[str, SlurmNode]]:
        """Drain and undrain as the node program does."""
        problems = {}
        for change in changes:
            self.changes.append(change)
            problems[change.name] = self.refuses.get(change.name, "")
            if problems[change.name] or self.forgets_drains:
                continue
            found = self.states[change.address]
            if change.state == "DRAIN":
                self.set(change.address, flags=("CLOUD", "DRAIN"), reason=f"{change.reason} [root@1]")
            elif found.reason.startswith(change.reason):
                self.set(change.address, flags=("CLOUD",), reason="")
            else:
                problems[change.name] = "it is drained for another reason"
        self.on_change()
        return problems, dict(self.states)

    def set(self, address: str, **changes: Any) -> None:
        """Change what Slurm says of a node."""
        self.states[address] = replace(self.states[address], **changes)

    def terminate(self, instance_id: str) -> None:
        """End an instance; its Slurm name, drain and all, goes to the newcomer at another address."""
        if self.ends_no_instance:
            raise AwsRefused("terminating: not allowed", error_id="AWS-003")
        self.terminated.append(instance_id)
        gone = self.running.pop(instance_id)
        left = self.states.pop(gone.private_ip)
        if self.launches is None:
            return
        number = 100 + len(self.terminated)
        new = instance(number, launched_at=datetime.now(UTC))
        self.running[new.instance_id] = new
        self.states[new.private_ip] = replace(left, address=new.private_ip, allocated="")


@dataclass
class FakeJournals:
    """Journals in memory: every state that was written, in order."""

    written: list[ActionPlan] = field(default_factory=list)
    undone: dict[str, str] = field(default_factory=dict)

    def keep(self, plan: ActionPlan, *, undone_at: str = "") -> None:
        """Write."""
        self.written.append(plan)
        if undone_at:
            self.undone[plan.id] = undone_at

    def read(self, plan_id: str) -> Journal:
        """The newest state of a plan."""
        plan = next(one for one in reversed(self.written) if one.id == plan_id)
        return Journal(plan=plan, undone_at=self.undone.get(plan_id, ""))
