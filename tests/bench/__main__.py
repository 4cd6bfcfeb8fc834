"""``make bench``: synth and the command line, each against a small yardstick measured in the same run.

Nothing is remembered from run to run: every number in the table was taken by the run that prints it.
"""

from __future__ import annotations

import json
import sys

import click
from rich.console import Console
from rich.table import Table

from tests.bench import growth
from tests.bench.machine import describe_machine
from tests.bench.questions import Answer, Question, questions
from tests.bench.timing import BenchFailedError, Command, Times, interleaved


@click.command()
@click.option(
    "--runs", default=5, show_default=True, type=click.IntRange(1, 50), help="Counted runs of each."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.option("--only", metavar="TEXT", help="Only the questions whose title holds TEXT.")
def main(runs: int, as_json: bool, only: str | None) -> None:
    """Measure synth and the command line against small yardsticks, interleaved."""
    asked = [question for question in questions() if only is None or only in question.title]
    machine = describe_machine()
    try:
        answers = [_ask(question, runs=runs) for question in asked]
        grown = _grow(runs=runs) if only is None or only in growth.TITLE else {}
    except BenchFailedError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(_json(answers, grown, machine, runs), nl=False)
    else:
        click.echo(_tables(answers, grown, machine, runs), nl=False)


def _ask(question: Question, *, runs: int) -> Answer:
    commands: list[Command] = [question.ours, question.yardstick]
    times = interleaved(commands, runs=runs, say=lambda line: click.echo(line, err=True))
    return Answer(question, times[question.ours.name], times[question.yardstick.name])


def _grow(*, runs: int) -> dict[str, Times]:
    return interleaved(
        list(growth.commands().values()), runs=runs, say=lambda line: click.echo(line, err=True)
    )


def _tables(answers: list[Answer], grown: dict[str, Times], machine: dict[str, str], runs: int) -> str:
    console = Console(width=160, file=sys.stdout, no_color=True)
    with console.capture() as capture:
        if answers:
            console.print(_table(answers, runs))
        if grown:
            console.print(_growth_table(grown, runs))
            console.print(_verdict(growth.growth_of(grown)), highlight=False)
        console.print("; ".join(f"{name} {value}" for name, value in machine.items()), highlight=False)
    return capture.get()


def _verdict(found: growth.Growth) -> str:
    if found.ratio is None:
        return (
            f"equal runs differ by {found.noise:.2f} s, more than a few pools cost: the machine is too busy "
            "to tell whether the growth is near linear; tests/bench/test_growth.py tells by counts"
        )
    met = "met" if found.is_near_linear else "missed"
    return f"a pool among many costs {found.ratio:.2f} of one among few; aim ≤ {growth.NEAR_LINEAR}: {met}"


def _growth_table(grown: dict[str, Times], runs: int) -> Table:
    title = f"{growth.TITLE}; {runs} interleaved runs; a further pool by processor time"
    table = Table(title=title, title_justify="left")
    for heading in ("pools", "seconds", "least of the processors", "ms for each further pool", ""):
        table.add_column(heading, no_wrap=True)
    for row, times in zip(growth.rows(grown), grown.values(), strict=True):
        each = row["ms_each_further_pool"]
        table.add_row(
            str(row["pools"]),
            _times(times),
            f"{row['least_processor_s']:.2f} s",
            "" if each is None else f"{each:.1f}",
            "" if row["legal"] else "more than PCS takes",
        )
    return table


def _table(answers: list[Answer], runs: int) -> Table:
    table = Table(
        title=f"medians of {runs} interleaved runs; fastest to slowest in brackets", title_justify="left"
    )
    for heading in ("what", "ours", "yardstick", "ratio", "aim", ""):
        table.add_column(heading, no_wrap=True)
    for answer in answers:
        table.add_row(
            answer.question.title,
            _times(answer.ours),
            f"{answer.yardstick.name}: {_times(answer.yardstick)}",
            f"{answer.ratio:.2f}",
            _aim(answer.question),
            {True: "met", False: "missed", None: ""}[answer.aim_met],
        )
    return table


def _times(times: Times) -> str:
    low, high = times.spread_s
    return f"{times.median_s:.2f} s ({low:.2f} to {high:.2f})"


def _aim(question: Question) -> str:
    if question.aim_ratio is not None:
        return f"ratio ≤ {question.aim_ratio}"
    return f"≤ {question.aim_s} s" if question.aim_s is not None else ""


def _json(answers: list[Answer], grown: dict[str, Times], machine: dict[str, str], runs: int) -> str:
    rows = [
        {
            "what": answer.question.title,
            "ours_s": answer.ours.seconds,
            "ours_median_s": answer.ours.median_s,
            "yardstick": answer.yardstick.name,
            "yardstick_s": answer.yardstick.seconds,
            "yardstick_median_s": answer.yardstick.median_s,
            "ratio": answer.ratio,
            "aim_ratio": answer.question.aim_ratio,
            "aim_s": answer.question.aim_s,
            "aim_met": answer.aim_met,
        }
        for answer in answers
    ]
    said: dict[str, object] = {"machine": machine, "runs": runs, "answers": rows}
    if grown:
        ratio = growth.growth_of(grown).ratio
        said["growth"] = {"rows": growth.rows(grown), "ratio": ratio, "aim_ratio": growth.NEAR_LINEAR}
    return json.dumps(said, indent=2) + "\n"


if __name__ == "__main__":
    main()
