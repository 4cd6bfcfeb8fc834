"""systemd takes the units of exporters and agent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bedplate.node.bootstrap.exporters import units
from bedplate.node.bootstrap.exporters.table import read_table
from bedplate.node.bootstrap.places import PYTHON
from bedplate.telemetry.node_table import node_table
from tests.node.metrics.machine import COLLECTION

TABLE = read_table(node_table().decode())
UNITS = {
    **units.collect_units(),
    units.NODE_EXPORTER: units.node_exporter_unit("/bin/true", TABLE),
    units.DCGM_EXPORTER: units.dcgm_exporter_unit("/bin/true", engine=True),
    units.AGENT: units.agent_unit("/bin/true", COLLECTION),
}


@pytest.mark.real("systemd-analyze")
@pytest.mark.parametrize("unit", sorted(UNITS))
def test_systemd_takes_every_line(tmp_path: Path, unit: str) -> None:
    """No key is unknown to it, and no word of a command line is one of its own."""
    for name, text in UNITS.items():
        (tmp_path / name).write_text(text.replace(PYTHON, sys.executable))
    (tmp_path / units.ENGINE).write_text("[Service]\nExecStart=/bin/true\n")
    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / unit)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
    )
    assert (done.returncode, done.stderr) == (0, "")
