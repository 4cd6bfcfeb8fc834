"""promtool's files of unit tests, made of cases; and its run."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from bedplate.telemetry.alert_rules import rule_file
from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.catalogue import alerts
from tests.telemetry.promql import labels_of, metrics_of
from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import FAULT_AT, PLACE

ALERTS: dict[str, Alert] = {each.name: each for each in alerts()}
_GROUPS: list[dict[str, Any]] = yaml.safe_load(rule_file(environment="demo"))["groups"]


OTHER_PAGE = "GpuXidReplace"
"""Of the pages that another alert waits for, the one that the cases try."""


def _name(rule: dict[str, Any]) -> str:
    return str(rule.get("alert") or rule["record"])


_BY_NAME = {_name(rule): rule for group in _GROUPS for rule in group["rules"]}


def fires(case: Case) -> dict[str, Any]:
    """It fires at its minute and not before, with its labels and its words."""
    at = FAULT_AT + case.after_minutes
    return _test(
        f"{case.alert} fires after {case.after_minutes} minutes",
        [each.input() for each in case.faulty],
        [_expect(case.alert, at - 1, ()), _expect(case.alert, at, (expected(case),))],
    )


def stays_silent(case: Case) -> list[dict[str, Any]]:
    """Without the fault, with a fault that is short, and under inputs that are alike."""
    tests = [_silent(case, "without the fault", [each.input(turns=False) for each in case.faulty])]
    if case.blip is not None:
        blip = [each.input(ends_after=case.blip) for each in case.faulty]
        tests.append(_silent(case, f"a fault of {case.blip} minutes", blip))
    tests += [_silent(case, what, [each.input() for each in series]) for what, series in case.silent.items()]
    return tests


def expected(case: Case) -> dict[str, Any]:
    """Labels and annotations of the alert as it is sent."""
    alert, rule = ALERTS[case.alert], _BY_NAME[case.alert]
    kept = labels_of(alert.expression)
    labels = {name: value for name, value in PLACE.items() if name in kept}
    check = case.labels.get("check", "")
    annotations = {
        name: text.replace("{{ $labels.check }}", check) for name, text in rule["annotations"].items()
    }
    return {
        "exp_labels": {**labels, **case.labels, **rule["labels"]},
        "exp_annotations": {**annotations, "summary": case.summary},
    }


def rules_for(names: Iterable[str]) -> str:
    """A rule file of these alerts alone, and of what they read: all would take minutes."""
    wanted, todo = set(names), list(names)
    while todo:
        read = metrics_of(str(_BY_NAME[todo.pop()]["expr"]))
        more = {each for each in read if each.startswith("bedplate:")} - wanted
        more |= ({OTHER_PAGE} - wanted) if "ALERTS" in read else set()
        wanted |= more
        todo += more
    groups = [
        {**group, "rules": [rule for rule in group["rules"] if _name(rule) in wanted]} for group in _GROUPS
    ]
    return yaml.safe_dump({"groups": [group for group in groups if group["rules"]]}, width=10_000)


def run(folder: Path, tests: Sequence[dict[str, Any]], *, rules: str) -> tuple[int, str]:
    """promtool's exit status, and what it says."""
    (folder / "rules.yml").write_text(rules)
    # Else promtool takes groups in any order, and recorded series are late by a minute in some runs.
    order = [group["name"] for group in yaml.safe_load(rules)["groups"]]
    document = {
        "rule_files": ["rules.yml"],
        "evaluation_interval": "1m",
        "group_eval_order": order,
        "tests": list(tests),
    }
    (folder / "tests.yml").write_text(yaml.safe_dump(document, sort_keys=False, width=10_000))
    promtool = shutil.which("promtool") or "promtool"
    done = subprocess.run(
        [promtool, "test", "rules", "tests.yml"], cwd=folder, capture_output=True, text=True, timeout=1000
    )
    return done.returncode, done.stdout + done.stderr


def _silent(case: Case, what: str, inputs: list[dict[str, str]]) -> dict[str, Any]:
    # Once in a while up to the end: whatever fires for longer than that is seen.
    last = FAULT_AT + case.after_minutes + 60
    minutes = sorted({*range(0, last, 5), *range(FAULT_AT, last - 30)})
    title = f"{case.alert} is silent: {what}"
    return _test(title, inputs, [_expect(case.alert, at, ()) for at in minutes])


def _test(name: str, inputs: list[dict[str, str]], expectations: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": name, "interval": "1m", "input_series": inputs, "alert_rule_test": expectations}


def _expect(alert: str, minute: int, firing: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    return {"eval_time": f"{minute}m", "alertname": alert, "exp_alerts": list(firing)}
