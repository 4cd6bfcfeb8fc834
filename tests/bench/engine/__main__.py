"""``make bench-engine``: the controller's cost for 8 to 4,096 simulated nodes.

Exits with 4 where a run of healthy nodes is not passed, or where a cost grows faster than the nodes.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from tests.bench.engine.growth import exponents, worse_than_linear
from tests.bench.engine.measure import Cost, measure
from tests.bench.engine.page import write_page
from tests.bench.engine.plot import draw
from tests.bench.machine import describe_machine

_SIZES = "8,64,256,1024,2048,4096"


@click.command()
@click.option("--sizes", default=_SIZES, show_default=True, help="Numbers of nodes, rising, with commas.")
@click.option(
    "--output", default="build/bench-engine.json", show_default=True, type=click.Path(path_type=Path)
)
@click.option("--page", type=click.Path(path_type=Path), help="Write the page and, beside it, the plot.")
def main(*, sizes: str, output: Path, page: Path | None) -> None:
    """Validate so many simulated nodes, and tell what it cost the controller. SIMULATED."""
    costs = []
    for size in (int(each) for each in sizes.split(",")):
        costs.append(measure(size))
        _tell(costs[-1])
    output.parent.mkdir(parents=True, exist_ok=True)
    grown = exponents(costs) if len(costs) > 1 else {}
    machine = describe_machine()
    told = {
        "simulated": True,
        "machine": machine,
        "exponents": grown,
        "costs": [asdict(each) for each in costs],
    }
    output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    if page is not None and len(costs) > 1:
        draw(page.with_suffix(".svg"), costs)
        write_page(page, costs, machine)
    worse = worse_than_linear(costs) if len(costs) > 1 else []
    for name, value in grown.items():
        click.echo(f"{name}: exponent {value:.2f} ({'WORSE' if name in worse else 'linear or better'})")
    sys.exit(4 if worse or not all(cost.passed for cost in costs) else 0)


def _tell(cost: Cost) -> None:
    click.echo(
        f"{cost.nodes} nodes: {'passed' if cost.passed else 'NOT PASSED'}, "
        f"{cost.processor_ms_per_node:.1f} ms of the processor, {cost.peak_kib_per_node:.0f} KiB and "
        f"{cost.calls_per_node:.2f} calls a node; {cost.wall_s:.1f} s in all"
    )
    if not cost.passed:
        click.echo(f"  {json.dumps(cost.detail)[:2000]}")


if __name__ == "__main__":
    main()
