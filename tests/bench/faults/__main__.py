"""``make bench-faults``: 10,000 seeded runs of the validation on clusters with injected faults.

SIMULATED throughout: it proves the engine's honesty on what tools print, and nothing about hardware.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import click

from tests.bench.faults.draws import PER_CLUSTER, run_of
from tests.bench.faults.page import write_page
from tests.bench.faults.score import Score
from tests.bench.faults.tally import HEAD, Tally, tally, text_table
from tests.bench.faults.worker import score_many

_DEFAULT_SEED = "2026"


@click.command()
@click.option("--runs", default=10_000, show_default=True, type=click.IntRange(1), help="Runs in all.")
@click.option(
    "--processes",
    default=300,
    show_default=True,
    type=click.IntRange(0),
    help="How many of them, the first ones, go through real processes.",
)
@click.option(
    "--first", default=0, show_default=True, type=click.IntRange(0), help="Number of the first run."
)
@click.option("--seed", default=_DEFAULT_SEED, show_default=True)
@click.option("--workers", default=2, show_default=True, type=click.IntRange(1))
@click.option("--output", default="build/bench-faults", show_default=True, type=click.Path(path_type=Path))
@click.option(
    "--take-up",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A runs.jsonl of a bench of the same seed that was cut off: its runs are not made again.",
)
@click.option("--page", type=click.Path(path_type=Path), help="Write the page of the documents too.")
def main(
    *,
    runs: int,
    processes: int,
    first: int,
    seed: str,
    workers: int,
    output: Path,
    take_up: Path | None,
    page: Path | None,
) -> None:
    """Inject faults into simulated clusters, validate them, and count what was let pass and what was named.

    Exits with 4 where a fault was let pass or the validation crashed.
    """
    output.mkdir(parents=True, exist_ok=True)
    scores = _made(take_up, first=first, runs=runs)
    with (output / "runs.jsonl").open("w", encoding="utf-8") as log:
        log.writelines(json.dumps(score.to_json()) + "\n" for score in scores)
        log.flush()
        made = {score.number for score in scores}
        for score in _all(first=first, runs=runs, processes=processes, seed=seed, workers=workers, made=made):
            scores.append(score)
            log.write(json.dumps(score.to_json()) + "\n")
            log.flush()
            _tell(score, len(scores), runs)
    found = tally(sorted(scores, key=lambda score: score.number))
    summary = {"simulated": True, "seed": seed, "first": first, **found.to_json()}
    (output / "summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    click.echo(_report(found, seed))
    if page is not None:
        write_page(page, found=found, seed=seed, first=first, runs=runs)
    sys.exit(4 if found.false_passes or found.crashes else 0)


def _made(log: Path | None, *, first: int, runs: int) -> list[Score]:
    """What a bench that was cut off has scored; a line that it did not come to write whole is none."""
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True) if log else []
    scores = [Score.from_json(json.loads(line)) for line in lines if line.endswith("\n")]
    return [score for score in scores if first <= score.number < first + runs]


def _all(
    *, first: int, runs: int, processes: int, seed: str, workers: int, made: Collection[int]
) -> Iterator[Score]:
    split = first + min(processes, runs)
    ways = (("processes", range(first, split)), ("played", range(split, first + runs)))
    chunks = [
        (chunk, how)
        for how, numbers in ways
        for chunk in _chunks([number for number in numbers if number not in made])
    ]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        pending = [pool.submit(score_many, chunk, seed=seed, how=how) for chunk, how in chunks]
        for done in as_completed(pending):
            yield from done.result()


def _chunks(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Runs of one cluster each."""
    chunk: list[int] = []
    for number in numbers:
        if chunk and number // PER_CLUSTER != chunk[0] // PER_CLUSTER:
            yield chunk
            chunk = []
        chunk.append(number)
    if chunk:
        yield chunk


def _tell(score: Score, done: int, runs: int) -> None:
    if score.false_pass or score.crash:
        kinds = ", ".join(kind for kind, _ in score.faults)
        what = f"CRASH {score.crash}" if score.crash else f"FALSE PASS over {kinds}"
        click.echo(f"run {score.number} ({score.instance_type}, {score.size} nodes): {what}", err=True)
    if done % 250 == 0:
        click.echo(f"{done} of {runs}", err=True)


def _report(found: Tally, seed: str) -> str:
    passed, healthy = sum(found.healthy_passed.values()), sum(found.healthy.values())
    return "\n".join(
        [
            text_table(HEAD, found.rows()),
            (
                f"SIMULATED; seed {seed}; {sum(found.runs.values())} runs, "
                f"{found.runs['processes']} of them through real processes"
            ),
            f"false passes: {len(found.false_passes)} {found.false_passes[:20]}",
            f"crashes: {len(found.crashes)} {found.crashes[:20]}",
            f"runs with a wrong blame: {len(found.wrongly_blaming)} {found.wrongly_blaming[:20]}",
            f"runs with nothing to be told that passed: {passed} of {healthy}",
        ]
    )


__all__ = ["main", "run_of"]

if __name__ == "__main__":
    main()
