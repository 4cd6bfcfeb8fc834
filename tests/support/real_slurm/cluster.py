"""``RealSlurm``: a whole cluster on this host for as long as a ``with`` block lasts."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.real_slurm.accounting import start_accounting
from tests.support.real_slurm.client import Client, SlurmRefusedError
from tests.support.real_slurm.config import PartitionLine, free_ports, gres_conf, node_names, slurm_conf
from tests.support.real_slurm.log import unexpected
from tests.support.real_slurm.processes import Processes

READY_SECONDS = 120.0
_FOLDERS = ("etc", "run", "log", "state", "out", "spool")


class RealSlurm(Client):
    """munged, slurmctld and ``nodes`` slurmd with eight faked GPUs each; all of it lies in ``folder``.

    ``settings`` go before the base's. ``topology`` is the text of topology.conf. ``folder`` has a short path
    (sockets lie in it), and who submits as another user must be able to read it. Ended by ``with``, also
    where it did not start.
    """

    def __init__(
        self,
        *,
        folder: Path,
        nodes: int = 8,
        settings: Mapping[str, str] | None = None,
        topology: str | None = None,
        accounting: bool = False,
        partitions: Sequence[PartitionLine] = (PartitionLine("train", {"Default": "YES"}),),
        cred_expire_seconds: int = 20,
    ) -> None:
        self.folder = folder
        self.nodes = node_names(nodes)
        self.conf = folder / "etc/slurm.conf"
        environment = {
            "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin",
            "SLURM_CONF": str(self.conf),
            "LC_ALL": "C.UTF-8",
            # slurmdbd has no parameter for the database's socket; its library looks here.
            "MYSQL_UNIX_PORT": str(folder / "run/mariadb.sock"),
        }
        super().__init__(environment=environment, folder=folder)
        self._ports = free_ports(nodes)
        self._topology = topology
        self._accounting = accounting
        self._conf_text = slurm_conf(
            folder=folder,
            ports=self._ports,
            settings=settings or {},
            partitions=partitions,
            accounting=accounting,
            topology=topology is not None,
            cred_expire_seconds=cred_expire_seconds,
        )
        self.processes = Processes(
            logs=folder / "log", environment=environment, mark=f"SLURM_CONF={folder}/etc/"
        )

    def __enter__(self) -> Self:
        try:
            self._write()
            self._start()
        except BaseException:
            self.processes.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.processes.stop()

    def start_node(self, name: str) -> None:
        """Start a node's slurmd."""
        self.processes.start(name, ["slurmd", "-D", "-N", name, "-f", f"{self.folder}/etc/{name}/slurm.conf"])

    def lose_node(self, name: str) -> None:
        """End a node's slurmd at once."""
        self.processes.kill(name)

    def controller_log(self) -> str:
        """All that slurmctld wrote."""
        return (self.folder / "log/slurmctld.log").read_text(encoding="utf-8", errors="replace")

    def complaints(self) -> list[str]:
        """slurmctld's errors and warnings, without those that are known to be harmless."""
        return unexpected(self.controller_log())

    def all_complaints(self) -> dict[str, list[str]]:
        """The same of every daemon that complained, by the name of its log: slurmd and slurmdbd as well."""
        logs = sorted((self.folder / "log").glob("*.log"))
        found = {log.name: unexpected(log.read_text(encoding="utf-8", errors="replace")) for log in logs}
        return {name: lines for name, lines in found.items() if lines}

    def wait_idle(self, count: int | None = None, *, seconds: float = READY_SECONDS) -> None:
        """Wait until so many nodes are idle, all by default."""
        wanted = len(self.nodes) if count is None else count
        self.processes.wait_for(
            lambda: self._idle() >= wanted,
            what=f"{wanted} nodes are idle",
            seconds=seconds,
            needs="slurmctld",
        )

    def _idle(self) -> int:
        try:
            said = self.run("sinfo", "-h", "-N", "-t", "idle", "-o", "%N", timeout=10)
        except (SlurmRefusedError, subprocess.TimeoutExpired):
            return 0
        return len(set(said.split()))

    def _write(self) -> None:
        for name in _FOLDERS:
            (self.folder / name).mkdir(parents=True, exist_ok=True)
            (self.folder / name).chmod(0o755)
        (self.folder / "out").chmod(0o1777)
        for name in self.nodes:
            (self.folder / "spool" / name).mkdir()
        key = self.folder / "etc/munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.conf.write_text(self._conf_text, encoding="utf-8")
        (self.folder / "etc/gres.conf").write_text(gres_conf(len(self.nodes)), encoding="utf-8")
        (self.folder / "etc/cgroup.conf").write_text("", encoding="utf-8")
        if self._topology is not None:
            (self.folder / "etc/topology.conf").write_text(self._topology, encoding="utf-8")
        for name in self.nodes:
            self._write_node(name)

    def _write_node(self, name: str) -> None:
        """A folder of its own beside what all have: two nodes of one host must not share PMIx's files."""
        own = self.folder / "etc" / name
        own.mkdir()
        for shared in (self.folder / "etc").glob("*.conf"):
            (own / shared.name).symlink_to(shared)
        (own / "mpi.conf").write_text(f"PMIxCliTmpDirBase={self.folder}/spool/{name}\n", encoding="utf-8")

    def _start(self) -> None:
        self._start_munged()
        if self._accounting:
            start_accounting(
                folder=self.folder,
                port=self._ports.database_daemon,
                processes=self.processes,
                environment=self.environment,
            )
        self.processes.start("slurmctld", ["slurmctld", "-D", "-c", "-f", str(self.conf)])
        for name in self.nodes:
            self.start_node(name)
        self.wait_idle()

    def _start_munged(self) -> None:
        run, etc, log = (self.folder / name for name in ("run", "etc", "log"))
        self.processes.start(
            "munged",
            [
                "munged",
                "--foreground",
                "--force",
                f"--key-file={etc}/munge.key",
                f"--socket={run}/munge.sock",
                f"--pid-file={run}/munged.pid",
                f"--log-file={log}/munged.log",
                f"--seed-file={run}/munged.seed",
            ],
        )
        self.processes.wait_for(
            (run / "munge.sock").exists, what="munged's socket is there", seconds=30, needs="munged"
        )
