"""The scripts that slurmd calls before and after jobs and from time to time.

slurm.conf names them (``bedplate.slurm.our_settings``), and slurmd drains a node that lacks its prolog at the
first job (seen on 22.05, also where slurm.conf has a pattern that nothing matches). The gate keeps slurmd
from starting before they are there.
"""

from __future__ import annotations

from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import HOOKS, PROGRAM, PYTHON
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step

SCRIPT = """\
#!/bin/sh
# Written by Bedplate. It asks little, within half a minute, and drains this node where it is sick.
exec {python} "${{BEDPLATE_ROOT:-}}{program}" health-check --stage {stage}
"""


def _why_not(settings: NodeSettings) -> str:
    if settings.role != "compute":
        return "jobs run on compute nodes only"
    return "" if settings.instance_type else "the settings name no instance type"


def _run(host: Host, _settings: NodeSettings) -> str:
    written = [
        path
        for stage, path in HOOKS.items()
        if host.write(path, SCRIPT.format(python=PYTHON, program=PROGRAM, stage=stage), mode=0o755)
    ]
    return f"wrote {len(written)} hooks" if written else "was there"


STEP = Step("install_hooks", _why_not, _run, needs=("install_program",))
