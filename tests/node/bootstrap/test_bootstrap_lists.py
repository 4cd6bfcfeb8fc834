"""A node that Systems Manager does not reach follows the lists of users and teams by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import StepFailedError
from bedplate.node.bootstrap.steps import follow_lists
from tests.node.bootstrap.hosts import Machine

NODE = NodeSettings(
    environment="prod",
    pool="h200",
    role="compute",
    result_bucket="results",
    users_key="users/prod.json",
    list_minutes=10,
)
UNITS = "etc/systemd/system"


def _service(root: Path) -> list[str]:
    text = (root / UNITS / follow_lists.SERVICE).read_text()
    return [line.split(".pyz ")[1] for line in text.splitlines() if line.startswith("ExecStart=-")]


def test_a_timer_looks_at_the_list_of_users(tmp_path: Path) -> None:
    """Every ten minutes, not all nodes at the same moment, and it is started."""
    machine = Machine(tmp_path)
    assert follow_lists.STEP.run(machine.host, NODE) == "wrote 2 files"
    assert _service(tmp_path) == ["make-users"]
    timer = (tmp_path / UNITS / follow_lists.TIMER).read_text()
    assert "OnUnitActiveSec=10min" in timer
    assert "RandomizedDelaySec=60" in timer
    assert machine.runner.calls == [
        "systemctl daemon-reload",
        f"systemctl enable --now {follow_lists.TIMER}",
    ]
    assert follow_lists.STEP.run(machine.host, NODE) == "was there"


def test_the_controller_keeps_the_accounts_after_the_users(tmp_path: Path) -> None:
    """An account's members are users; either is tried though the other failed."""
    settings = replace(NODE, role="login", accounts_key="teams/prod.json")
    follow_lists.STEP.run(Machine(tmp_path).host, settings)
    assert _service(tmp_path) == ["make-users", "set-accounts --listed"]


def test_a_timer_that_systemd_does_not_take_fails(tmp_path: Path) -> None:
    """Who leaves would keep an account on the node, and nobody hear of it."""
    machine = Machine(tmp_path, {"systemctl enable": (1, "Unit is masked")})
    with pytest.raises(StepFailedError, match="Unit is masked"):
        follow_lists.STEP.run(machine.host, NODE)


def test_other_nodes_follow_none() -> None:
    """Where Systems Manager has them look, or there is nothing to look at."""
    assert "Systems Manager" in follow_lists.STEP.why_not(replace(NODE, list_minutes=0))
    assert follow_lists.STEP.why_not(replace(NODE, users_key="")) == "there is no list to follow"
    assert follow_lists.STEP.why_not(NODE) == ""
