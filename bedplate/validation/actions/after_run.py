"""What follows a run that found faults: the plan goes onto its page, and is carried out if asked."""

from __future__ import annotations

from collections.abc import Callable

from bedplate.errors import BedplateError
from bedplate.manifest import ClusterManifest
from bedplate.validation.actions.model import ActionPlan
from bedplate.validation.actions.policy import ActionPolicy
from bedplate.validation.actions.session import ActionSession, new_session
from bedplate.validation.aws import AwsClients
from bedplate.validation.judgement import judge
from bedplate.validation.progress import NullProgress, Progress
from bedplate.validation.reports.result_file import result_json
from bedplate.validation.result import RunResult
from bedplate.validation.stores.bucket import BucketStore

NEW_INSTANCE_SECONDS = 1800.0
"""How long new instances are waited for: cleaning and launch of a large one take a good part of that."""


def policy_of(manifest: ClusterManifest) -> ActionPolicy:
    """The policy that was deployed."""
    wanted = manifest.validation
    return ActionPolicy(on_failure=wanted.on_failure, at_most_percent=wanted.act_on_at_most_percent)


def act_after_run(
    *,
    clients: AwsClients,
    manifest: ClusterManifest,
    run_id: str,
    result: RunResult,
    policy: ActionPolicy,
    carry_out: bool,
    announce: Callable[[ActionPlan], None] = lambda _plan: None,
    progress: Progress | None = None,
    wait_seconds: float = NEW_INSTANCE_SECONDS,
    session: ActionSession | None = None,
) -> RunResult:
    """The result with what is done, or would be, and what is left alone; it replaces the one in the bucket.

    Unchanged where nothing failed or the policy is to report. ``announce`` is called with the listing before
    anything is changed. What could not be planned or done is a note on the page: the run's own verdict
    stands whatever becomes of its actions.
    """
    if policy.on_failure == "report" or not result.complete or not judge(result=result).faults:
        return result
    made = session or new_session(clients=clients, manifest=manifest)
    try:
        told = _with_plan(result, _plan(made, result, policy, carry_out, announce, progress, wait_seconds))
    except BedplateError as error:
        doing = "carried out to the end" if carry_out else "planned"
        note = f"What follows from this run could not be {doing}: {error.message} ({error.error_id})"
        note += "; `bedplate undo --list` tells what was done" if carry_out else ""
        told = result.model_copy(update={"notes": [*result.notes, note]})
    store = BucketStore(clients, manifest.validation.result_bucket)
    store.write(f"runs/{run_id}/result.json", result_json(told).encode("utf-8"))
    return told


def _plan(
    session: ActionSession,
    result: RunResult,
    policy: ActionPolicy,
    carry_out: bool,
    announce: Callable[[ActionPlan], None],
    progress: Progress | None,
    wait_seconds: float,
) -> ActionPlan:
    if not carry_out:
        return session.plan(result=result, policy=policy)
    with session.hold():
        return session.carry_out(
            result=result,
            policy=policy,
            announce=announce,
            progress=progress or NullProgress(),
            wait_seconds=wait_seconds,
        )


def _with_plan(result: RunResult, plan: ActionPlan) -> RunResult:
    return result.model_copy(
        update={"actions": list(plan.actions), "left_alone": list(plan.left_alone), "action_plan": plan.id}
    )
