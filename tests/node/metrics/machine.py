"""SIMULATED: a node's files, and programs that print what a file holds."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.settings import Mount, NodeSettings
from bedplate.node.metrics.collector import Surroundings

BOOT = "0f7d5a2c-1111-4222-8333-abcdefabcdef"
FSX = "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com@tcp:/abcdef12"
COLLECTION = Collection(
    url="https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-1/api/v1/remote_write",
    region="us-west-2",
    cluster="bedplate-prod",
    zone="usw2-az2",
)
SETTINGS = NodeSettings(
    environment="prod",
    pool="train",
    role="compute",
    result_bucket="results",
    gpus=8,
    efa_count=2,
    mounts=(Mount("lustre", FSX, "/fsx", efa=True),),
    instance_type="p5en.48xlarge",
    gate="pair",
    collection=COLLECTION,
)
LOGIN = replace(
    SETTINGS,
    role="login",
    pool="login",
    gpus=0,
    efa_count=0,
    instance_type="",
    collection=replace(COLLECTION, slurm=True),
)
LLITE = """\
llite.abcdef12-ffff9a3c5e0d2000.stats=
snapshot_time             1764541426.123456789 secs.nsecs
start_time                1764540000.000000000 secs.nsecs
elapsed_time              1426.123456789 secs.nsecs
read_bytes                11 samples [bytes] 4096 1048576 5242880 12345678
write_bytes               7 samples [bytes] 1 4096 8192 999
read                      11 samples [usecs] 1 200 900 1000
open                      25 samples [usecs] 10 900 2000 40000
close                     24 samples [usecs] 10 900 2000 40000
statfs                    3 samples [usecs] 1 2 4 8
inode_permission          400 samples [usecs] 0 1 20 20
"""


class Machine:
    """``root`` is the node's tree. Programs on its PATH are scripts."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self._bin = root / "node", root / "bin"
        self._bin.mkdir(parents=True)
        monkeypatch.setenv("BEDPLATE_ROOT", str(self.root))
        monkeypatch.setenv("PATH", f"{self._bin}{os.pathsep}/usr/bin{os.pathsep}/bin")
        self.write("/proc/sys/kernel/random/boot_id", BOOT + "\n")
        self.write("/etc/hostname", "ip-10-0-0-1\n")
        self.write("/proc/mounts", f"{FSX} /fsx lustre rw,flock 0 0\n")
        self.write("/opt/bedplate/settings.json", SETTINGS.to_json())
        for device in ("rdmap80s0", "rdmap81s0"):
            self.efa(device)
        self.write("/sys/class/infiniband/ibp198s0/device/vendor", "0x15b3\n")
        self.program("lctl", f"cat <<'END'\n{LLITE}END")
        self.journal(["2026-11-30T22:00:00+0000 ip kernel: Linux version 6.8.0"])

    def write(self, path: str, text: str) -> Path:
        """A file of the node."""
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def efa(self, device: str, **counters: int) -> None:
        """An EFA device and its counters."""
        folder = f"/sys/class/infiniband/{device}"
        self.write(f"{folder}/device/vendor", "0x1d0f\n")
        for name, value in {"lifespan": 12, "tx_bytes": 5, "rx_bytes": 7, "rx_drops": 0, **counters}.items():
            self.write(f"{folder}/ports/1/hw_counters/{name}", f"{value}\n")

    def program(self, name: str, script: str) -> None:
        """A program on the PATH."""
        path = self._bin / name
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def journal(self, lines: list[str]) -> None:
        """The kernel log of this boot: the cursor is the number of its last line."""
        log = self.root / "journal.json"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(json.dumps(lines))
        self.program(
            "journalctl",
            f"""exec python3 - "$@" <<'END'
import json, sys
lines = json.load(open({str(log)!r}))
words = [word.partition("=") for word in sys.argv[1:]]
after = [value for name, _, value in words if name == "--after-cursor"]
new = lines[int(after[0]) if after else 0:]
print("\\n".join(new) if new else "-- No entries --")
if new:
    print(f"-- cursor: {{len(lines)}}")
END""",
        )

    def around(self, settings: NodeSettings = SETTINGS) -> Surroundings:
        """Of a run on it."""
        return Surroundings(str(self.root), settings, self.root / "var/lib/bedplate/collected")
