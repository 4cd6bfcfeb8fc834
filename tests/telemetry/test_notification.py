"""What people read: the message and its subject, rendered by Alertmanager's own templates."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bedplate.telemetry.notification import message, subject

_LABELS = {"alertname": "GpuMissing", "severity": "page", "node": "train-1"}
_ALERT = {
    "status": "firing",
    "labels": _LABELS,
    "annotations": {
        "summary": "train-1 (i-0a1) lacks 1 of its GPUs.",
        "action": "Drain the node.",
        "meaning": "One fell off the bus.",
        "runbook": "docs/runbooks/gpumissing.md",
        "dashboard": "bedplate-node",
    },
    "startsAt": "2026-11-30T22:01:00Z",
    "endsAt": "0001-01-01T00:00:00Z",
}


def _rendered(folder: Path, text: str, *, common: dict[str, str], **changes: Any) -> str:
    status = changes.get("status", "firing")
    data = {
        "receiver": "people",
        "status": status,
        "alerts": [{**_ALERT, **changes}],
        "groupLabels": {"node": "train-1"},
        "commonLabels": common,
        "commonAnnotations": {},
        "externalURL": "",
    }
    file = folder / "data.json"
    file.write_text(json.dumps(data))
    (folder / "none.tmpl").write_text('{{ define "none" }}{{ end }}')
    command = [shutil.which("amtool") or "amtool", "template", "render", f"--template.data={file}"]
    command += [f"--template.glob={folder / 'none.tmpl'}", f"--template.text={text}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.real("amtool")
def test_a_page_says_where_what_and_what_to_do(tmp_path: Path) -> None:
    """In this order, each on a line of its own."""
    text = _rendered(tmp_path, message(), common=_LABELS)
    assert text.strip().splitlines() == [
        "train-1 (i-0a1) lacks 1 of its GPUs.",
        "  Do: Drain the node.",
        "  Means: One fell off the bus.",
        "  Runbook: docs/runbooks/gpumissing.md",
        "  Dashboard: bedplate-node",
        "  Since: 2026-11-30 22:01 UTC",
    ]


@pytest.mark.real("amtool")
def test_what_is_over_is_one_line(tmp_path: Path) -> None:
    """Nothing is to be done any more."""
    text = _rendered(tmp_path, message(), common=_LABELS, status="resolved", endsAt="2026-11-30T22:30:00Z")
    assert text.strip() == "Over: train-1 (i-0a1) lacks 1 of its GPUs."


@pytest.mark.real("amtool")
def test_the_subject_names_severity_alert_and_node(tmp_path: Path) -> None:
    """SNS takes 100 characters of ASCII in one line."""
    line = _rendered(tmp_path, subject("demo"), common=_LABELS).strip()
    assert line == "[demo] page: GpuMissing on train-1"
    over = _rendered(tmp_path, subject("demo"), common=_LABELS, status="resolved").strip()
    assert over == "[demo] over: page: GpuMissing on train-1"
    several = _rendered(tmp_path, subject("demo"), common={"severity": "page", "node": "train-1"}).strip()
    assert several == "[demo] page: several alerts on train-1"
    assert all(len(each) < 100 and each.isascii() for each in (line, over, several))
