"""The plan: what a run speaks for, held against how things stand now and against the cap. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.diagnosis.verdict import Subject
from bedplate.manifest import ClusterManifest, PoolManifest
from bedplate.node.set_nodes import REASON_PREFIX, is_held_by_others
from bedplate.validation.actions.accept import moment_of
from bedplate.validation.actions.candidates import candidates
from bedplate.validation.actions.live import Live, is_busy, is_drained, is_ours, is_out
from bedplate.validation.actions.model import Action, ActionPlan, LeftAlone, Rule
from bedplate.validation.actions.policy import ActionPolicy
from bedplate.validation.result import RunResult

_LONGEST_REASON = 180
_STAMP = re.compile(r"\s*\[[^\[\]]*\]$")
"""Who gave a reason and when, as Slurm adds it: ``[root@2026-02-03T09:14:02]``."""


def plan_actions(
    *,
    result: RunResult,
    manifest: ClusterManifest,
    live: Live,
    policy: ActionPolicy,
    plan_id: str,
    now: datetime,
) -> ActionPlan:
    """What to do, strongest first, and what is left alone and why. The result was accepted before."""
    own = {each.xid: each.policy for each in manifest.validation.xid_policies}
    wanted, left = candidates(result=result, policy=policy, xid_policies=own)
    pools = {pool.name: pool for pool in manifest.pools}
    cap = _Cap(pools, live, policy)
    started = moment_of(result.started_at)
    actions: list[Action] = []
    alone = list(left)
    for action in wanted:
        settled = _settled(action, pools, live, started, plan_id)
        if isinstance(settled, Action):
            settled = cap.take(settled)
        if isinstance(settled, Action):
            actions.append(settled)
        else:
            alone.append(settled)
    return ActionPlan(
        id=plan_id,
        environment=result.environment,
        account=result.account,
        region=result.region,
        simulated=result.simulated,
        made_at=now.isoformat(timespec="seconds"),
        run_finished_at=result.finished_at,
        on_failure=policy.on_failure,
        actions=tuple(actions),
        left_alone=tuple(alone),
    )


def _settled(
    action: Action, pools: Mapping[str, PoolManifest], live: Live, started: datetime, plan_id: str
) -> Action | LeftAlone:
    pool = pools.get(action.pool)
    instance = live.instance(action.pool, action.node)
    if pool is None or instance is None:
        return _alone(action, "no-longer-there", "it runs no longer in its pool")
    if instance.launched_at is not None and instance.launched_at > started:
        return _alone(action, "launched-later", "it was launched after the run began")
    slurm = live.slurm.get(instance.private_ip)
    if slurm is None:
        return _alone(
            action, "not-in-slurm", f"{live.scheduler} has no node with its address {instance.private_ip}"
        )
    if is_held_by_others(slurm) or (is_drained(slurm) and not is_ours(slurm.reason)):
        why = f"others keep it from jobs: {slurm.reason or 'they gave no reason'}"
        return _alone(action, "held-by-others", why)
    if is_drained(slurm) and action.do == "drain":
        return _alone(action, "acted-on-already", f"it is drained already: {slurm.reason}")
    cautions = list(action.cautions)
    if is_busy(slurm):
        later = ", and a later run of this command replaces the node" if action.do == "replace" else ""
        cautions.append(f"A job runs on it: the job goes on, no other starts{later}.")
    if action.do == "replace":
        cautions += _replace_cautions(pool)
    return action.model_copy(
        update={
            "slurm_name": slurm.name,
            "private_ip": instance.private_ip,
            "reason": _reason(action, plan_id, slurm),
            "cautions": tuple(cautions),
        }
    )


def _reason(action: Action, plan_id: str, slurm: SlurmNode) -> str:
    """What Slurm is told; a drain of an earlier plan of ours is taken over with its reason."""
    if is_drained(slurm):
        return _STAMP.sub("", slurm.reason)
    return f"{REASON_PREFIX}{plan_id}: {action.cause} ({', '.join(action.checks)})"[:_LONGEST_REASON]


def _replace_cautions(pool: PoolManifest) -> list[str]:
    told = ["What is on the instance's own disks is lost."]
    if pool.reservation_id:
        told.append(
            f"The new instance takes the place in {pool.reservation_id} that the old one leaves, after some "
            "minutes of cleaning, and may land on the same host: validate it, and where the fault comes back "
            "open a case with the archive of `bedplate support-bundle`."
        )
    elif pool.capacity_source in ("spot", "on-demand"):
        told.append("No capacity is reserved: EC2 may have no other instance to give.")
    return told


class _Cap:
    """How much of each pool may still be taken out of service, and replaced."""

    def __init__(self, pools: Mapping[str, PoolManifest], live: Live, policy: ActionPolicy) -> None:
        self._live = live
        self._percent = policy.at_most_percent
        self._nodes = {
            name: max(len(live.instances.get(name, {})), pool.node_count_min) for name, pool in pools.items()
        }
        self._most = {name: policy.most_out(nodes=nodes) for name, nodes in self._nodes.items()}
        self._out = {name: live.out_of_service(name) for name in pools}
        self._replaced = dict.fromkeys(pools, 0)

    def take(self, action: Action) -> Action | LeftAlone:
        """The action, counted, or why it would be one too many."""
        pool, replaces = action.pool, action.do == "replace"
        # A node that takes no jobs already is no further loss, but a replacement it still is.
        further = not is_out(self._live.slurm[action.private_ip])
        if (further and self._out[pool] >= self._most[pool]) or (
            replaces and self._replaced[pool] >= self._most[pool]
        ):
            return _alone(
                action,
                "over-the-cap",
                f"{self._out[pool]} of {self._nodes[pool]} nodes of pool {pool} are out of service or about "
                f"to be, {self._most[pool]} may be (act_on_at_most_percent is {self._percent})",
            )
        self._out[pool] += further
        self._replaced[pool] += replaces
        return action


def _alone(action: Action, rule: Rule, why: str) -> LeftAlone:
    return LeftAlone(
        subject=Subject("node", (action.node,)),
        cause=action.cause,
        checks=action.checks,
        rule=rule,
        why=why,
    )
