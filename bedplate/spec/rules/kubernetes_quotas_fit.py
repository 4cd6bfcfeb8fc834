"""ORC-047: the quotas of teams fit the fleet."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.hardware import INSTANCE_TYPES
from bedplate.spec.draft import Draft
from bedplate.spec.orchestrator.shares import divide
from bedplate.spec.rules.rule import Rule, Violation

_TEAMS = ("orchestrator", "teams")


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the first team whose GPUs are no whole nodes, or more than the teams before it leave."""
    if draft.kubernetes is None or not draft.all_pools or _unknown(draft):
        return
    pools, teams = list(draft.pools.values()), draft.kubernetes.teams
    for index, team in enumerate(teams):
        try:
            divide(pools=pools, teams=teams[: index + 1])
        except ValueError as error:
            yield Violation(
                path=(*_TEAMS, index, "gpus"),
                message=str(error).removeprefix(f"team {team.name}: "),
                given=str(team.gpus),
                allowed="whole nodes of what the teams before it leave",
                remedy="Give the team fewer GPUs of its own, in whole nodes, or make a pool larger.",
            )
            return


def _unknown(draft: Draft) -> bool:
    return any(pool.instance_type not in INSTANCE_TYPES for pool in draft.pools.values())


RULE = Rule(
    row=CheckRow(
        id="ORC-047",
        title="the quotas of teams fit the fleet",
        what=(
            "The `gpus` of `orchestrator.teams` are whole nodes, and come to at most the GPUs of all "
            "pools at their largest."
        ),
        why=(
            "A quota that nothing stands behind is a promise that a job waits for without end. EFA is "
            "given to whole nodes, so that a part of a node serves no training."
        ),
        fix="Give fewer GPUs, or make a pool larger.",
        by_hand="`kubectl get clusterqueues -o yaml` shows nominal quotas and flavors.",
    ),
    check=check,
)
