"""SIMULATED nodes under a real Slurm whose slurmd calls the node program's own hooks, as on a real node: with
a gate of pairs after each boot, and a gatekeeper on the login node.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

from bedplate.node.bootstrap.places import GATE_MARK, GATEKEEPER_MEMORY, PROGRAM, SETTINGS
from bedplate.node.gate.names import hold_of
from bedplate.node.gate.reservations import Reservation, parse_reservations
from bedplate.sandbox.fleet.fault import make_fault
from bedplate.sandbox.fleet.faults import NO_FAULTS, FaultPlan
from bedplate.slurm.settings import cluster_settings
from bedplate.spec.orchestrator import SlurmPcs
from tests.bench.faults.cluster import LOGIN, Cluster
from tests.support.real_slurm.cluster import RealSlurm
from tests.support.real_slurm.config import PartitionLine
from tests.support.real_slurm.played_nodes import PlayedNodes, address, task_prolog

KIND = "p5en.48xlarge"
PAIR_SECONDS = 60
HOOKS = {"Prolog": "prolog", "HealthCheckProgram": "periodic"}


def hook_settings(folder: Path) -> dict[str, str]:
    """What slurm.conf says of the hooks, which lie in ``folder`` and call the program with their node's own
    environment; before that is written they do nothing, as before a bootstrap. They find two programs alone,
    so that a busy host does not take a node's tools for hanging; a missing one makes no node sick.
    """
    for stage in HOOKS.values():
        script = folder / stage
        script.write_text(
            "#!/bin/sh\n"
            f'own="{folder}/task-environment/$SLURMD_NODENAME"\n'
            '[ -r "$own" ] || exit 0\n'
            '. "$own"\n'
            f'export PATH="{folder}/hook-bin/$SLURMD_NODENAME"\n'
            f'exec {sys.executable} "$BEDPLATE_ROOT{PROGRAM}" health-check --stage {stage}\n'
        )
        script.chmod(0o755)
    return {parameter: str(folder / stage) for parameter, stage in HOOKS.items()}


class GatedNodes:
    """``size`` nodes of p5en in one pool, known to be good: each has passed its gate in this boot."""

    def __init__(
        self, folder: Path, *, size: int, start: Callable[..., RealSlurm], orchestrator: SlurmPcs
    ) -> None:
        self.folder = folder
        self.cluster = Cluster(folder, instance_type=KIND, size=size, address=address)
        self._fleet = folder / "state/fleet"
        ours = cluster_settings(orchestrator, kind=orchestrator.kind)
        settings = {
            **{name: value for name, value in ours.items() if name != "Epilog"},
            **hook_settings(folder),
            "HealthCheckInterval": "3600",
            "TaskProlog": task_prolog(folder),
        }
        self.slurm = start(
            nodes=size, settings=settings, partitions=(PartitionLine("gpu", {"Default": "YES"}),)
        )
        for number in range(size):
            self._ask_for_pairs(number)
            self.open(f"gpu-{number + 1}")
        self.played = PlayedNodes(self.cluster, self.slurm, folder)
        self._take_clients()

    def root(self, name: str) -> Path:
        """The node's own root."""
        number = int(name.rpartition("-")[2]) - 1
        return self._fleet / self.cluster.node_id(number) / "root"

    def open(self, name: str) -> None:
        """Let a node be one that has passed its pair in this boot."""
        mark = self.root(name) / GATE_MARK.lstrip("/")
        mark.parent.mkdir(parents=True, exist_ok=True)
        boot = (self.root(name) / "proc/sys/kernel/random/boot_id").read_text().strip()
        mark.write_text(json.dumps({"boot_id": boot, "how": "pair", "told": "", "at": ""}))

    def mark(self, name: str) -> dict[str, str]:
        """The mark of the node, empty where there is none."""
        path = self.root(name) / GATE_MARK.lstrip("/")
        found: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        return found

    def is_open(self, name: str) -> bool:
        """Whether the node's mark is of its boot."""
        boot = (self.root(name) / "proc/sys/kernel/random/boot_id").read_text().strip()
        return self.mark(name).get("boot_id") == boot

    def reboot(self, *names: str, wait: bool = True) -> None:
        """Each has another boot id and a slurmd that starts anew, as a new or replaced node has too; it holds
        itself then, which is waited for.
        """
        for name in names:
            self.slurm.lose_node(name)
            (self.root(name) / "proc/sys/kernel/random/boot_id").write_text(f"{uuid.uuid4()}\n")
            self.slurm.start_node(name)
        for name in names if wait else ():
            self.slurm.wait_node(name, _is_held, seconds=120)

    def check_health(self, name: str) -> None:
        """As slurmd does from time to time; here when it is asked for: each takes seconds of this host."""
        subprocess.run(
            [self.folder / "periodic"],
            env={"SLURMD_NODENAME": name, "PATH": "/usr/bin:/bin"},
            check=False,
            capture_output=True,
            timeout=120,
        )

    def inject(self, *faults: tuple[str, int]) -> None:
        """The nodes (from 1) carry these faults and no others."""
        made = tuple(make_fault({"cause": kind, "node_index": number - 1}) for kind, number in faults)
        self.cluster.inject(FaultPlan(seed="gate", faults=made) if made else NO_FAULTS)

    def keep(self, *words: str) -> str:
        """One run of the gatekeeper; returns what it says."""
        process = self.start_keeper(*words)
        told, _ = process.communicate(timeout=280)
        assert process.returncode == 0, told
        return told

    def start_keeper(self, *words: str) -> subprocess.Popen[str]:
        """Begin one."""
        environment = dict(self.cluster.fleet._node(LOGIN).environment)
        program = environment["BEDPLATE_ROOT"] + PROGRAM
        return subprocess.Popen(
            [sys.executable, program, "open-gate", "--pair-seconds", str(PAIR_SECONDS), *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def reservations(self, beginning: str = "bedplate-") -> list[Reservation]:
        """Slurm's reservations whose names begin so."""
        shown = parse_reservations(self.slurm.run("scontrol", "show", "reservations", "-o"))
        return [each for each in shown if each.name.startswith(beginning)]

    def drop_hold(self, name: str) -> None:
        """As if the node had not been able to make it."""
        self.slurm.run("scontrol", "delete", f"ReservationName={hold_of(name)}")

    def forget(self) -> None:
        """Nothing is left of earlier tests: every node is open, undrained and well."""
        self.inject()
        self.played.go_on()
        self.slurm.cancel_all()
        (self._fleet / LOGIN / "root" / GATEKEEPER_MEMORY.lstrip("/")).unlink(missing_ok=True)
        for name in self.slurm.nodes:
            self.open(name)
            self.slurm.run("scontrol", "update", f"NodeName={name}", "Comment=")
            if "DRAIN" in self.slurm.node(name)["State"]:
                self.slurm.run("scontrol", "update", f"NodeName={name}", "State=UNDRAIN")
        for each in self.reservations():
            self.slurm.run("scontrol", "delete", f"ReservationName={each.name}")
        self.slurm.wait_idle()

    def close(self) -> None:
        """End what runs."""
        self.cluster.close()

    def _ask_for_pairs(self, number: int) -> None:
        path = self._fleet / self.cluster.node_id(number) / "root" / SETTINGS.lstrip("/")
        data = json.loads(path.read_text())
        path.write_text(json.dumps({**data, "gate": "pair"}))

    def _take_clients(self) -> None:
        """Each node has scontrol too, as beside a real slurmd."""
        for number in range(self.cluster.size):
            own = self._fleet / self.cluster.node_id(number) / "bin"
            self.played._take_clients(own)
            folder = self.folder / "hook-bin" / f"gpu-{number + 1}"
            folder.mkdir(parents=True)
            for program in ("nvidia-smi", "scontrol"):
                (folder / program).symlink_to(own / program)


def _is_held(node: dict[str, str]) -> bool:
    return "RESERVED" in node["State"] and "IDLE" in node["State"]


def kill(process: subprocess.Popen[str]) -> None:
    """As the machine would take it away: no time for anything."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def names_of(reservations: Sequence[Reservation]) -> list[str]:
    """Their names."""
    return [each.name for each in reservations]
