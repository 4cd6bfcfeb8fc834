"""A timer by which a node follows the lists of users and teams, where Systems Manager cannot have it do so.

State Manager reaches the nodes of AWS PCS and ParallelCluster; it does not reach HyperPod's.
"""

from __future__ import annotations

from typing import List

from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import PROGRAM, PYTHON, UNITS
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step

SERVICE, TIMER = "bedplate-lists.service", "bedplate-lists.timer"


def service(settings: NodeSettings) -> str:
    """The unit that looks at the lists once; one that fails leaves users and accounts as they are."""
    commands: List[str] = []
    if settings.users_key:
        commands.append("make-users")
    if settings.accounts_key:
        commands.append("set-accounts --listed")
    # A list that cannot be followed must not keep the node from following the other: "-".
    lines = "".join(f"ExecStart=-{PYTHON} {PROGRAM} {command}\n" for command in commands)
    return f"""\
[Unit]
Description=Bedplate: give the node the users and teams of the lists as they are now
[Service]
Type=oneshot
TimeoutStartSec=600
{lines}"""


def timer(settings: NodeSettings) -> str:
    """When it looks: nodes that booted together look apart, for each asks S3 and the file system."""
    return f"""\
[Unit]
Description=Bedplate: look at the lists of users and teams
[Timer]
OnBootSec=2min
OnUnitActiveSec={settings.list_minutes}min
RandomizedDelaySec=60
Unit={SERVICE}
[Install]
WantedBy=timers.target
"""


def _why_not(settings: NodeSettings) -> str:
    if not settings.list_minutes:
        return "Systems Manager has the node look at the lists"
    return "" if settings.users_key or settings.accounts_key else "there is no list to follow"


def _run(host: Host, settings: NodeSettings) -> str:
    files = ((f"{UNITS}/{SERVICE}", service(settings)), (f"{UNITS}/{TIMER}", timer(settings)))
    changed = [path for path, text in files if host.write(path, text)]
    if changed:
        must(host, "systemctl", "daemon-reload")
    must(host, "systemctl", "enable", "--now", TIMER)
    return f"wrote {len(changed)} files" if changed else "was there"


STEP = Step("follow_lists", _why_not, _run, needs=("install_program",))
