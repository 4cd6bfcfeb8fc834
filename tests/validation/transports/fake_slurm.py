"""Slurm's clients as scripts of a test's own, and nodes behind them that behave as a test wants."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from bedplate.validation.transports.known_nodes import KnownNode
from bedplate.validation.transports.local import LocalNode, LocalTransport

HEAD = "i-0bbbbbbbbbbbbbbbb"
_PROGRAM = Path(__file__).parent / "behaving_node.py"
_SRUN = """\
import json, os, sys
from pathlib import Path
here, words = Path({here!r}), sys.argv[1:]
options = dict(word[2:].split("=", 1) for word in words if word.startswith("--") and "=" in word)
log = {{"options": options, "words": words, "qos": os.environ.get("SLURM_QOS", ""),
        "partition": os.environ.get("SLURM_PARTITION", "")}}
with (here / "srun.log").open("a") as out:
    out.write(json.dumps(log) + "\\n")
node = json.loads((here / "nodes.json").read_text())[options["nodelist"]]
if node["behave"] == "refused":
    sys.stderr.write("srun: error: Unable to allocate resources: Requested nodes are busy\\n")
    sys.exit(1)
program = words[words.index("python3") + 2:]
os.environ.update(BEHAVE=node["behave"], INSTANCE=node["instance"])
os.execv({python!r}, [{python!r}, {program!r}, *program])
"""
_SCANCEL = 'echo "$@" >> {here}/scancel.log'


def _number(instance_id: str) -> int:
    return int(instance_id.replace("i-", "0x"), 0)


class FakeSlurm:
    """``behave`` and ``states`` by the node's instance id; what nobody names is well, and IDLE."""

    def __init__(self, folder: Path, behave: Mapping[str, str], states: Mapping[str, str]) -> None:
        self.folder = folder
        self._root = folder / "head"
        place = self._root / "var/lib/cloud/data/instance-id"
        place.parent.mkdir(parents=True)
        place.write_text(HEAD)
        nodes = {self.name(one): {"behave": how, "instance": one} for one, how in behave.items()}
        (folder / "nodes.json").write_text(json.dumps(nodes))
        self._write("srun", f"#!{sys.executable}\n" + _SRUN.format(**self._words()))
        self._write("scancel", "#!/bin/sh\n" + _SCANCEL.format(**self._words()))
        self._write("sinfo", "#!/bin/sh\necho slurm 25.05.1")
        self._write("scontrol", f'#!/bin/sh\ncat "{folder}/scontrol.txt"')
        self.tell({one: states.get(one, "IDLE") for one in behave})

    def tell(self, states: Mapping[str, str]) -> None:
        """What scontrol says from now on; a state may have further fields behind it."""
        lines = [
            f"NodeName={self.name(one)} NodeAddr={self.address(one)} NodeHostName={self.name(one)} "
            f"Partitions=gpu Gres=gpu:h200:8 State={state}"
            for one, state in states.items()
        ]
        (self.folder / "scontrol.txt").write_text("".join(f"{line}\n" for line in lines))

    @property
    def head(self) -> LocalTransport:
        """The way to the head: its program is the real one, as a child of this process."""
        environment = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "BEDPLATE_ROOT": str(self._root),
        }
        return LocalTransport({HEAD: LocalNode(environment)}, self.folder / "answers")

    def started(self) -> list[dict]:
        """What srun was started with, job by job."""
        log = self.folder / "srun.log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def cancelled(self) -> list[str]:
        """What scancel was called with."""
        log = self.folder / "scancel.log"
        return log.read_text().splitlines() if log.exists() else []

    @staticmethod
    def name(instance_id: str) -> str:
        """Slurm's name of a node."""
        return f"gpu-{_number(instance_id)}"

    @staticmethod
    def address(instance_id: str) -> str:
        """Its private address."""
        return f"10.0.1.{_number(instance_id)}"

    @classmethod
    def known(cls, instance_ids: list[str]) -> list[KnownNode]:
        """What find_nodes would tell of them."""
        return [KnownNode(one, cls.address(one), 8, ("gpu",)) for one in instance_ids]

    def _words(self) -> dict[str, str]:
        return {"here": str(self.folder), "python": sys.executable, "program": str(_PROGRAM)}

    def _write(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n")
        path.chmod(0o755)
