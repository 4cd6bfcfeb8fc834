"""The real agent takes the configuration, signs what it sends, and labels it; promtool takes it too."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bedplate.node.bootstrap.exporters import scrape, units
from bedplate.node.bootstrap.exporters.table import read_table
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.metrics.command import rename_node
from bedplate.telemetry.metrics.labels import COMMON_LABELS
from bedplate.telemetry.node_table import node_table
from tests.node.metrics.machine import COLLECTION, LOGIN, SETTINGS, Machine
from tests.support.remote_write import GOOD_KEY, RemoteWriteReceiver

TABLE = read_table(node_table().decode())
INSTANCE = "i-0123456789abcdef0"
LOGIN_25_11 = replace(LOGIN, collection=replace(COLLECTION, slurm=True, slurmctld=True))
GPU = (
    'gpu="0",UUID="GPU-1",pci_bus_id="00000000:53:00.0",device="nvidia0",modelName="NVIDIA H200",hpc_job="42"'
)
DCGM = f"DCGM_FI_DEV_GPU_TEMP{{{GPU}}} 41\nDCGM_FI_DEV_ENC_UTIL{{{GPU}}} 0\n"
NODE = """\
node_load1 3
node_cpu_seconds_total{cpu="0",mode="idle"} 3
node_amazonefa_tx_bytes{device="rdmap80s0",port="1"} 5
bedplate_job_node{hpc_job="42",job_name="a",account="b",partition="c",gpus="0"} 1
"""
APPLICATION = 'bedplate_training_step_seconds 2\nmine_total{pool="stolen",x="y"} 1\n'


def config(settings: NodeSettings) -> str:
    """The agent's configuration on a node of these settings."""
    assert settings.collection is not None
    return scrape.scrape_config(
        settings, settings.collection, TABLE, instance_id=INSTANCE, node="ip-10-0-0-1"
    )


def found(receiver: RemoteWriteReceiver, **labels: str) -> list[dict[str, str]]:
    """The labels of all series that have these."""
    told = [dict(each) for each in list(receiver.series)]
    return [each for each in told if labels.items() <= each.items()]


def names(receiver: RemoteWriteReceiver) -> set[str]:
    """The names of all series."""
    return {each["__name__"] for each in found(receiver)}


