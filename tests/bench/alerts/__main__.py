"""``make bench-alerts``: injects every fault into simulated fleets, with real Prometheus and Alertmanager.

Exits with 4 where a fault is not told, or something is told without one.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from tests.bench.alerts.page import write_page
from tests.bench.alerts.promtool_times import minutes_by_alert
from tests.bench.machine import describe_machine
from tests.telemetry.live.cases import PAGES_TWICE
from tests.telemetry.live.run import Outcome, play


def broken(outcome: Outcome) -> list[str]:
    """One sentence for each thing that must not be."""
    found = [f"{each.case.name} raised no {each.case.alert}" for each in outcome.rows if each.fired_s is None]
    found += [f"{each} while all was well" for each in outcome.early]
    found += [f"without a fault: {each}" for each in outcome.stray]
    twice = {each.case.cluster for each in outcome.rows if each.case.name in PAGES_TWICE}
    found += [
        f"{node} of {cluster} paged {count} times"
        for cluster, node, count in outcome.pages_by_node
        if count != 1 and cluster not in twice
    ]
    return found + [f"no series: {each}" for each in outcome.empty_panels]


@click.command()
@click.option("--page", type=click.Path(path_type=Path), help="Write the page.")
def main(*, page: Path | None) -> None:
    """Play the live chain once. SIMULATED, with times scaled down."""
    machine = describe_machine()
    with tempfile.TemporaryDirectory(prefix="bedplate-alerts-") as folder:
        outcome = play(Path(folder))
    if page is not None:
        write_page(page, outcome, by_promtool=minutes_by_alert(), machine=machine)
    click.echo(f"{len(outcome.rows)} faults and others were put upon nodes, {outcome.queries} queries asked")
    sentences = broken(outcome)
    for each in sentences:
        click.echo(f"BROKEN: {each}")
    sys.exit(4 if sentences else 0)


if __name__ == "__main__":
    main()
