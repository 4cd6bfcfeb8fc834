"""What `act`, `undo` and `validate --act` share: the policy, the order of things, and the listing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from bedplate.spec import Environment
    from bedplate.validation.actions.model import ActionPlan
    from bedplate.validation.actions.policy import ActionPolicy
    from bedplate.validation.actions.session import ActionSession
    from bedplate.validation.result import RunResult


def policy_of(environment: Environment, *, on_failure: str | None = None) -> ActionPolicy:
    """The environment file's policy; ``on_failure`` stands in for the file's."""
    from bedplate.validation.actions.policy import ActionPolicy

    wanted = environment.validation
    mode = on_failure or wanted.on_failure
    return ActionPolicy(on_failure=mode, at_most_percent=wanted.act_on_at_most_percent)  # type: ignore[arg-type]


def act(
    *,
    session: ActionSession,
    result: RunResult,
    policy: ActionPolicy,
    waivers: Mapping[str, str],
    carry_out: bool,
    wait_seconds: float,
    quiet: bool,
) -> ActionPlan:
    """Plan, and carry out if asked: the listing is shown before anything is changed."""
    from bedplate.validation.progress import progress_for

    if not carry_out:
        return session.plan(result=result, policy=policy, waivers=waivers)
    progress = progress_for(quiet=quiet)
    try:
        with session.hold():
            return session.carry_out(
                result=result,
                policy=policy,
                waivers=waivers,
                announce=lambda plan: announce(plan, quiet=quiet),
                progress=progress,
                wait_seconds=wait_seconds,
            )
    finally:
        progress.close()


def announce(plan: ActionPlan, *, quiet: bool) -> None:
    """Show the listing on standard error before anything is changed."""
    if not quiet:
        click.echo(listing(plan), nl=False, err=True)


def show_plan(plan: ActionPlan, *, as_json: bool, carried_out: bool, environment: str) -> None:
    """Print a plan, or what became of it; ``environment`` is what ``-e`` takes in a proposed command."""
    if as_json:
        click.echo(plan.model_dump_json(indent=2))
        return
    click.echo(listing(plan), nl=False)
    if plan.actions and not carried_out:
        click.echo("\nNothing was changed. Repeat the command with --do to do it.")
    elif any(one.state == "waiting" or (one.state, one.do) == ("done", "drain") for one in plan.actions):
        click.echo(f"\nTo take it back: bedplate undo -e {environment} {plan.id}")


def listing(plan: ActionPlan) -> str:
    """A plan as text: what is done, then what is left alone."""
    from bedplate.validation.reports.actions import action_view, left_view
    from bedplate.validation.reports.wording import SIMULATED

    lines = [click.style(SIMULATED, fg="yellow")] if plan.simulated else []
    counted = Counter(action.state for action in plan.actions)
    counts = [f"{number} {state}" for state, number in counted.items()] or ["nothing to do"]
    told = ", ".join([*counts, f"{len(plan.left_alone)} left alone"])
    lines.append(f"{plan.id}: {plan.on_failure}; of the run that ended {plan.run_finished_at}: {told}")
    for view in map(action_view, plan.actions):
        lines += [f"  {view.head}: {view.state}", *(f"      {line}" for line in view.lines)]
    for view in map(left_view, plan.left_alone):
        lines += [f"  Left alone: {view.head} [{view.state}]", *(f"      {line}" for line in view.lines)]
    return "".join(f"{line}\n" for line in lines)
