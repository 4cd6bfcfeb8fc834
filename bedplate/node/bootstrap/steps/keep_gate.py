"""On the nodes that have Slurm's clients and take no jobs: a timer that lets compute nodes in at the gate."""

from __future__ import annotations

import shlex

from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import PROGRAM, PYTHON, UNITS
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step

SERVICE, TIMER = "bedplate-open-gate.service", "bedplate-open-gate.timer"
TIMER_TEXT = f"""\
[Unit]
Description=Bedplate: look every minute who waits at the gate
[Timer]
OnBootSec=1min
OnUnitInactiveSec=1min
AccuracySec=5s
Unit={SERVICE}
[Install]
WantedBy=timers.target
"""


def service(settings: NodeSettings) -> str:
    """The unit of one look. It begins no round of pairs after 25 minutes; the last has its ten."""
    words = ("--slurm", settings.slurm_version) if settings.slurm_version else ()
    return f"""\
[Unit]
Description=Bedplate: let nodes in that have booted, after a pair with another one
[Service]
Type=oneshot
TimeoutStartSec=2700
ExecStart={PYTHON} {PROGRAM} open-gate {" ".join(shlex.quote(word) for word in words)}
"""


def _why_not(settings: NodeSettings) -> str:
    if settings.role != "login":
        return "other nodes see to the gate"
    return "" if settings.gate == "pair" else "the settings ask for no pair at the gate"


def _run(host: Host, settings: NodeSettings) -> str:
    changed = [
        path
        for path, text in (
            (f"{UNITS}/{SERVICE}", service(settings)),
            (f"{UNITS}/{TIMER}", TIMER_TEXT),
        )
        if host.write(path, text)
    ]
    if changed:
        must(host, "systemctl", "daemon-reload")
    must(host, "systemctl", "enable", "--now", TIMER)
    return f"wrote {len(changed)} files" if changed else "was there"


STEP = Step("keep_gate", _why_not, _run, needs=("install_program",))
