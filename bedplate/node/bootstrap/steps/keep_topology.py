"""On the node that runs slurmctld: topology.conf is there before slurmctld is, and a timer keeps it right.

slurmctld with a tree of switches ends where the file is missing, and starts with an empty one (seen on 22.05:
``tests/slurm/real/test_topology.py``). What fills it asks slurmctld for its nodes, so it can only come later.
"""

from __future__ import annotations

import shlex

from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import PROGRAM, PYTHON, UNITS
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step

FILE = "/opt/slurm/etc/topology.conf"
"""Beside slurm.conf, where ParallelCluster has it: shared from the head node."""
SERVICE, TIMER = "bedplate-topology.service", "bedplate-topology.timer"
_TIMER = f"""\
[Unit]
Description=Bedplate: look again where EC2 says the nodes stand
[Timer]
OnBootSec=2min
OnUnitActiveSec=10min
Unit={SERVICE}
[Install]
WantedBy=timers.target
"""


def service(settings: NodeSettings) -> str:
    """The unit that writes the file once; one that fails leaves it as it is, and is tried again."""
    words = ("--file", FILE, "--region", settings.region, "--filter", settings.cluster_filter)
    return f"""\
[Unit]
Description=Bedplate: write Slurm's topology.conf from where EC2 says the nodes stand
[Service]
Type=oneshot
TimeoutStartSec=300
ExecStart={PYTHON} {PROGRAM} set-topology {" ".join(shlex.quote(word) for word in words)}
"""


def _why_not(settings: NodeSettings) -> str:
    return "" if settings.cluster_filter else "Slurm's topology is not kept on this node"


def _run(host: Host, settings: NodeSettings) -> str:
    if host.read(FILE) is None:
        host.write(FILE, "")
    changed = [
        path
        for path, text in (
            (f"{UNITS}/{SERVICE}", service(settings)),
            (f"{UNITS}/{TIMER}", _TIMER),
        )
        if host.write(path, text)
    ]
    if changed:
        must(host, "systemctl", "daemon-reload")
    must(host, "systemctl", "enable", "--now", TIMER)
    return f"wrote {len(changed)} files" if changed else "was there"


STEP = Step("keep_topology", _why_not, _run, needs=("install_program",))
