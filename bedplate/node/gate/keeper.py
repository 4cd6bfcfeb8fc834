"""The gatekeeper's run: pairs, round by round, until each node that waits is let in, drained, or told of.

A pair that fails does not say which of the two is bad. So a node is blamed after it failed with two that had
passed a pair before, or with all that there are; and a partner that failed with a node that then passed with
another has to pass the gate again itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Protocol, Sequence, Set, Tuple

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.gate.bench import Tried
from bedplate.node.gate.hold import gate_words
from bedplate.node.gate.judge import FAILED, PASSED
from bedplate.node.gate.mark import BY_PAIR
from bedplate.node.gate.memory import AGAIN_SECONDS, Failure, Memory, since_of
from bedplate.node.gate.names import MARK, REASON, WAITS
from bedplate.node.gate.pairs import choose_pairs
from bedplate.node.gate.told import Told
from bedplate.node.gate.view import View, Waiting
from bedplate.node.set_nodes import REASON_PREFIX

ENOUGH_FAILURES = 2
NOBODY = "there is nobody to pair it with"
LACKING = "its image has no nccl-tests"
"""Why a node is let in without a pair."""


@dataclass(frozen=True)
class Patience:
    """All in seconds. ``alone`` is how long a node waits for others of its kind to come up; ``told`` after
    what time its comment says for how long it waits; no round begins after ``rounds``.
    """

    alone: float = 900.0
    told: float = 1800.0
    rounds: float = 1500.0


class Hands(Protocol):
    """What is done in Slurm: ``bedplate.node.gate.bench.Bench``, or a test's."""

    def view(self) -> View:
        """As Slurm has it now."""

    def try_pairs(self, pairs: Sequence[Tuple[SlurmNode, SlurmNode]]) -> List[Tried]:
        """Try them all at once."""

    def try_alone(self, node: SlurmNode, *, because: str) -> Tuple[Optional[Told], str]:
        """Its light checks."""

    def release(self, node: str) -> None:
        """Let jobs onto it."""

    def send_back(self, node: SlurmNode) -> bool:
        """Have it pass the gate again."""

    def drain(self, node: str, reason: str) -> None:
        """Keep it out for a fault."""

    def say(self, node: SlurmNode, words: str) -> None:
        """Say why it waits."""


