"""The history of validations: whether the cluster was proven, when, and what has failed."""

from __future__ import annotations

from bedplate.telemetry.dashboards import levels, units, variables
from bedplate.telemetry.dashboards.links import VALIDATION, to_node_of_cell
from bedplate.telemetry.dashboards.page import Band, Page
from bedplate.telemetry.dashboards.panels import figure, lines, states
from bedplate.telemetry.dashboards.queries import now, over_time
from bedplate.telemetry.dashboards.scope import ENVIRONMENT
from bedplate.telemetry.dashboards.table import Column, listing
from bedplate.telemetry.metrics.validation import LAST


def _held(name: str, selector: str = "") -> str:
    """What the last validation left, which wrote it once: a sample by itself is gone after five minutes."""
    return f"last_over_time(bedplate_validation_{name}{{{ENVIRONMENT}{selector}}}[{LAST}])"


def _nodes(state: str) -> str:
    return _held("nodes", f',state="{state}"')


# Of the last days' validations, since none has passed.
_FAILED = f"({_held('failed')} and on (environment, cluster) {_held('passed')} == 0)"
_NO_PASS = _held("verdicts", ',outcome!="pass"')
_SUBJECTS = f'label_join({_FAILED}, "instance_id", "", "subject")'
_NAMES = f"topk by (environment, instance_id) (1, bedplate_node_info{{{ENVIRONMENT}}})"
_OF_INSTANCE = "on (environment, instance_id)"
# A subject that is an instance has a name; a link or a setting has none.
_WHAT_FAILED = (
    f"max by (check, cause, subject, node) ({_SUBJECTS} * {_OF_INSTANCE} group_left (node) {_NAMES}"
    f" or {_SUBJECTS} unless {_OF_INSTANCE} {_NAMES})"
)

_NOW = Band(
    title="The last validation",
    lines=(
        (
            figure(
                "Outcome",
                "Of the last `bedplate validate` of this environment.",
                now(f"min({_held('passed')})"),
                levels=levels.ONE_IS_GOOD,
                words={"0": "failed", "1": "passed"},
            ),
            figure(
                "Ended",
                "How long ago. A cluster that was proven a month ago is not proven.",
                now(f"time() - max({_held('timestamp_seconds')})"),
                unit=units.DURATION,
                levels=levels.VALIDATION_AGE,
            ),
            figure(
                "Took",
                "From its first check to its last.",
                now(f"max({_held('duration_seconds')})"),
                unit=units.DURATION,
            ),
            figure(
                "Nodes that passed",
                "Of the last validation.",
                now(f"max({_nodes('passed')})"),
            ),
            figure(
                "Nodes that failed",
                "Of the last validation.",
                now(f"max({_nodes('failed')})"),
                levels=levels.NONE_IS_GOOD,
            ),
            figure(
                "Nodes left open",
                "Nodes of which the last validation cannot say: an open check is no pass.",
                now(f"max({_nodes('open')})"),
                levels=levels.NONE_IS_CALM,
            ),
        ),
        (
            listing(
                "What failed",
                "Each verdict that failed in the last days, where no validation has passed since. "
                "`bedplate explain CHECK` says what the check is and what to do.",
                Column(title="", expression=_WHAT_FAILED),
                labels=(
                    ("check", "check"),
                    ("cause", "cause"),
                    ("subject", "instance, link or setting"),
                    ("node", "node"),
                ),
                links={"node": to_node_of_cell()},
                height=7,
            ),
        ),
    ),
)

_HISTORY = Band(
    title="History",
    lines=(
        (
            states(
                "Passed",
                "The outcome that held at each time.",
                over_time(f"min by (environment) ({_held('passed')})", "{{environment}}"),
                words={"0": ("failed", levels.BAD), "1": ("passed", levels.GOOD)},
                width=24,
                height=4,
            ),
        ),
        (
            lines(
                "Bus bandwidth",
                "What each validation measured at the largest size, by collective and number of nodes. A "
                "step down says that something has changed.",
                over_time(
                    f"max by (collective, nodes) ({_held('bus_bandwidth_gbs')})",
                    "{{collective}}, {{nodes}} nodes",
                ),
                unit=units.GB_A_SECOND,
                width=12,
            ),
            lines(
                "Verdicts that are no pass",
                "Of the validation that was last at each time, by outcome; passes would hide them.",
                over_time(f"max by (outcome) ({_NO_PASS})", "{{outcome}}"),
                width=12,
                stacked=True,
            ),
        ),
        (
            lines(
                "Nodes by what was said of them",
                "Passed, failed, or left open.",
                over_time(f"max by (state) ({_held('nodes')})", "{{state}}"),
                width=12,
                stacked=True,
            ),
            lines(
                "Duration",
                "What each validation took.",
                over_time(f"max({_held('duration_seconds')})", "duration"),
                unit=units.SECONDS,
                width=12,
            ),
        ),
    ),
)


def validation() -> Page:
    """Whether the cluster is what was paid for, and since when it is not."""
    return Page(
        uid=VALIDATION,
        title="validation",
        description="Whether the cluster was proven, when, and what has failed.",
        variables=(variables.environment(),),
        bands=(_NOW, _HISTORY),
        since="now-30d",
    )
