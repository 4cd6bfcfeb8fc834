"""Writes how long each fault takes to be told, as the cases state it and promtool holds it.

``python -m tests.telemetry.promtool.times > docs/reference/alert-times.md``
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from bedplate.sandbox.telemetry.fault_alerts import ALERTS_BY_FAULT, BY_VALIDATION, UNTOLD
from bedplate.telemetry.alert_rules import runbook
from tests.telemetry.promtool.all_cases import CASES
from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import Series
from tests.telemetry.promtool.unit_tests import ALERTS

_HEAD = """# How soon a fault is told

Made by `python -m tests.telemetry.promtool.times` from the cases that promtool tries; do not edit by hand.

Minutes are from the first sample that shows the fault to the alert, with a scrape and an evaluation a
minute and the real waits: a minute before, the alert is silent. To them come up to a minute of the
scrape, up to one of the evaluation where a recorded series is read, and the wait of the alert manager:
90 s for pages of a node, 30 s for others, 5 min for tickets. A series that ends is missed five minutes
later here; a scrape that fails ends it at once. How bad the fault is in each case stands in the first
table: a milder one takes longer.
All inputs are SIMULATED.
"""


def text() -> str:
    """The page."""
    return "\n".join([_HEAD, *_by_alert(), "", *_by_fault(), ""])


def _by_alert() -> Iterator[str]:
    yield "## By alert"
    yield ""
    yield "| Alert | Wakes | What turns | Minutes | What people read |"
    yield "|---|---|---|---|---|"
    first = {(case.alert, case.after_minutes): case for case in reversed(CASES)}
    for case in reversed(first.values()):
        turns = ", ".join(_turn(each) for each in case.faulty if each.before != each.after)
        yield f"| {_link(case.alert)} | {_wakes(case)} | {turns} | {case.after_minutes} | {case.summary} |"


def _by_fault() -> Iterator[str]:
    yield "## By fault of the sandbox"
    yield ""
    yield "| Fault | Alert that tells of it | Wakes | Minutes | May fire beside it | Why none does |"
    yield "|---|---|---|---|---|---|"
    for fault, (first, *others) in ALERTS_BY_FAULT.items():
        cases = [case for case in CASES if case.alert == first]
        minutes = sorted({case.after_minutes for case in cases})
        span = f"{minutes[0]}" if len(minutes) == 1 else f"{minutes[0]} to {minutes[-1]}"
        beside = ", ".join(others)
        yield f"| `{fault}` | {_link(first)} | {_wakes(cases[0])} | {span} | {beside} | |"
    for fault, reason in BY_VALIDATION.items():
        link = _link("ValidationFailed")
        yield f"| `{fault}` | {link}, after the next validation | nobody | | | {reason} |"
    for fault, reason in UNTOLD.items():
        yield f"| `{fault}` | none | nobody | | | {reason} |"


def _link(alert: str) -> str:
    return f"[{alert}](../{runbook(alert).removeprefix('docs/')})"


def _wakes(case: Case) -> str:
    return "somebody" if ALERTS[case.alert].severity == "page" else "nobody"


def _turn(series: Series) -> str:
    told = ("xid", "policy", "state", "clock_event", "job")
    kept = {name: series.labels[name] for name in told if name in series.labels}
    if series.name != "up":
        kept.pop("job", None)
    shown = ",".join(f'{name}="{value}"' for name, value in kept.items())
    name = f"{series.name}{{{shown}}}" if shown else series.name
    return f"`{name}` {_value(series.before)} to {_value(series.after)}"


def _value(value: str) -> str:
    start, plus, step = value.partition("+")
    if value == "_":
        return "none"
    return (f"+{float(step):g} a minute" if float(step) else "no rise") if plus else start


if __name__ == "__main__":
    sys.stdout.write(text())
