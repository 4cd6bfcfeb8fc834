"""``make bench-faults``: 10,000 seeded runs of the validation on clusters with injected faults.

SIMULATED throughout: it proves the engine's honesty on what tools print, and nothing about hardware.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path

import click

from tests.bench.faults.draws import PER_CLUSTER, run_of
from tests.bench.faults.log import read_log, write_log
from tests.bench.faults.page import write_page
from tests.bench.faults.score import Score
from tests.bench.faults.tally import HEAD, Tally, tally, text_table
from tests.bench.faults.worker import score_many

_DEFAULT_SEED = "2026"
_AT_ONCE = {"processes": 5, "played": PER_CLUSTER}
"""Runs in one batch: a batch is ended before a bench is whose time is up."""


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
@click.option(
    "--minutes",
    type=click.FloatRange(min=0),
    help="End after so long with what there is by then; the next bench takes it up.",
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
    minutes: float | None,
    page: Path | None,
) -> None:
    """Inject faults into simulated clusters, validate them, and count what was let pass and what was named.

    Exits with 4 where a fault was let pass or the validation crashed.
    """
    output.mkdir(parents=True, exist_ok=True)
    ends = None if minutes is None else time.monotonic() + 60 * minutes
    scores = _made(take_up, first=first, runs=runs)
    with (output / "runs.jsonl").open("w", encoding="utf-8") as log:
        log.writelines(json.dumps(score.to_json()) + "\n" for score in scores)
        log.flush()
        made = {score.number for score in scores}
        for score in _all(
            first=first, runs=runs, processes=processes, seed=seed, workers=workers, made=made, ends=ends
        ):
            scores.append(score)
            log.write(json.dumps(score.to_json()) + "\n")
            log.flush()
            _tell(score, len(scores), runs)
    found = tally(sorted(scores, key=lambda score: score.number))
    summary = {"simulated": True, "seed": seed, "first": first, **found.to_json()}
    (output / "summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    click.echo(_report(found, seed))
    if page is not None:
        kept = page.with_suffix(".runs.jsonl.gz")
        write_log(kept, sorted(scores, key=lambda score: score.number))
        write_page(page, found=found, seed=seed, first=first, runs=runs, log=kept)
    sys.exit(4 if found.false_passes or found.crashes else 0)


def _made(log: Path | None, *, first: int, runs: int) -> list[Score]:
    """What a bench that was cut off has scored."""
    scores = read_log(log) if log else []
    return [score for score in scores if first <= score.number < first + runs]


def _all(
    *,
    first: int,
    runs: int,
    processes: int,
    seed: str,
    workers: int,
    made: Collection[int],
    ends: float | None,
) -> Iterator[Score]:
    if ends is not None and time.monotonic() >= ends:
        return
    split = first + min(processes, runs)
    ways = (("processes", range(first, split)), ("played", range(split, first + runs)))
    chunks = [
        (chunk, how)
        for how, numbers in ways
        for chunk in _chunks([number for number in numbers if number not in made], _AT_ONCE[how])
    ]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        pending = [pool.submit(score_many, chunk, seed=seed, how=how) for chunk, how in chunks]
        told: set[Future[list[Score]]] = set()
        try:
            left = None if ends is None else max(ends - time.monotonic(), 0)
            for done in as_completed(pending, timeout=left):
                told.add(done)
                yield from done.result()
        except TimeoutError:
            click.echo("the time is up: the batches under way are ended first", err=True)
            pool.shutdown(wait=True, cancel_futures=True)
            for late in pending:
                if late.done() and not late.cancelled() and late not in told:
                    yield from late.result()


def _chunks(numbers: Sequence[int], most: int) -> Iterator[list[int]]:
    """Runs of one cluster each, at most so many."""
    chunk: list[int] = []
    for number in numbers:
        if chunk and (len(chunk) == most or number // PER_CLUSTER != chunk[0] // PER_CLUSTER):
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
