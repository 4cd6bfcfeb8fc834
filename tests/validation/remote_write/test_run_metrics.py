"""A run's metrics: the text file, and what reaches a receiver that checks SigV4."""

from __future__ import annotations

import subprocess

import pytest
from botocore.credentials import Credentials

from bedplate.errors import AwsRefused
from bedplate.manifest import ObservabilityManifest
from bedplate.telemetry.exposition import sample
from bedplate.telemetry.metrics.catalogue import METRICS
from bedplate.telemetry.metrics.exporters import VALIDATION
from bedplate.validation.remote_write.message import snappy_block, write_request
from bedplate.validation.remote_write.run_metrics import leave_metrics
from bedplate.validation.remote_write.sender import Sender
from bedplate.validation.reports.prometheus import MOST_FAILED, render_prometheus, run_samples
from tests.support.remote_write import GOOD_KEY, REGION, RemoteWriteReceiver, decode_write_request, unsnap
from tests.validation.reports.sample_run import faulty_run, healthy_run
from tests.validation.steps.small_cluster import manifest as manifest_of

AT_MS = 1_800_000_000_123


def _sender(
    receiver: RemoteWriteReceiver, *, key: Credentials = GOOD_KEY, waits: list[float] | None = None
) -> Sender:
    pauses = waits if waits is not None else []
    return Sender(endpoint=receiver.endpoint, region=REGION, credentials=key, sleep=pauses.append)


def test_a_pass_and_a_fault_are_told_by_every_metric_of_the_table() -> None:
    """Each metric of the table has a series; a pass is 1, a run with faults 0, with each fault by name."""
    wanted = {each.name for each in METRICS.values() if each.exporter is VALIDATION}
    well = {(each.name, each.labels): each.value for each in run_samples(healthy_run())}
    ill = {(each.name, each.labels): each.value for each in run_samples(faulty_run())}
    assert {name for name, _ in ill} == wanted
    assert {name for name, _ in well} == wanted - {"bedplate_validation_failed"}
    assert well["bedplate_validation_passed", ()] == 1
    assert well["bedplate_validation_nodes", (("state", "passed"),)] == 8
    assert ill["bedplate_validation_passed", ()] == 0
    assert ill["bedplate_validation_nodes", (("state", "failed"),)] > 0
    causes = {dict(labels)["cause"] for name, labels in ill if name == "bedplate_validation_failed"}
    assert "efa-device-lost" in causes


def test_failed_verdicts_are_bounded() -> None:
    """A cluster that is off in all its parts does not fill the workspace."""
    found = [each for each in run_samples(faulty_run(nodes=300)) if each.name == "bedplate_validation_failed"]
    assert len(found) <= MOST_FAILED


@pytest.mark.real("promtool")
def test_promtool_reads_the_text_file() -> None:
    """Prometheus' own linter has nothing to say of it."""
    done = subprocess.run(
        ["promtool", "check", "metrics"],
        input=render_prometheus(faulty_run()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("length", [0, 1, 59, 60, 61, 65_535, 65_536, 65_537, 200_000])
def test_a_snappy_block_of_any_length_is_read_back(length: int) -> None:
    """Literals are cut where their length no longer fits."""
    content = bytes(index * 7 % 251 for index in range(length))
    assert unsnap(snappy_block(content)) == content


def test_series_are_sorted_and_labelled() -> None:
    """Labels come sorted by name, as the protocol asks, an empty one not at all, and a series' own counts."""
    body = write_request(
        [sample("bedplate_validation_failed", 1, check="GPU-001", cause="", subject="i-1 ↔ i-2")],
        labels={"job": "validation", "environment": "demo"},
        at_ms=AT_MS,
    )
    ((labels, samples),) = decode_write_request(unsnap(body))
    assert labels == (
        ("__name__", "bedplate_validation_failed"),
        ("check", "GPU-001"),
        ("environment", "demo"),
        ("job", "validation"),
        ("subject", "i-1 ↔ i-2"),
    )
    assert samples == [(1.0, AT_MS)]


def test_a_signed_write_arrives() -> None:
    """The receiver makes the signature anew and takes the series."""
    with RemoteWriteReceiver() as receiver:
        _sender(receiver).send(write_request(run_samples(healthy_run()), labels={"job": "x"}, at_ms=AT_MS))
    assert receiver.refused == []
    assert receiver.named("bedplate_validation_passed") == [
        {"__name__": "bedplate_validation_passed", "job": "x"}
    ]


def test_a_wrong_key_is_refused_at_once() -> None:
    """403 is not tried again, and is an error with its remedy."""
    wrong = Credentials(GOOD_KEY.access_key, "another")
    waits: list[float] = []
    with RemoteWriteReceiver() as receiver, pytest.raises(AwsRefused, match="HTTP 403") as refused:
        _sender(receiver, key=wrong, waits=waits).send(b"")
    assert refused.value.error_id == "AWS-003"
    assert receiver.refused == ["the signature does not match"]
    assert waits == []


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_be_over_in_a_moment_is_tried_again(status: int) -> None:
    """Two refusals of that kind, then it is taken, with a signature of its own."""
    waits: list[float] = []
    with RemoteWriteReceiver(answers=[status, status]) as receiver:
        _sender(receiver, waits=waits).send(write_request([], labels={}, at_ms=AT_MS))
    assert (receiver.requests, waits, receiver.refused) == (3, [1.0, 3.0], [])


def test_nobody_there_is_told_after_the_last_try() -> None:
    """A closed port is AWS out of reach."""
    with RemoteWriteReceiver() as receiver:
        gone = _sender(receiver, waits=(waits := []))
    with pytest.raises(AwsRefused) as refused:
        gone.send(b"")
    assert refused.value.error_id == "AWS-001"
    assert waits == [1.0, 3.0, 9.0]


class _Clients:
    """What signs, and nothing else."""

    def __init__(self, key: Credentials) -> None:
        self._key = key

    def credentials(self) -> Credentials:
        return self._key


def _leave(endpoint: str, *, key: Credentials = GOOD_KEY) -> str:
    there = ObservabilityManifest(amp_workspace_id="ws-1", amp_endpoint=endpoint, alarm_topic_arn="")
    manifest = manifest_of().model_copy(update={"observability": there, "region": REGION})
    return leave_metrics(
        clients=_Clients(key),  # type: ignore[arg-type]
        manifest=manifest,
        result=faulty_run(simulated=True),
    )


def test_a_run_leaves_its_series_with_the_labels_of_its_cluster() -> None:
    """They are found by environment and cluster beside all others."""
    with RemoteWriteReceiver() as receiver:
        assert _leave(receiver.endpoint) == ""
    (labels,) = receiver.named("bedplate_validation_passed")
    assert labels["environment"] == manifest_of().environment
    assert labels["cluster"] == manifest_of().orchestrator.cluster_name
    assert labels["job"] == "validation"


def test_a_refusal_is_told_and_raises_nothing() -> None:
    """The verdict must not depend on whether its metrics arrived."""
    with RemoteWriteReceiver() as receiver:
        said = _leave(receiver.endpoint, key=Credentials("AKIDOTHER", "another"))
    assert "AWS-003" in said
    assert "the verdict does not depend on it" in said


def test_a_simulated_run_never_reaches_a_real_workspace() -> None:
    """Its figures would stand among measured ones; nothing is sent, and nothing is waited for."""
    assert _leave("https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-1/") == ""
