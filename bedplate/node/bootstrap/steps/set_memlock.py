"""Unlimited locked memory, for EFA registers what it sends: for logins by limits.d, for jobs by slurmd's
unit.

Jobs get slurmd's limit where the cluster does not hand on the user's (slurm.conf
``PropagateResourceLimits``).
"""

from __future__ import annotations

from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import BOOT_UNIT, UNITS
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, always

LIMITS = "/etc/security/limits.d/90-bedplate-memlock.conf"
LIMITS_TEXT = """\
* soft memlock unlimited
* hard memlock unlimited
root soft memlock unlimited
root hard memlock unlimited
"""
DROP_INS = (
    f"{UNITS}/slurmd.service.d/20-bedplate-memlock.conf",
    f"{UNITS}/slurmd-.service.d/20-bedplate-memlock.conf",
)
DROP_IN = """\
[Service]
LimitMEMLOCK=infinity
"""


def _run(host: Host, settings: NodeSettings) -> str:
    host.write(LIMITS, LIMITS_TEXT)
    if settings.role != "compute":
        return "for logins"
    changed = [host.write(path, DROP_IN) for path in DROP_INS]
    # At a first boot the unit is written next, and systemd reads both.
    if any(changed) and host.path(f"{UNITS}/{BOOT_UNIT}").exists():
        must(host, "systemctl", "daemon-reload")
    return "for logins and slurmd"


STEP = Step("set_memlock", always, _run)
