"""SIMULATED: one node's root and the programs that the prolog's part for IMEX calls, as small scripts that do
what files beside them say.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.diagnosis.gpu_texts import imex

OWN, PEER = "10.0.1.5", "10.0.1.6"
CONFIG = "# a comment\nLOG_LEVEL=4\nSERVER_PORT=50000\nIMEX_CMD_ENABLED=0\nIMEX_CONN_WAIT_TIMEOUT=70\n"
JOB = {
    "SLURM_JOB_ID": "77",
    "SLURM_JOB_NODELIST": "gpu-[1-2]",
    "SLURM_JOB_OVERSUBSCRIBE": "NO",
    "SLURMD_NODENAME": "gpu-1",
}

_SYSTEMCTL = """#!/bin/sh
echo "$*" >> "{folder}/asked"
if [ -e "{folder}/hangs-$1" ]; then exec /bin/sleep 60; fi
case "$1" in
show) printf 'LoadState=loaded\\nUnitFileState=%s\\nActiveState=%s\\n' \\
    "$(cat "{folder}/file-state")" "$(cat "{folder}/active-state")" ;;
stop | kill) [ -e "{folder}/never-stops" ] || echo inactive > "{folder}/active-state" ;;
start)
  if [ -e "{folder}/start-fails" ]; then echo "Job for nvidia-imex.service failed." >&2; exit 1; fi
  cp "{root}/etc/nvidia-imex/nodes_config.cfg" "{folder}/started-with"
  echo active > "{folder}/active-state" ;;
esac
"""
_SCONTROL = """#!/bin/sh
if [ -e "{folder}/hangs-scontrol" ]; then exec /bin/sleep 60; fi
case "$1 $2" in
"show node") cat "{folder}/nodes" ;;
"show job") cat "{folder}/job" ;;
"update "*) echo "$*" >> "{folder}/updates" ;;
esac
"""
_CONTROL = """#!/bin/sh
if [ "$1" = -q ]; then cat "{folder}/own-state"; exit; fi
if [ -e "{folder}/hangs-control" ]; then exec /bin/sleep 60; fi
cat "{folder}/domain"
"""


class Stage:
    """A healthy node of a job of two, until it is told otherwise."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.root = folder / "told", folder / "root"
        (folder / "bin").mkdir()
        self.folder.mkdir()
        for place, text in (
            ("etc/nvidia-imex/config.cfg", CONFIG),
            ("dev/nvidia-caps-imex-channels/channel0", ""),
        ):
            self.at(place).parent.mkdir(parents=True)
            self.at(place).write_text(text)
        for name, text in (("systemctl", _SYSTEMCTL), ("scontrol", _SCONTROL), ("nvidia-imex-ctl", _CONTROL)):
            program = folder / "bin" / name
            program.write_text(text.format(folder=self.folder, root=self.root))
            program.chmod(0o755)
        self.tell("file-state", "enabled")
        self.tell("active-state", "active")
        self.tell("own-state", "READY")
        self.tell("nodes", self.nodes_shown({"gpu-2": PEER, "gpu-1": OWN}))
        self.tell("domain", imex(nodes={OWN: "READY", PEER: "READY"}))
        monkeypatch.setenv("BEDPLATE_ROOT", str(self.root))
        monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")

    def at(self, place: str) -> Path:
        """A place below the node's root."""
        return self.root / place

    def tell(self, name: str, text: str = "") -> None:
        """What a script prints, or that it does something."""
        (self.folder / name).write_text(text + "\n")

    def told(self, name: str) -> list[str]:
        """What a script wrote down; nothing where it did not."""
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []

    @property
    def asked(self) -> list[str]:
        """What systemctl was asked to do, without the questions."""
        return [line for line in self.told("asked") if not line.startswith("show")]

    @property
    def peers(self) -> list[str]:
        """What IMEX would read at its next start."""
        return self.at("etc/nvidia-imex/nodes_config.cfg").read_text().split()

    @property
    def marked(self) -> object:
        """The job that the domain is for; None where there is none."""
        path = self.at("run/bedplate/imex.json")
        return json.loads(path.read_text())["job"] if path.exists() else None

    @staticmethod
    def nodes_shown(addresses: dict[str, str]) -> str:
        """``scontrol show node -o``."""
        return "\n".join(
            f"NodeName={name} NodeAddr={address} NodeHostName={name} State=ALLOCATED+CLOUD"
            for name, address in addresses.items()
        )
