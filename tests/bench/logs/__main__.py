"""``make bench-logs``: reads NCCL logs of up to 1 GB, beside ``wc -l`` on the same file.

Exits with 4 where memory grows with the log, or where the speed is under the least.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tests.bench.logs.measure import broken_bounds, measure
from tests.bench.logs.page import write_page
from tests.bench.machine import describe_machine


@click.command()
@click.option("--sizes", default="10,100,1000", show_default=True, help="MB, rising, with commas.")
@click.option("--folder", default="build", show_default=True, type=click.Path(path_type=Path))
@click.option("--page", type=click.Path(path_type=Path), help="Write the page.")
def main(*, sizes: str, folder: Path, page: Path | None) -> None:
    """Read logs of so many megabytes; each is written under the folder and removed. SIMULATED."""
    machine, readings = describe_machine(), []
    for megabytes in (int(each) for each in sizes.split(",")):
        one = measure(megabytes=megabytes, folder=folder)
        readings.append(one)
        click.echo(
            f"{one.megabytes:.0f} MB, {one.lines} lines: wc -l {one.wc_processor_s:.2f} s, reader "
            f"{one.processor_s:.2f} s of the processor ({one.mb_per_processor_s:.1f} MB/s), "
            f"{one.wall_s:.2f} s in all, {one.peak_mib:.1f} MiB"
        )
    if page is not None:
        write_page(page, readings, machine)
    broken = broken_bounds(readings)
    for each in broken:
        click.echo(f"BROKEN: {each}")
    sys.exit(4 if broken else 0)


if __name__ == "__main__":
    main()
