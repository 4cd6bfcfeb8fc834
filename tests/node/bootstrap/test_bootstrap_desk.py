"""The node that has a desk keeps a service that serves it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import StepFailedError
from bedplate.node.bootstrap.steps import keep_desk
from tests.node.bootstrap.hosts import Machine

HEAD = NodeSettings(
    environment="prod",
    pool="controller",
    role="login",
    result_bucket="results",
    desk=True,
    region="us-west-2",
)
UNIT = f"etc/systemd/system/{keep_desk.SERVICE}"


def test_the_service_serves_the_result_bucket_and_comes_back_whenever_it_ends(tmp_path: Path) -> None:
    """Enabled for later boots, started now; SIGTERM goes to the desk alone, which ends its programs."""
    machine = Machine(tmp_path)
    assert keep_desk.STEP.run(machine.host, HEAD) == "wrote its unit"
    unit = (tmp_path / UNIT).read_text()
    assert "ExecStart=/usr/bin/python3 /opt/bedplate/bedplate-node.pyz desk --bucket results\n" in unit
    assert "Environment=AWS_DEFAULT_REGION=us-west-2\n" in unit
    assert {"Restart=always", "StartLimitIntervalSec=0", "KillMode=mixed"} <= set(unit.splitlines())
    assert machine.runner.calls == [
        "systemctl daemon-reload",
        f"systemctl enable {keep_desk.SERVICE}",
        f"systemctl restart {keep_desk.SERVICE}",
    ]


def test_a_later_boot_cuts_nothing_off(tmp_path: Path) -> None:
    """The unit is as it was: a desk that serves goes on, one that does not is started."""
    machine = Machine(tmp_path)
    keep_desk.STEP.run(machine.host, HEAD)
    machine.runner.calls.clear()
    assert keep_desk.STEP.run(machine.host, HEAD) == "was there"
    assert machine.runner.calls == [f"systemctl enable --now {keep_desk.SERVICE}"]


def test_without_a_region_the_command_line_finds_its_own(tmp_path: Path) -> None:
    """An empty one would be none at all."""
    keep_desk.STEP.run(Machine(tmp_path).host, replace(HEAD, region=""))
    assert "AWS_DEFAULT_REGION" not in (tmp_path / UNIT).read_text()


def test_a_service_that_systemd_does_not_take_fails(tmp_path: Path) -> None:
    """Nobody could ask anything."""
    machine = Machine(tmp_path, {"systemctl restart": (1, "Unit is masked")})
    with pytest.raises(StepFailedError, match="Unit is masked"):
        keep_desk.STEP.run(machine.host, HEAD)


def test_other_nodes_have_none_and_it_needs_the_program() -> None:
    """Compute nodes never, and no node that commands can be sent to."""
    assert keep_desk.STEP.why_not(replace(HEAD, desk=False))
    assert not keep_desk.STEP.why_not(HEAD)
    assert keep_desk.STEP.needs == ("install_program",)
