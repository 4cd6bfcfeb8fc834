"""Writes a page for each alert, and their index: ``python -m bedplate.telemetry.runbook_pages docs``.

The pages are committed under ``docs/runbooks``; a test holds them against what this module makes.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from bedplate.hardware.xids.catalogue import XIDS
from bedplate.telemetry.alert_rules import runbook
from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.background import BACKGROUND
from bedplate.telemetry.alerts.catalogue import families
from bedplate.telemetry.alerts.order import PAGES_OF_A_NODE
from bedplate.telemetry.alerts.xids import treatment, why_unlike_policy

_MADE = (
    "Made by `python -m bedplate.telemetry.runbook_pages docs` from the alerts' data; do not edit by hand."
)
_WIDTH = 118
_CLASSES = {"GpuXidReplace": "replace", "GpuXidReboot": "reboot", "GpuXidReset": "reset"}


def pages() -> Mapping[str, str]:
    """Text by file name."""
    found = {Path(runbook(each.name)).name: page(each) for each in _alerts()}
    return {"index.md": index(), **found}


def index() -> str:
    """All alerts by family, and what is done with each Xid."""
    lines = ["# Runbooks", "", _MADE, ""]
    lines += [
        _wrapped(
            "A page for each alert: what it means, what to do, and when it fires. How they are grouped and "
            "how to add one is in [Alerts](../alerts.md)."
        ),
        "",
    ]
    for family, alerts in families().items():
        lines += [
            f"## {family.capitalize()}",
            "",
            "| Alert | Wakes | After | What it says |",
            "|---|---|---|---|",
        ]
        lines += [_row(each) for each in alerts]
        lines.append("")
    return "\n".join([*lines, *_xid_table()]) + "\n"


def page(alert: Alert) -> str:
    """The runbook of one alert."""
    parts = [f"# {alert.name}", _MADE, f"**Means.** {alert.meaning}", f"**Do.** {alert.action}"]
    if alert.name in BACKGROUND:
        parts.append(BACKGROUND[alert.name])
    parts.append(_when(alert))
    if alert.name in _CLASSES or alert.name == "GpuXidNoted":
        parts.append(_codes(alert.name))
    parts += [f"```text\n{alert.expression}\n```", _sources(alert), "[All runbooks](index.md)"]
    return (
        "\n\n".join(each if each.startswith(("```", "|", "#")) else _wrapped(each) for each in parts) + "\n"
    )


def _alerts() -> tuple[Alert, ...]:
    return tuple(each for family in families().values() for each in family)


def _row(alert: Alert) -> str:
    wakes = "somebody" if alert.severity == "page" else "nobody"
    link = f"[{alert.name}]({Path(runbook(alert.name)).name})"
    return f"| {link} | {wakes} | {_minutes(alert)} | {alert.meaning.replace('|', '/')} |"


def _minutes(alert: Alert) -> str:
    return f"{alert.hold_for_minutes} min" if alert.hold_for_minutes else "at once"


def _when(alert: Alert) -> str:
    sort = "a page" if alert.severity == "page" else "a ticket"
    after = f"once it has held for {alert.hold_for_minutes} minutes" if alert.hold_for_minutes else "at once"
    text = f"**When.** It is {sort}, sent {after}. Its dashboard is `{alert.dashboard}`."
    if alert.pages_for_node:
        place = PAGES_OF_A_NODE.index(alert.name)
        before = f"It is silent beside {_listed(PAGES_OF_A_NODE[:place])} of the same node. " if place else ""
        return f"{text} {before}Tickets of the node are silent beside it."
    if alert.scope in ("gpu", "node"):
        return f"{text} It is silent beside any page of the same node."
    return text


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _sources(alert: Alert) -> str:
    own = f" Of our own choice, and no more than that: {alert.own_choice}." if alert.own_choice else ""
    return f"**Source.** {alert.source}.{own}"


def _codes(name: str) -> str:
    lines = ["| Xid | NVIDIA's name | Meaning | Note |", "|---|---|---|---|"]
    for code, entry in XIDS.items():
        paged = treatment(code) == "page" and _CLASSES.get(name) == entry.policy
        if paged or (name == "GpuXidNoted" and treatment(code) == "ticket"):
            lines.append(f"| {code} | `{entry.name}` | {entry.meaning} | {entry.note} |")
    return "\n".join(lines)


def _xid_table() -> list[str]:
    lines = ["## What an Xid does", ""]
    lines += [
        _wrapped(
            "An environment may say otherwise by `validation.xid_policies`. `recorded` ones are in the "
            "series `bedplate:job_xids`, for who looks at the job."
        ),
        "",
        "| Xid | Meaning | Policy | Here | Why |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {code} | {entry.meaning} | {entry.policy} | {treatment(code)} | {why_unlike_policy(code)} |"
        for code, entry in XIDS.items()
    ]
    return lines


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False))


def main(docs: Path) -> None:
    """Write all pages, and remove those of alerts that are gone."""
    folder = docs / "runbooks"
    folder.mkdir(exist_ok=True)
    made = pages()
    for old in folder.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
