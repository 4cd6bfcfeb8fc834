"""What `bedplate undo` picks and shows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from bedplate.errors import BedplateError

if TYPE_CHECKING:
    from bedplate.validation.actions.journal import Journals
    from bedplate.validation.actions.model import ActionPlan
    from bedplate.validation.actions.undo import Undoing


def pick(journals: Journals, plan_id: str | None) -> ActionPlan:
    """The plan of that id, or the newest that is not undone. Raises ``BedplateError`` ACT-004."""
    if plan_id is not None:
        return journals.read(plan_id).plan
    for each in journals.ids():
        journal = journals.read(each)
        if not journal.undone_at:
            return journal.plan
    raise BedplateError(
        f"no plan is left to undo in {journals.address('').removesuffix('.json')}",
        error_id="ACT-004",
        remedy="`bedplate undo -e ENV --list` lists what was done.",
    )


def show_list(journals: Journals, *, as_json: bool) -> None:
    """Every plan that was carried out, the newest first."""
    rows = [journals.read(each) for each in journals.ids()]
    if as_json:
        click.echo(json.dumps([row.model_dump(mode="json") for row in rows], indent=2))
        return
    for row in rows:
        states = ", ".join(f"{one.do} {one.slurm_name or one.node}: {one.state}" for one in row.plan.actions)
        undone = f" (undone {row.undone_at})" if row.undone_at else ""
        click.echo(f"{row.plan.id}{undone}: {states}")
    if not rows:
        click.echo("Nothing was done yet.")


def show_dry_run(plan: ActionPlan, rows: Sequence[Undoing], *, as_json: bool) -> None:
    """What an undo would do."""
    if as_json:
        told = [
            {"node": row.action.node, "slurm_name": row.name, "lifts": row.lifts, "why": row.why}
            for row in rows
        ]
        click.echo(json.dumps({"id": plan.id, "nodes": told}, indent=2))
        return
    for row in rows:
        click.echo(f"{row.name} ({row.action.node}): {'lift the drain' if row.lifts else 'leave'}: {row.why}")
    click.echo("\nNothing was changed. Repeat the command without --dry-run to do it.")
