"""Doing what a plan says, each step written down before the next: drain, prove the drain, then replace.

Draining comes first and is read back from Slurm, so that no job can start between the look and the end of an
instance. An instance on which a job still runs is left to a later run of the command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.errors import AwsRefused
from bedplate.node.set_nodes import Change
from bedplate.validation.actions.cluster import Cluster
from bedplate.validation.actions.journal import Journals
from bedplate.validation.actions.live import is_busy, is_drained, is_drained_by_us, is_ours
from bedplate.validation.actions.model import Action, ActionPlan, Step
from bedplate.validation.actions.reservation import why_not_replace
from bedplate.validation.instance import Instance
from bedplate.validation.progress import NullProgress, Progress

_PAUSE_SECONDS = 10.0
_CLOCKS = timedelta(minutes=1)
"""How far this machine's clock may be from EC2's."""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class Performer:
    """Carries plans out on one cluster; ``wait_seconds`` is how long new instances are waited for."""

    cluster: Cluster
    journals: Journals
    wait_seconds: float = 1800.0
    progress: Progress = field(default_factory=NullProgress)
    now: Callable[[], str] = _now
    _plan: ActionPlan = field(init=False)

    def perform(self, plan: ActionPlan) -> ActionPlan:
        """Carry a plan out and return it as it stands then. Raises ``AwsRefused`` and ``BedplateError``
        ACT-003 where the journal or Slurm is out of reach; what was done until then is in the journal.
        """
        self._plan = plan
        if not plan.actions:
            return plan
        self.journals.keep(plan)
        self.progress.phase("Drain", len(plan.actions))
        self._drain()
        self._replace()
        return self._plan

    def go_on(self, plan: ActionPlan) -> ActionPlan:
        """Go on with what waited when the plan was carried out."""
        self._plan = plan
        self._replace()
        return self._plan

    def _drain(self) -> None:
        slurm = self.cluster.slurm()
        changes = []
        for action in self._plan.actions:
            found = slurm.get(action.private_ip)
            if not is_drained_by_us(found, action.slurm_name):
                changes.append(Change(action.slurm_name, action.private_ip, "DRAIN", action.reason))
        problems, after = self.cluster.change(changes) if changes else ({}, slurm)
        for action in self._plan.actions:
            self._keep(self._drained(action, problems.get(action.slurm_name, ""), after))
            self.progress.advance(action.slurm_name)

    def _drained(self, action: Action, problem: str, after: Mapping[str, SlurmNode]) -> Action:
        """What became of it: Slurm's own word afterwards decides, not how scontrol ended."""
        found = after.get(action.private_ip)
        if problem or found is None or found.name != action.slurm_name:
            return self._ended(
                action,
                "refused",
                f"not drained: {problem or f'{self.cluster.scheduler} has lost it'}",
                well=False,
            )
        if not is_drained_by_us(found, action.slurm_name):
            return self._ended(
                action, "failed", f"it was asked for, and {self.cluster.scheduler} shows no drain", well=False
            )
        job = "; its job goes on" if is_busy(found) else ""
        told = f"drained in {self.cluster.scheduler} as {action.slurm_name}{job}"
        if action.do == "drain":
            return self._ended(action, "done", told)
        return self._stepped(action, told).model_copy(update={"state": "waiting", "waits_for": "job"})

    def _replace(self) -> None:
        waiting = [action for action in self._plan.actions if action.state == "waiting"]
        if not waiting:
            return
        slurm = self.cluster.slurm()
        for action in waiting:
            if action.waits_for == "job":
                self._keep(self._terminated(action, slurm))
        self._await_instances()

    def _terminated(self, action: Action, slurm: Mapping[str, SlurmNode]) -> Action:
        found = slurm.get(action.private_ip)
        pool = self.cluster.pool(action.pool)
        running = {one.instance_id: one for one in self.cluster.instances(pool)}
        one = running.get(action.node)
        if one is None and action.ended_at:
            # This program ended between asking for the end and writing down that it did.
            return self._await(action, f"{action.node} has been ended")
        if one is None or one.private_ip != action.private_ip:
            return self._ended(action, "refused", "not replaced: it runs no longer in its pool", well=False)
        if found is None or not is_drained_by_us(found, action.slurm_name):
            return self._ended(
                action, "refused", "not replaced: it is no longer drained by this command", well=False
            )
        if is_busy(found):
            return action.model_copy(update={"outcome": "drained; it is replaced when its job has ended"})
        why = why_not_replace(clients=self.cluster.clients, pool=pool)
        if why:
            return self._ended(action, "refused", f"drained, and not replaced: {why}", well=False)
        # Written down before it is done: an end of this program in between leaves a trace of it.
        action = self._stepped(action, f"asking for the end of {action.node}")
        action = action.model_copy(update={"ended_at": action.steps[-1].at, "pool_then": tuple(running)})
        self._keep(action)
        try:
            self.cluster.terminate(action.node)
        except AwsRefused as error:
            return self._ended(action, "failed", f"drained, and not replaced: {error.message}", well=False)
        return self._await(action, f"{action.node} is ended")

    def _await(self, action: Action, what: str) -> Action:
        return self._stepped(action, what).model_copy(
            update={"waits_for": "instance", "outcome": "drained and ended; its place is not filled yet"}
        )

    def _await_instances(self) -> None:
        """Wait for the new instances, and lift the drain where it stayed on the name."""
        clock, sleep = self.cluster.transport.clock, self.cluster.transport.sleep
        give_up = clock() + self.wait_seconds
        while waiting := [one for one in self._plan.actions if one.waits_for == "instance"]:
            for action in waiting:
                new = self._newcomer(action)
                if new is not None and self._in_service(action, new):
                    told = f"replaced by {new.instance_id}; validate it before it is relied upon"
                    done = self._ended(action, "done", told)
                    self._keep(done.model_copy(update={"replaced_by": new.instance_id, "waits_for": ""}))
            if clock() >= give_up:
                return
            if any(one.waits_for == "instance" for one in self._plan.actions):
                sleep(_PAUSE_SECONDS)

    def _newcomer(self, action: Action) -> Instance | None:
        """An instance that the pool did not have when the old one was ended, and is nobody else's."""
        taken = {one.replaced_by for one in self._plan.actions if one.replaced_by}
        taken |= {action.node, *action.pool_then}
        earliest = datetime.fromisoformat(action.ended_at) - _CLOCKS
        for one in self.cluster.instances(self.cluster.pool(action.pool)):
            new = one.launched_at is not None and one.launched_at >= earliest
            if new and one.state == "running" and one.instance_id not in taken:
                return one
        return None

    def _in_service(self, action: Action, new: Instance) -> bool:
        """Whether Slurm has the new instance and would use it; a drain that stayed on the name is lifted."""
        found = self.cluster.slurm().get(new.private_ip)
        if found is None or "NOT_RESPONDING" in found.flags:
            return False
        if is_drained(found) and is_ours(found.reason):
            change = Change(found.name, new.private_ip, "UNDRAIN", action.reason)
            problems, after = self.cluster.change([change])
            found = after.get(new.private_ip)
            return not problems.get(change.name) and found is not None and not is_drained(found)
        return True

    def _stepped(self, action: Action, what: str, *, well: bool = True) -> Action:
        return action.model_copy(update={"steps": (*action.steps, Step(at=self.now(), what=what, well=well))})

    def _ended(self, action: Action, state: str, outcome: str, *, well: bool = True) -> Action:
        return self._stepped(action, outcome, well=well).model_copy(
            update={"state": state, "outcome": outcome, "waits_for": ""}
        )

    def _keep(self, action: Action) -> None:
        """Put an action's new state into the plan, and the plan into the journal."""
        actions = tuple(action if one.node == action.node else one for one in self._plan.actions)
        self._plan = self._plan.model_copy(update={"actions": actions})
        self.journals.keep(self._plan)