class Keeper:
    """One run. ``now`` gives s since 1970, ``journal`` takes a line of it."""

    def __init__(
        self,
        *,
        hands: Hands,
        memory: Memory,
        patience: Patience,
        now: Callable[[], float],
        journal: Callable[[str], None],
    ) -> None:
        self._hands, self._memory, self._patience = hands, memory, patience
        self._now, self._journal = now, journal
        self._skipped: Dict[str, Set[str]] = {}

    def run(self) -> None:
        """All rounds, and then what is to be said of those that still wait."""
        end = self._now() + self._patience.rounds
        view = self._look()
        for each in view.waiting.values():
            if not gate_words(each.node):
                # Slurm may not have known the node yet when it held itself.
                self._hands.say(each.node, WAITS)
        while self._now() < end:
            pairs = choose_pairs(view, tried=self._tried(view), later=frozenset(self._memory.later))
            if not pairs:
                break
            known = {**view.free, **{name: each.node for name, each in view.waiting.items()}}
            for tried in self._hands.try_pairs([(known[one], known[other]) for one, other in pairs]):
                self._settle(view, tried)
            self._blame(self._look())
            view = self._look()
        for each in view.waiting.values():
            self._conclude(view, each)

    def _look(self) -> View:
        view = self._hands.view()
        self._memory.forget(view, now=self._now())
        return view

    def _tried(self, view: View) -> Dict[str, Set[str]]:
        return {
            name: {each.partner(name) for each in self._memory.of(name)}
            | self._memory.unfit_for(name)
            | self._skipped.get(name, set())
            for name in view.waiting
        }

    def _settle(self, view: View, tried: Tried) -> None:
        one, other = tried.nodes
        verdict = tried.verdict
        self._journal(f"{one} with {other}: {verdict.outcome}: {verdict.told}")
        if verdict.outcome == PASSED:
            self._let_in(view, tried)
        elif verdict.outcome == FAILED:
            proven = [
                name for name in tried.nodes if name not in view.waiting and tried.told[name].mark == BY_PAIR
            ]
            since = since_of(view, tried.nodes)
            self._memory.failures.append(
                Failure(tried.nodes, verdict.check_id, verdict.told, self._now(), tuple(proven), since)
            )
        elif tried.lacking:
            self._without_program(view, tried)
        elif tried.unfit:
            self._memory.unfit.append(tried.nodes)
        else:
            self._not_run(view, tried)

    def _let_in(self, view: View, tried: Tried) -> None:
        suspects = {
            each.partner(name)
            for name in tried.nodes
            for each in self._memory.of(name)
            if each.partner(name) not in each.cleared
        }
        for name in tried.nodes:
            self._memory.passed(name)
            if name in view.waiting:
                self._hands.release(name)
        for name in sorted(suspects - set(view.waiting) - set(tried.nodes)):
            node = view.free.get(name)
            back = node is not None and self._hands.send_back(node)
            what = "it waits at the gate" if back else "it is at work and could not be tried; validate it"
            self._journal(f"{name} failed with a node that passed with another: {what}")

    def _without_program(self, view: View, tried: Tried) -> None:
        """Where the image has nothing to measure with no node would ever be let in. Such a node is let in as
        one without a partner is; the other is tried with others.
        """
        self._memory.unfit.append(tried.nodes)
        for name in tried.lacking:
            if name in view.waiting:
                self._alone(view.waiting[name], because=LACKING)

    def _not_run(self, view: View, tried: Tried) -> None:
        one, other = tried.nodes
        self._skipped.setdefault(one, set()).add(other)
        self._skipped.setdefault(other, set()).add(one)
        for name, told in tried.told.items():
            if told.sick and name in view.waiting:
                self._sick(told)
        for name in tried.stuck:
            if name in view.waiting:
                self._later(view.waiting[name], f"its pair could not be run: {tried.verdict.told}")

    def _sick(self, told: Told) -> None:
        ids = ", ".join(check_id for check_id, _ in told.sick)
        self._drain(told.name, f"{REASON_PREFIX}{ids} {MARK}: {told.sick[0][1]}")

    def _later(self, each: Waiting, why: str) -> None:
        self._memory.later[each.name] = self._now() + AGAIN_SECONDS
        self._say(each, why)

    def _blame(self, view: View) -> None:
        for name in view.waiting:
            proven = self._failed_with_proven(view, name)
            if len(proven) >= ENOUGH_FAILURES:
                self._drain(name, _pair_reason(name, proven, ""))

    def _failed_with_proven(self, view: View, name: str) -> List[Failure]:
        """Those whose other node is known to be good, by a pair before or after."""
        return [
            each
            for each in self._memory.of(name)
            if each.partner(name) in each.proven and each.partner(name) not in view.waiting
        ]

    def _conclude(self, view: View, each: Waiting) -> None:
        unfit = self._memory.unfit_for(each.name)
        kin = [name for name in view.kin[each.name] if name not in unfit]
        failed = self._memory.of(each.name)
        known = unfit | {one.partner(each.name) for one in failed}
        others_up = [name for name in view.kin_up[each.name] if name not in known]
        seconds = 0.0 if each.since is None else max(0.0, self._now() - each.since.timestamp())
        if failed:
            self._failed(view, each, failed, others_up)
        elif each.name in self._memory.later:
            return
        elif not kin or (not others_up and seconds >= self._patience.alone):
            self._alone(each, because=NOBODY)
        elif seconds >= self._patience.told:
            minutes = int(seconds) // 600 * 10
            self._say(each, f"closed for {minutes} min or more: no partner of its kind is free")

    def _failed(self, view: View, each: Waiting, failed: Sequence[Failure], others_up: Sequence[str]) -> None:
        proven = self._failed_with_proven(view, each.name)
        if proven and not others_up:
            doubt = ", its only partner: either may be at fault"
            self._drain(each.name, _pair_reason(each.name, proven, doubt))
            return
        partners = ", ".join(one.partner(each.name) for one in failed)
        why = "waits for another partner" if others_up else "nobody known to be good says which is bad"
        self._say(each, f"{failed[0].check_id} with {partners}; {why}")

    def _alone(self, each: Waiting, *, because: str) -> None:
        told, why = self._hands.try_alone(each.node, because=because)
        if told is None:
            self._later(each, f"it could not be asked: {why}")
        elif told.sick:
            self._sick(told)
        else:
            self._hands.release(each.name)
            self._journal(f"{each.name} is let in by its own checks alone: {because}")

    def _drain(self, name: str, reason: str) -> None:
        self._hands.drain(name, reason)
        self._memory.drop(name)
        self._journal(f"{name} is drained: {reason}")

    def _say(self, each: Waiting, why: str) -> None:
        self._hands.say(each.node, f"{REASON}{why}")
        self._journal(f"{each.name} waits: {why}")


def _pair_reason(name: str, failures: Sequence[Failure], doubt: str) -> str:
    partners = " and ".join(each.partner(name) for each in failures[:ENOUGH_FAILURES])
    first = failures[0]
    return f"{REASON_PREFIX}{first.check_id} {MARK}: the pair with {partners} failed{doubt}: {first.told}"
