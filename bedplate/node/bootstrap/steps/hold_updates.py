"""No update by itself: it restarts slurmd under running jobs, or parts the driver from the fabric manager.

Seen: awslabs/awsome-distributed-ai #1165 (needrestart restarted slurmd in an unattended upgrade and jobs
died), aws/aws-parallelcluster #3034 (fabric manager and driver no longer matched).
"""

from __future__ import annotations

from typing import List

from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.readers.pairs import read_pairs
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, StepFailedError, always

UNITS = (
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "unattended-upgrades.service",
    "dnf-automatic.timer",
    "dnf-automatic-install.timer",
)
APT = "/etc/apt/apt.conf.d/99-bedplate"
APT_TEXT = """\
APT::Periodic::Update-Package-Lists "0";
APT::Periodic::Unattended-Upgrade "0";
"""
NEEDRESTART = "/etc/needrestart/conf.d/90-bedplate.conf"
NEEDRESTART_TEXT = """\
# List what would be restarted; restart nothing, and slurmd least of all.
$nrconf{restart} = 'l';
$nrconf{override_rc}{qr(^slurmd)} = 0;
"""


def _run(host: Host, _settings: NodeSettings) -> str:
    if host.path("/etc/apt/apt.conf.d").is_dir():
        host.write(APT, APT_TEXT)
    if host.path("/etc/needrestart").is_dir():
        host.write(NEEDRESTART, NEEDRESTART_TEXT)
    loose = _loose(host)
    if loose:
        must(host, "systemctl", "mask", "--now", *loose, seconds=120)
        still = _loose(host)
        if still:
            raise StepFailedError(f"{', '.join(still)} cannot be masked: it would update this node by itself")
    return f"masked {', '.join(loose)}" if loose else "nothing updates this node by itself"


def _loose(host: Host) -> List[str]:
    """The units that are there and not masked."""
    ran = must(host, "systemctl", "show", *UNITS, "--property=Id,LoadState")
    blocks = [read_pairs(block) for block in ran.stdout.split("\n\n")]
    return [block["Id"] for block in blocks if block.get("LoadState") == "loaded" and "Id" in block]


STEP = Step("hold_updates", always, _run)
