"""Where a pair is tried: in a reservation of Slurm for root, which ends by itself if nobody ends it."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import List, Mapping, Optional, Sequence, Tuple

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.gate.hold import hold, is_gate_reason, say
from bedplate.node.gate.jobs import GateJobs
from bedplate.node.gate.judge import NOT_RUN, PASSED, PairVerdict, not_run
from bedplate.node.gate.mark import ALONE, BY_PAIR
from bedplate.node.gate.names import PAIR, PAIR_MINUTES, hold_of, plain_reason
from bedplate.node.gate.reservations import SHOW, Reservation, parse_reservations
from bedplate.node.gate.told import Told
from bedplate.node.gate.view import View, view_of
from bedplate.node.identity import hostname
from bedplate.node.process import STOP
from bedplate.node.set_nodes import is_held_by_others
from bedplate.node.slurm_client import SlurmClient

_SETTLE_SECONDS = 90.0
"""As long as the validation waits for the processes of a job that was stopped."""
_SETTLE_PAUSE_SECONDS = 2.0


class SlurmSilentError(Exception):
    """Slurm does not say who waits, so that nothing is done."""


@dataclass(frozen=True)
class Tried:
    """What came of a pair, and what its nodes ``told``. ``stuck`` are those that it was not run for; ``busy``
    says that one of the two is at work, ``unfit`` that they are of different pools or types; ``lacking`` are
    those whose image has no nccl-tests.
    """

    nodes: Tuple[str, str]
    verdict: PairVerdict
    told: Mapping[str, Told] = field(default_factory=dict)
    stuck: Tuple[str, ...] = ()
    busy: bool = False
    unfit: bool = False
    lacking: Tuple[str, ...] = ()


class Bench:
    """What the gatekeeper does to nodes, all of it by Slurm's clients."""

    def __init__(self, *, slurm: SlurmClient, jobs: GateJobs) -> None:
        self._slurm, self._jobs = slurm, jobs
        self._own = f"{PAIR}{hostname().split('.')[0]}-"

    def clear_leftovers(self) -> None:
        """End the reservations that an earlier gatekeeper of this host was killed in."""
        for each in self._reservations():
            if each.name.startswith(self._own):
                self._delete(each.name)

    def view(self) -> View:
        """As Slurm has it now. Raises ``SlurmSilentError``."""
        nodes = self._slurm.nodes()
        if not nodes:
            raise SlurmSilentError("scontrol shows no nodes")
        return view_of(nodes, self._reservations())

    def try_pairs(self, pairs: Sequence[Tuple[SlurmNode, SlurmNode]]) -> List[Tried]:
        """All at once; nodes whose pair passed have their mark then."""
        with ThreadPoolExecutor(max_workers=len(pairs)) as pool:
            return list(pool.map(lambda pair: self._try_pair(*pair), pairs))

    def try_alone(self, node: SlurmNode, *, because: str) -> Tuple[Optional[Told], str]:
        """The light checks, and the mark where they pass; None, and why, where that could not be done."""
        hold(node.name, self._slurm)
        self._undrain(node)
        held = hold_of(node.name)
        told, why = self._jobs.ask(node, reservation=held)
        if told is None or told.sick:
            return told, why
        marked = self._jobs.mark(node, reservation=held, how=ALONE, told=because)
        return (told, "") if marked else (None, "the mark was not taken")

    def release(self, node: str) -> None:
        """Let jobs onto a node that has its mark."""
        shown = self._shown(node)
        if shown is not None:
            self._undrain(shown)
            self._clear(shown)
        self._delete(hold_of(node))

    def send_back(self, node: SlurmNode) -> bool:
        """Put a node whose gate was open back before it; whether that was done."""
        return hold(node.name, self._slurm) and self._jobs.close(node, reservation=hold_of(node.name))

    def drain(self, node: str, reason: str) -> None:
        """Keep it out for a fault. A drain by somebody else stays as it is."""
        shown = self._shown(node)
        if shown is None or is_held_by_others(shown):
            return
        if "DRAIN" not in shown.flags or is_gate_reason(shown.reason):
            text = f"Reason={plain_reason(reason)}"
            self._slurm.scontrol("update", f"NodeName={node}", "State=DRAIN", text)
            self._clear(shown)

    def say(self, node: SlurmNode, words: str) -> None:
        """Say why a node still waits."""
        say(node, self._slurm, words)

    def _try_pair(self, first: SlurmNode, second: SlurmNode) -> Tried:
        names = (first.name, second.name)
        reservation = self._own + first.name
        made = self._slurm.scontrol(
            "create",
            "reservation",
            f"ReservationName={reservation}",
            f"Nodes={first.name},{second.name}",
            "Users=root",
            "StartTime=now",
            f"Duration={PAIR_MINUTES}",
            "Flags=MAINT",
            quiet=True,
        )
        if made.rc != 0:
            why = made.stderr or made.problem
            busy = "busy" in why
            return Tried(names, not_run(why), busy=busy, stuck=() if busy else (first.name,))
        try:
            if self._comes_second(reservation, names):
                return Tried(names, not_run("another gatekeeper was first"), busy=True)
            return self._try_in(reservation, first, second)
        except SlurmSilentError as error:
            return Tried(names, not_run(str(error)), busy=True)
        finally:
            self._delete(reservation)

    def _let_settle(self, names: Sequence[str]) -> None:
        """After a run that was stopped: until its nodes are free again, so that they can be tried further."""
        give_up = time.monotonic() + _SETTLE_SECONDS
        while time.monotonic() < give_up and not STOP.is_set():
            shown = [node for node in self._slurm.nodes(",".join(names)) if node.name in names]
            if shown and all(node.state == "IDLE" and "COMPLETING" not in node.flags for node in shown):
                return
            time.sleep(_SETTLE_PAUSE_SECONDS)

    def _try_in(self, reservation: str, first: SlurmNode, second: SlurmNode) -> Tried:
        names = (first.name, second.name)
        for node in (first, second):
            self._undrain(node)
        with ThreadPoolExecutor(max_workers=2) as pool:
            asked = list(
                pool.map(lambda node: self._jobs.ask(node, reservation=reservation), (first, second))
            )
        told = {one.name: one for one, _ in asked if one is not None}
        stuck = tuple(name for name in names if name not in told)
        if stuck:
            return Tried(names, not_run("; ".join(why for _, why in asked if why)), told, stuck)
        one, other = told[first.name], told[second.name]
        if one.sick or other.sick:
            return Tried(names, not_run("a light check failed"), told)
        if (one.pool, one.instance_type) != (other.pool, other.instance_type):
            return Tried(names, not_run("they are of different pools"), told, unfit=True)
        lacking = tuple(name for name in names if not told[name].able)
        if lacking:
            why = f"nccl-tests is not on {' and '.join(lacking)}"
            return Tried(names, not_run(why), told, lacking=lacking)
        verdict = self._jobs.collective(first, one, other, reservation=reservation)
        if verdict.outcome != PASSED:
            self._let_settle(names)
            return Tried(names, verdict, told, names if verdict.outcome == NOT_RUN else ())
        stuck = tuple(
            node.name
            for node in (first, second)
            if told[node.name].mark != BY_PAIR
            and not self._jobs.mark(node, reservation=reservation, how=BY_PAIR, told=verdict.told)
        )
        if stuck:
            return Tried(names, not_run("the pair passed, and the mark was not taken"), told, stuck)
        return Tried(names, verdict, told)

    def _clear(self, node: SlurmNode) -> None:
        if is_gate_reason(node.comment):
            self._slurm.scontrol("update", f"NodeName={node.name}", "Comment=")

    def _undrain(self, node: SlurmNode) -> None:
        """Its prolog drained it when a job slipped in; the reservations keep jobs away now."""
        if "DRAIN" in node.flags and is_gate_reason(node.reason):
            self._slurm.scontrol("update", f"NodeName={node.name}", "State=UNDRAIN")

    def _comes_second(self, reservation: str, names: Tuple[str, str]) -> bool:
        """Whether the gatekeeper of another login node has one of the two: both may see a node wait at
        once.
        """
        pairs = [
            each
            for each in self._reservations()
            if each.name.startswith(PAIR) and set(names) & set(each.nodes)
        ]
        first = min(pairs, key=lambda each: (str(each.start), each.name), default=None)
        return first is not None and first.name != reservation

    def _shown(self, node: str) -> Optional[SlurmNode]:
        return next((each for each in self._slurm.nodes(node) if each.name == node), None)

    def _reservations(self) -> Tuple[Reservation, ...]:
        run = self._slurm.scontrol(*SHOW)
        if run.rc != 0 or run.truncated:
            raise SlurmSilentError("scontrol shows no reservations")
        try:
            return parse_reservations(run.stdout)
        except ValueError as error:
            raise SlurmSilentError(f"scontrol show reservations: {error}") from error

    def _delete(self, reservation: str) -> None:
        if self._slurm.scontrol("delete", f"ReservationName={reservation}", quiet=True).rc != 0:
            print(f"bedplate: the reservation {reservation} is not ended yet", file=sys.stderr)
