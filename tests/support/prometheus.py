"""Debian's Prometheus and Alertmanager as processes on the loopback address, for as long as a test needs."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, Self
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

from tests.support.real_parts import find_program

_READY_S = 60.0


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Server:
    """One program that answers at ``url`` (a context manager); its output is kept in ``log``."""

    def __init__(self, argv: list[str], *, url: str, ready: str, folder: Path) -> None:
        self.url = url
        self.log = folder / f"{Path(argv[0]).name}.log"
        self._argv = argv
        self._ready = ready
        self._folder = folder

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(self._argv, stdout=log, stderr=log, cwd=self._folder)
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        # Not SIGTERM alone: Prometheus would flush its queues for up to a minute.
        self.process.terminate()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=30)

    def get(self, path: str, **query: str) -> Any:
        """The JSON at a path."""
        address = f"{self.url}{path}?{urlencode(query)}" if query else f"{self.url}{path}"
        with urlopen(address, timeout=60) as answer:
            return json.load(answer)

    def _wait(self) -> None:
        until = time.monotonic() + _READY_S
        while True:
            assert self.process.poll() is None, self.log.read_text(encoding="utf-8")[-3000:]
            try:
                with urlopen(f"{self.url}{self._ready}", timeout=5):
                    return
            except (URLError, OSError):
                assert time.monotonic() < until, f"{self._argv[0]} is not ready after {_READY_S:g} s"
                time.sleep(0.1)


class Prometheus(Server):
    """Prometheus over a folder of its own."""

    def __init__(
        self, folder: Path, *, config: Path, data: Path | None = None, options: tuple[str, ...] = ()
    ):
        port = free_port()
        argv = [
            "prometheus",
            f"--config.file={config}",
            f"--storage.tsdb.path={data or folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--storage.tsdb.retention.time=1000d",
            *options,
        ]
        super().__init__(argv, url=f"http://127.0.0.1:{port}", ready="/-/ready", folder=folder)

    def query(self, expression: str, *, at_s: float | None = None) -> list[dict[str, Any]]:
        """The series of an instant query. Raises where Prometheus refuses it."""
        moment = {} if at_s is None else {"time": f"{at_s:.3f}"}
        answer = self.get("/api/v1/query", query=expression, **moment)
        assert answer["status"] == "success", answer
        found: list[dict[str, Any]] = answer["data"]["result"]
        return found


class Alertmanager(Server):
    """Alertmanager without a cluster."""

    def __init__(self, folder: Path, *, config: Path) -> None:
        port = free_port()
        argv = [
            find_program("alertmanager") or "prometheus-alertmanager",
            f"--config.file={config}",
            f"--storage.path={folder / 'alertmanager'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--cluster.listen-address=",
        ]
        super().__init__(argv, url=f"http://127.0.0.1:{port}", ready="/-/ready", folder=folder)
