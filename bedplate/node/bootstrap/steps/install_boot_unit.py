"""User data runs once; a unit runs the bootstrap at every later boot, before slurmd."""

from __future__ import annotations

from bedplate.node.bootstrap import gate
from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import BOOT_UNIT, PROGRAM, PYTHON, SETTINGS, UNITS
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, always

UNIT = f"""\
[Unit]
Description=Bedplate: set this node up before Slurm starts
Wants=network-online.target
After=network-online.target local-fs.target dlami-nvme.service
Before=slurmd.service
ConditionPathExists={SETTINGS}
[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=1800
ExecStart={PYTHON} {PROGRAM} bootstrap --settings {SETTINGS}
[Install]
WantedBy=multi-user.target
"""


def _run(host: Host, settings: NodeSettings) -> str:
    files = {f"{UNITS}/{BOOT_UNIT}": UNIT}
    if settings.role == "compute":
        files.update(dict.fromkeys(gate.DROP_INS, gate.DROP_IN))
    written = [path for path, text in files.items() if host.write(path, text)]
    link = host.path(f"{UNITS}/multi-user.target.wants/{BOOT_UNIT}")
    if not link.is_symlink():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(f"../{BOOT_UNIT}")
    if written:
        must(host, "systemctl", "daemon-reload")
    return f"wrote {len(written)} files" if written else "was there"


STEP = Step("install_boot_unit", always, _run)
