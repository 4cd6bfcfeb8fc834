"""A real Alertmanager with our definition, its times scaled down and its topics a webhook."""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bedplate.telemetry.alert_manager import alert_manager_definition
from tests.support.real_parts import find_program

TOPIC = "arn:aws:sns:us-west-2:123456789012:alarms"
GROUP_WAIT_S, GROUP_INTERVAL_S = 3, 4
"""In place of 90 s and five minutes."""
_PATIENCE_S = 60.0


def definition() -> dict[str, Any]:
    """What AMP gets, read."""
    text = alert_manager_definition(topic_arn=TOPIC, region="us-west-2", environment="demo")
    inner: dict[str, Any] = yaml.safe_load(yaml.safe_load(text)["alertmanager_config"])
    return inner


def scaled(url: str) -> dict[str, Any]:
    """The same with a webhook for topics, and seconds for minutes."""
    config = definition()
    for route in (config["route"], *config["route"]["routes"]):
        route.update(group_wait=f"{GROUP_WAIT_S}s", group_interval=f"{GROUP_INTERVAL_S}s")
    for receiver in config["receivers"]:
        del receiver["sns_configs"]
        receiver["webhook_configs"] = [{"url": url, "send_resolved": True}]
    return config


@dataclass(frozen=True)
class Alertmanager:
    """A server that runs."""

    url: str

    def post(self, alerts: Sequence[dict[str, Any]]) -> None:
        """As Prometheus does."""
        request = urllib.request.Request(
            f"{self.url}/api/v2/alerts",
            data=json.dumps(list(alerts)).encode(),
            headers={"Content-Type": "application/json"},
        )
        urllib.request.urlopen(request, timeout=10).close()


@contextmanager
def alertmanager(folder: Path, url: str) -> Iterator[Alertmanager]:
    """It runs while the block does."""
    (folder / "alertmanager.yml").write_text(yaml.safe_dump(scaled(url), sort_keys=False))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = find_program("alertmanager")
    assert program is not None
    command = [
        program,
        f"--config.file={folder / 'alertmanager.yml'}",
        f"--storage.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    ]
    with (folder / "alertmanager.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        server = Alertmanager(f"http://127.0.0.1:{port}")
        try:
            _wait(server, process)
            yield server
        finally:
            process.terminate()
            process.wait(timeout=20)


def _wait(server: Alertmanager, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "alertmanager ended"
        try:
            urllib.request.urlopen(f"{server.url}/-/ready", timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("alertmanager is not ready")
