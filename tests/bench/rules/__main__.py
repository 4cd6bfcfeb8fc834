"""``make bench-rules``: evaluates all rules on simulated fleets in real Prometheus.

Exits with 4 where a group takes longer than it may.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from tests.bench.machine import describe_machine
from tests.bench.rules.measure import broken_bounds, measure
from tests.bench.rules.page import write_page


@click.command()
@click.option("--sizes", default="64,1024", show_default=True, help="Nodes, rising, with commas.")
@click.option("--folder", default="build/bench-rules", show_default=True, type=click.Path(path_type=Path))
@click.option("--page", type=click.Path(path_type=Path), help="Write the page.")
def main(*, sizes: str, folder: Path, page: Path | None) -> None:
    """Fill blocks for fleets of so many nodes, and evaluate; what was written is removed. SIMULATED."""
    machine, readings = describe_machine(), []
    for nodes in (int(each) for each in sizes.split(",")):
        place = folder.resolve() / str(nodes)
        shutil.rmtree(place, ignore_errors=True)
        try:
            one = measure(place, nodes=nodes)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        readings.append(one)
        click.echo(f"{nodes} nodes: {one.filled.series} series, {one.filled.samples} samples")
        click.echo(f"  filled in {one.fill_seconds:.0f} s")
        for group in one.groups:
            click.echo(f"  {group.name}: {group.seconds:.2f} s, most by {group.slowest}")
    if page is not None:
        write_page(page, readings, machine)
    broken = [sentence for each in readings for sentence in broken_bounds(each)]
    for sentence in broken:
        click.echo(f"BROKEN: {sentence}")
    sys.exit(4 if broken else 0)


if __name__ == "__main__":
    main()
