"""The database's side: a MariaDB in its own folder that only its socket reaches, and slurmdbd before it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.real_slurm.config import CLUSTER, host
from tests.support.real_slurm.processes import NotReadyError, Processes

_SECONDS = 90.0


def start_accounting(*, folder: Path, port: int, processes: Processes, environment: dict[str, str]) -> None:
    """Start both, and enter the cluster. Raises ``NotReadyError``."""
    _start_mariadb(folder=folder, processes=processes, environment=environment)
    conf = folder / "etc/slurmdbd.conf"
    conf.write_text(_slurmdbd_conf(folder=folder, port=port), encoding="utf-8")
    conf.chmod(0o600)
    processes.start("slurmdbd", ["slurmdbd", "-D"])
    argv = ["sacctmgr", "--immediate", "add", "cluster", CLUSTER]
    processes.wait_for(
        lambda: _succeeds(argv, environment),
        what="the cluster is entered in the accounting",
        seconds=_SECONDS,
        needs="slurmdbd",
    )


def _start_mariadb(*, folder: Path, processes: Processes, environment: dict[str, str]) -> None:
    data, sock = folder / "mariadb", folder / "run/mariadb.sock"
    made = subprocess.run(
        [
            "mariadb-install-db",
            "--no-defaults",
            f"--datadir={data}",
            "--user=root",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
        env=environment,
    )
    if made.returncode != 0:
        raise NotReadyError(f"mariadb-install-db: {made.stderr[-1000:]}")
    processes.start(
        "mariadbd",
        [
            "mariadbd",
            "--no-defaults",
            f"--datadir={data}",
            "--user=root",
            f"--socket={sock}",
            "--skip-networking",
            f"--pid-file={folder}/run/mariadb.pid",
            # A slow disk must not decide how long the tests take, and nothing here outlives them.
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-lock-wait-timeout=900",
            "--skip-log-bin",
        ],
    )
    ping = ["mariadb-admin", "--no-defaults", f"--socket={sock}", "--user=root", "ping"]
    processes.wait_for(
        lambda: _succeeds(ping, environment), what="MariaDB answers", seconds=_SECONDS, needs="mariadbd"
    )


def _slurmdbd_conf(*, folder: Path, port: int) -> str:
    lines = {
        "AuthType": "auth/munge",
        "AuthInfo": f"socket={folder}/run/munge.sock",
        "DbdHost": host(),
        "DbdAddr": "127.0.0.1",
        "DbdPort": str(port),
        "SlurmUser": "root",
        "LogFile": f"{folder}/log/slurmdbd.log",
        "PidFile": f"{folder}/run/slurmdbd.pid",
        "StorageType": "accounting_storage/mysql",
        "StorageHost": "localhost",
        "StorageUser": "root",
        "StorageLoc": "slurm_acct_db",
    }
    return "".join(f"{name}={value}\n" for name, value in lines.items())


def _succeeds(argv: list[str], environment: dict[str, str]) -> bool:
    try:
        done = subprocess.run(argv, capture_output=True, timeout=10, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
