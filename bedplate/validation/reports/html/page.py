"""From a result to the page: a pure function, so that the same result gives the same bytes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from bedplate.diagnosis.verdict import Outcome
from bedplate.validation.judgement import Judgement, judge
from bedplate.validation.reports.actions import action_view, left_view, undo_command
from bedplate.validation.reports.blocks import block_views
from bedplate.validation.reports.html.bandwidth import build_plot
from bedplate.validation.reports.html.faults import FaultView, fault_views, finding_views, open_views
from bedplate.validation.reports.html.grid import build_grid, verdict_groups
from bedplate.validation.reports.html.inventory import component_views, fleet_text
from bedplate.validation.reports.html.names import node_names
from bedplate.validation.reports.html.search import round_views
from bedplate.validation.reports.open_ends import open_ends
from bedplate.validation.reports.wording import OUTCOME_WORDS, duration_text, sentence, time_text
from bedplate.validation.result import RunResult


@dataclass(frozen=True)
class VerdictBanner:
    """The first thing on the page: ``tone`` is pass, fail or open."""

    tone: str
    word: str
    headline: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Share:
    """One outcome's part of all verdicts, for the bar under the verdict; ``per_cent`` of the whole."""

    state: str
    words: str
    count: int
    per_cent: float


def render_html(result: RunResult) -> str:
    """The page of a run: one file, no script, nothing loaded from anywhere."""
    judgement = judge(result=result)
    names = node_names(result)
    faults = fault_views(judgement, names)
    ends = open_ends(judgement)
    grid = build_grid(result, judgement, names, faults, ends)
    # A failed check that names no part is a symptom where other faults do name one.
    named = tuple(fault for fault in faults if fault.cause)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            result=result,
            banner=_banner(result, judgement),
            shares=_shares(judgement),
            judgement=judgement,
            faults=named or faults,
            symptoms=_symptoms(faults, named),
            opens=open_views(ends, names),
            findings=finding_views(result, names),
            grid=grid,
            well=sum(row.well for row in grid.rows if row.node),
            groups=verdict_groups(result, judgement, names),
            plot=build_plot(result, names),
            rounds=round_views(result, names),
            actions=[action_view(action) for action in result.actions],
            undo=undo_command(result),
            left_alone=[left_view(left, result.nodes) for left in result.left_alone],
            blocks=block_views(result),
            blamed={node for fault in judgement.faults for node in fault.subject.names},
            components=component_views(result, names),
            fleet=fleet_text(result),
            started=time_text(result.started_at),
            took=duration_text(result.started_at, result.finished_at),
            words=OUTCOME_WORDS,
        )
    )


def _symptoms(faults: tuple[FaultView, ...], named: tuple[FaultView, ...]) -> tuple[FaultView, ...]:
    return tuple(fault for fault in faults if not fault.cause) if named else ()


def _banner(result: RunResult, judgement: Judgement) -> VerdictBanner:
    preflight = result.kind == "preflight"
    if judgement.passed:
        tone, word = "pass", "Ready to deploy" if preflight else "Ready to hand over"
    elif judgement.faults:
        tone, word = "fail", "Do not deploy yet" if preflight else "Do not hand over"
    else:
        tone, word = "open", "Not proven"
    reasons = tuple(reason for reason in judgement.reasons if reason != judgement.headline)
    return VerdictBanner(tone, word, judgement.headline, reasons)


def _shares(judgement: Judgement) -> tuple[Share, ...]:
    order = (Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.NOT_TESTED, Outcome.NOT_APPLICABLE)
    counts = [(o.value, OUTCOME_WORDS[o], judgement.counts[o]) for o in order]
    counts.append(("missing", "without a verdict", len(judgement.missing)))
    total = sum(count for _, _, count in counts)
    return tuple(Share(state, words, count, 100 * count / total) for state, words, count in counts if count)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("bedplate.validation.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["sentence"] = sentence
    return environment
