"""One run again, with what was injected, what was named, and every verdict that is not a pass."""

from __future__ import annotations

from typing import cast

import click

from bedplate.diagnosis.verdict import Outcome
from bedplate.sandbox.fleet.comparison import compare
from tests.bench.faults.draws import run_of
from tests.bench.faults.harness import Harness, How


@click.command()
@click.argument("numbers", nargs=-1, type=int, required=True)
@click.option("--seed", default="2026", show_default=True)
@click.option("--how", type=click.Choice(["played", "processes"]), default="played", show_default=True)
def main(numbers: tuple[int, ...], seed: str, how: str) -> None:
    """Run these numbers again. SIMULATED."""
    with Harness() as harness:
        for number in numbers:
            run = run_of(number, seed=seed)
            scored, result, injected = harness.run(run, how=cast("How", how))
            click.echo(f"run {number}: {run.instance_type}, {run.size} nodes, passed: {scored.passed}")
            for fault in injected["faults"]:
                click.echo(f"  injected {fault['cause']} on {fault['subjects']} {fault['detail']}")
            for line in compare(injected, result).lines():
                click.echo(f"  {line}")
            for verdict in result.verdicts:
                if verdict.outcome not in (Outcome.PASS, Outcome.NOT_APPLICABLE):
                    where = " ↔ ".join(verdict.subject.names) or "cluster"
                    cause = verdict.cause or "-"
                    click.echo(
                        f"    {verdict.check_id} {where} {verdict.outcome.value} {cause}: "
                        f"{verdict.summary[:200]}"
                    )


if __name__ == "__main__":
    main()
