"""``make bench-fabric``: our search and its peers' schemes on the same simulated clusters."""

from __future__ import annotations

from pathlib import Path

import click

from tests.bench.fabric.measure import SIZES, Count, measure
from tests.bench.fabric.page import numbers, page
from tests.bench.fabric.targets import broken_targets, noise_target_met


@click.command()
@click.option("--seed", default="fabric-1", show_default=True, help="What clusters are drawn from.")
@click.option("--share", default=1.0, show_default=True, type=float, help="Share of the runs.")
@click.option("--most-nodes", default=SIZES[-1], show_default=True, type=int, help="The largest cluster.")
@click.option("--page", "page_path", type=click.Path(path_type=Path), help="Write the page here.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the numbers here.")
def main(seed: str, share: float, most_nodes: int, page_path: Path | None, json_path: Path | None) -> None:
    """Run all rows; exits with 1 where ours misses a target."""
    sizes = [size for size in SIZES if size <= most_nodes]
    counts: list[Count] = list(
        measure(seed=seed, sizes=sizes, share=share, say=lambda line: click.echo(line, err=True))
    )
    if json_path:
        _write(json_path, numbers(counts, seed=seed))
    if page_path:
        _write(page_path, page(counts, seed=seed))
    broken = [
        *broken_targets(counts),
        *([] if noise_target_met(counts) else ["noise: over 1 % blame wrongly"]),
    ]
    for text in broken:
        click.echo(f"missed: {text}")
    if broken:
        raise SystemExit(1)
    click.echo(f"SIMULATED: all targets met in {sum(one.runs for one in counts):,} runs.")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
