"""A cluster on paper for the gatekeeper: which nodes are bad, which are at work, and what is done to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.gate.bench import Tried
from bedplate.node.gate.judge import FAILED, PASSED, PairVerdict, not_run
from bedplate.node.gate.keeper import Keeper, Patience
from bedplate.node.gate.memory import Memory
from bedplate.node.gate.names import WAITS, hold_of
from bedplate.node.gate.reservations import Reservation
from bedplate.node.gate.told import Told
from bedplate.node.gate.view import View, view_of

START = datetime(2026, 2, 3, 9, 0, 0)  # noqa: DTZ001 - Slurm prints local time


def slurm_node(name: str, *, state: str = "IDLE", flags: Sequence[str] = (), reason: str = "") -> SlurmNode:
    """A node of the one pool."""
    busy = "cpu=192" if state in ("ALLOCATED", "MIXED") else ""
    return SlurmNode(name, "10.0.0.1", name, state, tuple(flags), ("gpu",), "gpu:h200:8", busy, reason)


def held(name: str, *, start: datetime = START) -> Reservation:
    """The reservation of a node that waits."""
    return Reservation(hold_of(name), (name,), start, active=True)


@dataclass
class World:
    """``waiting`` nodes have no mark, ``good`` have one, ``busy`` work. A pair with a ``bad`` node fails; one
    of ``silent`` nodes cannot be run; ``sick`` ones fail a light check; ``other_pool`` fit nobody;
    ``lacking`` ones have no nccl-tests.
    """

    waiting: set[str] = field(default_factory=set)
    good: set[str] = field(default_factory=set)
    busy: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    bad: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)
    sick: set[str] = field(default_factory=set)
    other_pool: set[str] = field(default_factory=set)
    lacking: set[str] = field(default_factory=set)
    bad_links: set[frozenset[str]] = field(default_factory=set)
    drained: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    tried: list[tuple[str, str]] = field(default_factory=list)
    rounds: int = 0
    marks: dict[str, str] = field(default_factory=dict)
    because: dict[str, str] = field(default_factory=dict)
    journal: list[str] = field(default_factory=list)
    since: datetime = START
    now: float = START.timestamp() + 60

    def __post_init__(self) -> None:
        self.marks = dict.fromkeys(self.good | self.busy, "pair") | self.marks

    def keep(self, memory: Memory | None = None) -> Memory:
        """One run of the gatekeeper; returns what it remembers."""
        kept = memory or Memory()
        Keeper(
            hands=self, memory=kept, patience=Patience(), now=lambda: self.now, journal=self.journal.append
        ).run()
        return kept

    def view(self) -> View:
        """As Slurm would show it."""
        nodes = [
            *(slurm_node(name, flags=("MAINTENANCE", "RESERVED")) for name in self.waiting),
            *(slurm_node(name) for name in self.good),
            *(slurm_node(name, state="ALLOCATED") for name in self.busy),
            *(slurm_node(name, state="DOWN", flags=("NOT_RESPONDING",)) for name in self.gone),
            *(slurm_node(name, flags=("DRAIN",), reason=why) for name, why in self.drained.items()),
        ]
        held_now = [held(name, start=self.since) for name in self.waiting]
        return view_of(sorted(nodes, key=lambda node: node.name), held_now)

    def try_pairs(self, pairs: Sequence[tuple[SlurmNode, SlurmNode]]) -> list[Tried]:
        """By what the nodes are."""
        self.rounds += 1
        names = [(one.name, other.name) for one, other in pairs]
        flat = [name for pair in names for name in pair]
        assert len(flat) == len(set(flat)), "a node is in one pair at a time"
        self.tried += names
        return [self._try(pair) for pair in names]

    def try_alone(self, node: SlurmNode, *, because: str) -> tuple[Told | None, str]:
        """Its light checks."""
        if node.name in self.silent:
            return None, "srun: error"
        told = self._told(node.name)
        if not told.sick:
            self.marks[node.name] = "alone"
            self.because[node.name] = because
        return told, ""

    def release(self, node: str) -> None:
        """It has to have its mark."""
        assert node in self.marks
        self.waiting.discard(node)
        self.good.add(node)

    def send_back(self, node: SlurmNode) -> bool:
        """It waits again."""
        self.marks.pop(node.name, None)
        self.good.discard(node.name)
        self.waiting.add(node.name)
        return True

    def drain(self, node: str, reason: str) -> None:
        """It is out."""
        self.waiting.discard(node)
        self.drained[node] = reason

    def say(self, node: SlurmNode, reason: str) -> None:
        """The last word counts, but for the first one of all."""
        if reason != WAITS:
            self.said[node.name] = reason

    def _try(self, pair: tuple[str, str]) -> Tried:
        stuck = tuple(name for name in pair if name in self.silent)
        told = {name: self._told(name) for name in pair if name not in stuck}
        if stuck:
            return Tried(pair, not_run("srun: error"), told, stuck)
        if any(each.sick for each in told.values()):
            return Tried(pair, not_run("a light check failed"), told)
        if len(set(pair) & self.other_pool) == 1:
            return Tried(pair, not_run("they are of different pools"), told, unfit=True)
        if lacking := tuple(name for name in pair if name in self.lacking):
            return Tried(pair, not_run("nccl-tests is not there"), told, lacking=lacking)
        if set(pair) & self.bad or frozenset(pair) in self.bad_links:
            return Tried(pair, PairVerdict(FAILED, "NCL-003", "200 GB/s is too slow"), told)
        for name in pair:
            self.marks[name] = "pair"
        return Tried(pair, PairVerdict(PASSED, "NCL-003", "480 GB/s"), told)

    def _told(self, name: str) -> Told:
        sick = (("GPU-001", "7 of 8 GPUs answer"),) if name in self.sick else ()
        return Told("nonce", name, name, "gpu", "p5en.48xlarge", self.marks.get(name, ""), "", sick)


def nodes(*numbers: int) -> set[str]:
    """gpu-1 and so on."""
    return {f"gpu-{number}" for number in numbers}


def together(pairs: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
    """Pairs without their order."""
    return {frozenset(pair) for pair in pairs}
