"""The nodes that have Slurm's clients see to the gate of the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.bootstrap.settings import NodeSettings, SettingsRefusedError
from bedplate.node.bootstrap.step import StepFailedError
from bedplate.node.bootstrap.steps import keep_gate
from tests.node.bootstrap.hosts import Machine

LOGIN = NodeSettings(
    environment="prod",
    pool="login",
    role="login",
    result_bucket="results",
    gate="pair",
    slurm_version="25.11",
)
UNITS = "etc/systemd/system"


def test_a_timer_looks_every_minute_who_waits(tmp_path: Path) -> None:
    """With the clients of the cluster's version; a later boot writes nothing again."""
    machine = Machine(tmp_path)
    assert keep_gate.STEP.run(machine.host, LOGIN) == "wrote 2 files"
    service = (tmp_path / UNITS / keep_gate.SERVICE).read_text()
    assert "ExecStart=/usr/bin/python3 /opt/bedplate/bedplate-node.pyz open-gate --slurm 25.11\n" in service
    assert "OnUnitInactiveSec=1min" in (tmp_path / UNITS / keep_gate.TIMER).read_text()
    assert machine.runner.calls == [
        "systemctl daemon-reload",
        f"systemctl enable --now {keep_gate.TIMER}",
    ]
    assert keep_gate.STEP.run(machine.host, LOGIN) == "was there"


def test_a_timer_that_systemd_does_not_take_fails(tmp_path: Path) -> None:
    """No node would ever be let in, and nobody would know why."""
    machine = Machine(tmp_path, {"systemctl enable": (1, "Unit is masked")})
    with pytest.raises(StepFailedError, match="Unit is masked"):
        keep_gate.STEP.run(machine.host, LOGIN)


def test_other_nodes_see_to_no_gate() -> None:
    """Compute nodes have one to pass; and where no pairs are asked for there is none."""
    assert keep_gate.STEP.why_not(replace(LOGIN, role="compute"))
    assert keep_gate.STEP.why_not(replace(LOGIN, gate="node"))
    assert not keep_gate.STEP.why_not(LOGIN)


def test_another_word_for_the_gate_is_refused() -> None:
    """A typing error must not open it."""
    with pytest.raises(SettingsRefusedError, match="gate is 'pairs'; allowed: node, pair"):
        replace(LOGIN, gate="pairs")
