"""On a node that no command can be sent to: a service that looks for questions in the result bucket."""

from __future__ import annotations

import shlex

from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import PROGRAM, PYTHON, UNITS
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step

SERVICE = "bedplate-desk.service"


def service(settings: NodeSettings) -> str:
    """The unit. ``mixed``: SIGTERM for the desk alone, which ends its programs by itself, jobs in Slurm too;
    what is left after it gets SIGKILL.
    """
    region = f"Environment=AWS_DEFAULT_REGION={settings.region}\n" if settings.region else ""
    return f"""\
[Unit]
Description=Bedplate: answer questions that lie in the result bucket
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0
[Service]
{region}ExecStart={PYTHON} {PROGRAM} desk --bucket {shlex.quote(settings.result_bucket)}
Restart=always
RestartSec=10
KillMode=mixed
TimeoutStopSec=120
[Install]
WantedBy=multi-user.target
"""


def _why_not(settings: NodeSettings) -> str:
    return "" if settings.desk else "commands can be sent to this node, or another one is asked in its place"


def _run(host: Host, settings: NodeSettings) -> str:
    changed = host.write(f"{UNITS}/{SERVICE}", service(settings))
    if not changed:
        must(host, "systemctl", "enable", "--now", SERVICE)
        return "was there"
    must(host, "systemctl", "daemon-reload")
    must(host, "systemctl", "enable", SERVICE)
    # One that runs already goes on by the old unit; what a restart cuts off is told.
    must(host, "systemctl", "restart", SERVICE)
    return "wrote its unit"


STEP = Step("keep_desk", _why_not, _run, needs=("install_program",))