@contextmanager
def exporter(text: str) -> Iterator[int]:
    """Serves a text; its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Not to standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.real("promtool")
@pytest.mark.parametrize("settings", [SETTINGS, LOGIN, LOGIN_25_11], ids=["compute", "login", "25.11"])
def test_promtool_takes_the_configuration(tmp_path: Path, settings: NodeSettings) -> None:
    """It is Prometheus' own form."""
    path = tmp_path / "scrape.yml"
    path.write_text(config(settings))
    done = subprocess.run(
        ["promtool", "check", "config", "--agent", str(path)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.real("vmagent")
@pytest.mark.parametrize("settings", [SETTINGS, LOGIN, LOGIN_25_11], ids=["compute", "login", "25.11"])
def test_the_agent_takes_configuration_and_flags(tmp_path: Path, settings: NodeSettings) -> None:
    """As its unit starts it, checked and not run; it knows every key."""
    path = tmp_path / "scrape.json"
    path.write_text(config(settings))
    done = subprocess.run(
        [*command(tmp_path, COLLECTION.url), "-dryRun"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def command(folder: Path, url: str) -> list[str]:
    """The words of the unit, with this test's folder in the place of the node's."""
    text = units.agent_unit("vmagent", replace(COLLECTION, url=url))
    line = next(line for line in text.splitlines() if line.startswith("ExecStart="))
    words = shlex.split(line.partition("=")[2])
    places = {"/opt/bedplate/scrape.json": "scrape.json", "/var/lib/bedplate/agent": "buffer"}
    for old, new in places.items():
        words = [word.replace(old, str(folder / new)) for word in words]
    return [word.replace("configCheckInterval=30s", "configCheckInterval=1s") for word in words]


@contextmanager
def agent(folder: Path, text: str, url: str, *, secret: str = GOOD_KEY.secret_key) -> Iterator[None]:
    """It runs until the block is over. Scaled down: it scrapes every second."""
    (folder / "scrape.json").write_text(text)
    process = subprocess.Popen(
        command(folder, url),
        env={
            "PATH": "/usr/bin:/bin",
            "AWS_ACCESS_KEY_ID": GOOD_KEY.access_key,
            "AWS_SECRET_ACCESS_KEY": secret,
            "remoteWrite_forcePromProto": "true",
        },
        stderr=(folder / "agent.log").open("w"),
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def wait(until: Callable[[], object], what: str) -> None:
    """Until it is so."""
    end = time.monotonic() + 60
    while not until():
        assert time.monotonic() < end, what
        time.sleep(0.2)


def scaled(text: str, ports: dict[str, int], applications: Path) -> str:
    """Every second, from these ports."""
    for old, new in (("30s", "1s"), ("60s", "1s"), ("10s", "1s")):
        text = text.replace(f'"{old}"', f'"{new}"')
    for old, port in ports.items():
        text = text.replace(f"127.0.0.1:{old}", f"127.0.0.1:{port}")
    return text.replace("/run/bedplate/applications", str(applications))


@pytest.mark.real("vmagent")
def test_what_a_node_tells_reaches_the_workspace_signed_and_labelled(
    machine: Machine, tmp_path: Path
) -> None:
    """Every series has the labels that all have; what is not in the table stays away;
    a job's own end point can claim to be no other node.
    """
    folder, applications = tmp_path / "agent", tmp_path / "applications"
    folder.mkdir()
    applications.mkdir()
    with ExitStack() as stack:
        receiver = stack.enter_context(RemoteWriteReceiver())
        ports = {
            "9400": stack.enter_context(exporter(DCGM)),
            "9100": stack.enter_context(exporter(NODE)),
        }
        job = stack.enter_context(exporter(APPLICATION))
        (applications / "42.json").write_text(
            json.dumps(
                [
                    {
                        "targets": [f"127.0.0.1:{job}"],
                        "labels": {"hpc_job": "42", "pool": "stolen", "instance_id": "i-other"},
                    },
                    {"targets": [f"{socket.gethostbyname('localhost')}.example:{job}"]},
                ]
            )
        )
        text = scaled(config(SETTINGS), ports, applications)
        stack.enter_context(agent(folder, text, f"{receiver.endpoint}api/v1/remote_write"))
        wait(
            lambda: {"DCGM_FI_DEV_GPU_TEMP", "node_load1", "mine_total"} <= names(receiver),
            "all jobs arrive",
        )
        for each in found(receiver):
            assert set(COMMON_LABELS) <= set(each), each
            assert each["instance_id"] == INSTANCE
            assert each["pool"] == "train"
        assert {"node_cpu_seconds_total", "DCGM_FI_DEV_ENC_UTIL"} & names(receiver) == set()
        (gpu,) = found(receiver, __name__="DCGM_FI_DEV_GPU_TEMP")
        assert gpu["hpc_job"] == "42"
        assert not {"device", "modelName"} & set(gpu)
        (mine,) = found(receiver, __name__="mine_total")
        assert (mine["hpc_job"], mine["job"]) == ("42", "application")
        assert len(found(receiver, __name__="up", job="application")) == 1
        assert receiver.refused == []
        # slurmd has told the node's name.
        machine.write("/opt/bedplate/scrape.json", text)
        machine.write("/run/bedplate/slurm-name", "gpu-1\n")
        rename_node(str(machine.root))
        (folder / "scrape.json").write_text((machine.root / "opt/bedplate/scrape.json").read_text())
        wait(lambda: found(receiver, __name__="node_load1", node="gpu-1"), "the node has its name")


@pytest.mark.real("vmagent")
def test_a_wrong_key_is_refused_and_nothing_is_taken(tmp_path: Path) -> None:
    """The receiver's own check: one that took everything would show nothing above."""
    with ExitStack() as stack:
        receiver = stack.enter_context(RemoteWriteReceiver())
        port = stack.enter_context(exporter(NODE))
        text = scaled(config(LOGIN), {"9100": port}, tmp_path)
        stack.enter_context(
            agent(tmp_path, text, f"{receiver.endpoint}api/v1/remote_write", secret="another")
        )
        wait(lambda: receiver.refused, "a request")
        assert names(receiver) == set()
