"""What kube-state-metrics and Kueue tell of a simulated cluster of Kubernetes."""

from __future__ import annotations

import subprocess

import pytest

from bedplate.sandbox.telemetry.targets import answer, targets
from bedplate.telemetry.exposition import exposition
from tests.sandbox.telemetry.exporters import fleet, inject, read, values

STATE, KUEUE = "/kube-state-metrics", "/kueue"
GPUS, EFAS = "nvidia_com_gpu", "vpc_amazonaws_com_efa"


def test_a_cluster_of_kubernetes_has_no_slurm_to_scrape() -> None:
    """Nor the other way round."""
    jobs = {each.job for each in targets(fleet(kubernetes=True))}
    assert {"kube-state-metrics", "kueue"} <= jobs
    assert "slurm" not in jobs
    assert not {"kube-state-metrics", "kueue"} & {each.job for each in targets(fleet())}


def test_nodes_offer_what_they_have_left() -> None:
    """A lost GPU and a lost EFA are no more advertised, on that node alone."""
    found = fleet(kubernetes=True)
    inject(found, "gpu-lost", at_s=10.0, gpu=5)
    inject(found, "efa-device-lost", at_s=10.0, node=1, device=3)
    before, after = read(found, STATE, at_s=9.0), read(found, STATE, at_s=11.0)
    name = "kube_node_status_allocatable"
    assert values(before, name, resource=GPUS) == [8] * 8
    assert values(before, name, resource=EFAS) == [16] * 8
    assert values(after, name, resource=GPUS) == [7] + [8] * 7
    assert values(after, name, resource=EFAS) == [16, 15] + [16] * 6


def test_a_node_that_is_gone_is_told_as_unknown() -> None:
    """As the node controller has it once kubelet is silent; one status a condition."""
    found = fleet(kubernetes=True)
    inject(found, "node-unreachable", at_s=10.0)
    series = read(found, STATE, at_s=11.0)
    ready = {
        status: sum(values(series, "kube_node_status_condition", condition="Ready", status=status))
        for status in ("true", "false", "unknown")
    }
    assert ready == {"true": 7, "false": 0, "unknown": 1}


def test_a_drained_node_is_unschedulable_and_every_job_runs() -> None:
    """A pod a node that has a job, running; no job failed."""
    found = fleet(kubernetes=True)
    found.befall("drained-by-bedplate", node=2, at_s=10.0)
    series = read(found, STATE, at_s=11.0)
    assert values(series, "kube_node_spec_unschedulable") == [0, 0, 1, 0, 0, 0, 0, 0]
    phases = values(series, "kube_pod_status_phase", phase="Running")
    assert set(phases) == {1}
    assert len(values(series, "kube_pod_status_phase")) == 5 * len(phases)
    assert set(values(series, "kube_job_status_failed")) == {0}


def test_kueue_tells_of_its_queue() -> None:
    """Workloads that wait and run, and a histogram whose last bucket is its count."""
    series = read(fleet(kubernetes=True), KUEUE, at_s=60.0)
    assert values(series, "kueue_pending_workloads", status="active") == [3]
    (running,) = values(series, "kueue_admitted_active_workloads")
    assert running > 0
    name = "kueue_admission_wait_time_seconds"
    assert values(series, f"{name}_bucket", le="+Inf") == values(series, f"{name}_count") == [running]


@pytest.mark.real("promtool")
def test_prometheus_reads_both_pages() -> None:
    """By its own parser."""
    for path in (STATE, KUEUE):
        text = exposition(answer(fleet(kubernetes=True), path, at_s=30.0))
        done = subprocess.run(
            ["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 3), done.stderr
