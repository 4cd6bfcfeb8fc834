"""The search between nodes, round by round, until the planner has nothing more to learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bedplate.diagnosis.bandwidth_expectation import Shape, expectations
from bedplate.diagnosis.checks import KEEP_OUT
from bedplate.manifest import PoolManifest
from bedplate.validation.deadlines import deadlines
from bedplate.validation.fabric.detector import pair_collective
from bedplate.validation.fabric.finding import Localisation
from bedplate.validation.fabric.ledger import passed
from bedplate.validation.fabric.localise import localise
from bedplate.validation.fabric.observation import FinishedRound, PlannedRound
from bedplate.validation.fabric.plan import Planner
from bedplate.validation.fabric.policy import Policy
from bedplate.validation.fabric.topology import Topology, leaf_rounds
from bedplate.validation.record import Node
from bedplate.validation.result import Round
from bedplate.validation.steps.collective_tests import efa_path, observation, run_groups
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.read_topology import read_topology


@dataclass
class Search:
    """One pool's search; it can go on to cover leaves or links where all nodes together are slow."""

    context: Context
    pool: PoolManifest
    nodes: Mapping[str, Node]
    planner: Planner
    collective: str

    def run(self) -> Localisation:
        """Plan and run rounds until there are no more."""
        while plan := self.planner.next():
            self._run_round(plan)
        return localise(self.planner)

    def cover_leaves(self) -> Localisation:
        """Go on until every pair of leaves was tested; without a known topology nothing is added."""
        self.planner.policy = replace(self.planner.policy, cover_leaves=True)
        return self.run()

    def cover_links(self) -> Localisation:
        """Go on until every pair of cleared nodes was tested."""
        self.planner.policy = replace(self.planner.policy, cover_links=True)
        return self.run()

    @property
    def leaf_rounds(self) -> int:
        """How many rounds it takes to cover the leaves, 0 where there is one leaf, or none is known."""
        return leaf_rounds(self.planner.topology, self.planner.nodes)

    def _run_round(self, plan: PlannedRound) -> None:
        progress = self.context.progress
        progress.phase(f"Round {plan.number} between nodes: {plan.purpose}", len(plan.groups))
        tests = run_groups(
            self.context,
            name=f"rounds/{self.pool.name}/{plan.number:02}",
            groups=[[self.nodes[name] for name in group] for group in plan.groups],
            collective=self.collective,
            scope="pair",
            deadline_seconds=deadlines(simulated=self.context.record.simulated).pair_seconds,
        )
        # After a kill: who does not come free may hold its GPUs, and would spoil the tests of a next round.
        stuck = frozenset(name for name, node in self.nodes.items() if node.why_not_loaded)
        held = frozenset(name for name, node in self.nodes.items() if node.held)
        self.planner.add(FinishedRound(plan, tuple(observation(test) for test in tests), stuck, held))
        for test in tests:
            progress.advance(" ↔ ".join(test.nodes))

    def rounds(self) -> list[Round]:
        """The rounds for the result; which groups failed is judged by all that was measured."""
        limit = self.planner.ledger.threshold
        return [
            Round(
                number=finished.plan.number,
                purpose=finished.plan.purpose,
                groups=[list(group) for group in finished.plan.groups],
                failed=[
                    index
                    for index, seen in enumerate(finished.observations)
                    if seen.ran and not passed(seen, limit)
                ],
                unheard=[index for index, seen in enumerate(finished.observations) if not seen.ran],
            )
            for finished in self.planner.ledger.rounds
        ]


def candidates(context: Context, nodes: Sequence[Node]) -> dict[str, Node]:
    """The nodes that may be tested with others: idle, with no fault of their own that shows there."""
    return {
        node.node: node
        for node in nodes
        if not node.why_not_loaded and not KEEP_OUT & set(context.record.failed_checks(node.node))
    }


def _topology(context: Context, instance_ids: tuple[str, ...]) -> tuple[Topology, str]:
    if context.record.manifest.orchestrator.kind == "slurm-hyperpod":
        return Topology(), "EC2 shows nothing of HyperPod's instances"
    return read_topology(clients=context.clients, instance_ids=instance_ids)


def new_search(context: Context, pool: PoolManifest, nodes: Mapping[str, Node]) -> Search:
    """The search over some nodes of a pool."""
    hardware = next(iter(nodes.values())).hardware
    collective = pair_collective(hardware)
    path = efa_path(hardware)
    asked = expectations(
        shape=Shape(hardware, collective, 2, path),
        accepted=context.record.accepted(pool, collective, 2, path),
    )
    policy = Policy(
        floor_gb_per_s=asked[-1].floor_gb_per_s,
        cover_links=context.record.manifest.validation.cover_links,
    )
    topology, problem = _topology(context, tuple(nodes))
    if problem:
        context.record.notes.append(
            f"Pool {pool.name}: pairs are not chosen by leaf switch, and a leaf at fault cannot be told from "
            f"its nodes: {problem}."
        )
    planner = Planner(nodes=tuple(nodes), policy=policy, topology=topology)
    return Search(context, pool, nodes, planner, collective)
