"""Debian's vmagent scrapes the simulated exporters and writes to a receiver that checks SigV4."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.sandbox.telemetry.fleet import FleetPlan, TelemetryFleet
from bedplate.sandbox.telemetry.server import ExporterServer
from bedplate.sandbox.telemetry.targets import targets
from bedplate.telemetry.metrics.catalogue import SAMPLES
from bedplate.telemetry.metrics.labels import COMMON_LABELS
from tests.support.remote_write import GOOD_KEY, REGION, RemoteWriteReceiver

pytestmark = [pytest.mark.slow, pytest.mark.real("vmagent")]
_OF_A_SCRAPE = ("scrape_", "up")
_DEADLINE_S = 90.0


def _scrapes(fleet: TelemetryFleet, address: str) -> dict[str, Any]:
    """Each target once a second, with the labels that the agent adds on a node."""
    jobs: dict[str, list[dict[str, Any]]] = {}
    for each in targets(fleet):
        labels = {**dict(each.labels), "__metrics_path__": each.path, "instance": each.path}
        jobs.setdefault(each.job, []).append({"targets": [address], "labels": labels})
    return {
        "global": {"scrape_interval": "1s"},
        "scrape_configs": [{"job_name": job, "static_configs": found} for job, found in jobs.items()],
    }


@contextmanager
def _agent(
    folder: Path, config: dict[str, Any], *, receiver: RemoteWriteReceiver, secret: str
) -> Iterator[None]:
    (folder / "scrape.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    argv = [
        "vmagent",
        f"-promscrape.config={folder / 'scrape.yml'}",
        f"-remoteWrite.url={receiver.endpoint}api/v1/remote_write",
        f"-remoteWrite.tmpDataPath={folder / 'queue'}",
        "-remoteWrite.aws.useSigv4=true",
        f"-remoteWrite.aws.region={REGION}",
        "-remoteWrite.aws.service=aps",
        "-httpListenAddr=",
    ]
    keys = {"AWS_ACCESS_KEY_ID": GOOD_KEY.access_key, "AWS_SECRET_ACCESS_KEY": secret}
    with (folder / "vmagent.log").open("wb") as log:
        process = subprocess.Popen(argv, env={**os.environ, **keys}, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.kill()
        process.wait(timeout=30)


def _wait(receiver: RemoteWriteReceiver, name: str, *, count: int) -> None:
    end = time.monotonic() + _DEADLINE_S
    while len(receiver.named(name)) < count and not receiver.refused:
        assert time.monotonic() < end, f"{len(receiver.named(name))} series of {name} have arrived"
        time.sleep(0.2)


def test_signed_series_arrive_with_their_labels(tmp_path: Path) -> None:
    """The signature is right, nothing arrives that the table does not have, and each series of a node has the
    common labels.
    """
    fleet = TelemetryFleet(FleetPlan(nodes=2, job_sizes=(2,)), epoch_s=time.time())
    with ExporterServer(fleet) as exporters, RemoteWriteReceiver() as receiver:
        config = _scrapes(fleet, exporters.address)
        with _agent(tmp_path, config, receiver=receiver, secret=GOOD_KEY.secret_key):
            _wait(receiver, "DCGM_FI_DEV_GPU_TEMP", count=16)
            _wait(receiver, "node_amazonefa_tx_bytes", count=32)
    assert receiver.refused == []
    found = [dict(each) for each in receiver.series]
    unknown = {each["__name__"] for each in found} - set(SAMPLES)
    assert {name for name in unknown if not name.startswith(_OF_A_SCRAPE)} == set()
    of_nodes = [each for each in found if each["job"] in ("dcgm", "node")]
    assert of_nodes
    for each in of_nodes:
        assert set(COMMON_LABELS) <= set(each), each


def test_a_wrong_key_is_refused(tmp_path: Path) -> None:
    """The receiver's check bites: what is signed with another secret is not taken."""
    fleet = TelemetryFleet(FleetPlan(nodes=1, job_sizes=(1,)), epoch_s=time.time())
    with ExporterServer(fleet) as exporters, RemoteWriteReceiver() as receiver:
        config = _scrapes(fleet, exporters.address)
        with _agent(tmp_path, config, receiver=receiver, secret="another"):
            end = time.monotonic() + _DEADLINE_S
            while not receiver.refused and time.monotonic() < end:
                time.sleep(0.2)
    assert set(receiver.refused) == {"the signature does not match"}
    assert receiver.series == {}
