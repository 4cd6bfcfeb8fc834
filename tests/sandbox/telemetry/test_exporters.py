"""The simulated exporters: names, labels and types from the table, values from the faults."""

from __future__ import annotations

import subprocess

import pytest

from bedplate.diagnosis.checks import CHECKS
from bedplate.sandbox.fleet.fault import KINDS
from bedplate.sandbox.telemetry.situation import HEALTHY, SYMPTOMS, UnknownSymptom, with_symptom
from bedplate.sandbox.telemetry.targets import TargetDown, answer, targets
from bedplate.sandbox.telemetry.validation import named_by
from bedplate.telemetry.exposition import WrongLabels, exposition, sample
from bedplate.telemetry.metrics.catalogue import METRICS, SAMPLES, UnknownMetric
from bedplate.telemetry.metrics.exporters import AGENT, RULER
from tests.sandbox.telemetry.exporters import fleet, inject, names, read, values

NOT_OF_A_HEALTHY_FLEET = {
    "DCGM_EXP_XID_ERRORS_COUNT": "there is a series for each Xid that was seen",
    "bedplate_xid_total": "there is a series for each Xid that was seen",
    "bedplate_validation_failed": "there is a series for each verdict that failed",
    "bedplate_capacity_end_timestamp_seconds": "these fleets are of no Capacity Block",
    **{each.name: "the agent makes it of its scrape" for each in METRICS.values() if each.exporter is AGENT},
    **{each.name: "made where rules are evaluated" for each in METRICS.values() if each.exporter is RULER},
}
"""Metric → why no healthy fleet emits it."""


def test_every_metric_is_emitted_by_a_healthy_fleet() -> None:
    """One fleet with Hopper, one with Blackwell and one of Kubernetes emit what the table has, save what is
    listed with its reason; and nothing that is listed.
    """
    emitted = names(fleet(), at_s=60.0) | names(fleet(instance_type="p6-b200.48xlarge"), at_s=60.0)
    emitted |= names(fleet(kubernetes=True), at_s=60.0)
    assert set(SAMPLES) - emitted == set(NOT_OF_A_HEALTHY_FLEET)


def test_what_a_healthy_fleet_does_not_emit_comes_with_its_cause() -> None:
    """An Xid, a failed verdict and a block's end have their series as soon as there are such."""
    found = fleet()
    inject(found, "xid-79", at_s=10.0)
    found.befall("capacity-ending", node=1, at_s=10.0)
    inject(found, "xid-48", at_s=10.0, node=2)
    missing = set(NOT_OF_A_HEALTHY_FLEET) - names(found, at_s=20.0)
    assert missing == {each.name for each in METRICS.values() if each.exporter in (AGENT, RULER)}


def test_nothing_outside_the_table_can_be_emitted() -> None:
    """An unknown name and a wrong label raise."""
    with pytest.raises(UnknownMetric):
        sample("DCGM_FI_DEV_GPU_TEMPERATURE", 1)
    with pytest.raises(WrongLabels):
        sample("bedplate_efas", 1, device="rdmap85s0")


@pytest.mark.real("promtool")
@pytest.mark.parametrize("kind", ["p5en.48xlarge", "p6-b200.48xlarge"])
def test_promtool_has_no_complaint_of_our_own_metrics(kind: str) -> None:
    """Prometheus' own parser reads every page; what its linter says is about names that others have given."""
    found = fleet(instance_type=kind)
    inject(found, "xid-94", at_s=1.0)
    for target in targets(found):
        text = exposition(answer(found, target.path, at_s=30.0))
        done = subprocess.run(
            ["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False
        )
        # 3 is what it exits with where it has read all and would name something otherwise.
        assert done.returncode in (0, 3), done.stderr
        complaints = [line for line in done.stderr.splitlines() if line.startswith("bedplate_")]
        assert complaints == []


def test_the_same_seed_tells_the_same() -> None:
    """A page depends on seed, faults and moment alone; another seed gives other noise."""
    pages = [exposition(answer(fleet(seed=seed), "/0/dcgm", at_s=33.0)) for seed in ("one", "one", "two")]
    assert pages[0] == pages[1] != pages[2]


@pytest.mark.parametrize("cause", ["efa-errors", "gpu-throttled", "nvlink-errors", "collective-hang"])
def test_counters_never_fall(cause: str) -> None:
    """Through the beginning of a fault every counter stays or rises."""
    found = fleet(nodes=3)
    inject(found, cause, at_s=50.0)
    before = {path: read(found, path, at_s=49.0) for path in ("/0/dcgm", "/0/node")}
    for at_s in (50.0, 51.0, 80.0):
        for path, series in before.items():
            now = read(found, path, at_s=at_s)
            for key, value in series.items():
                if SAMPLES[key[0]].kind != "gauge":
                    assert now[key] >= value, (key, at_s)
            before[path] = now


def test_a_lost_gpu_is_silent_and_still_expected() -> None:
    """Its series vanish from the exporter; what the type has stays."""
    found = fleet()
    inject(found, "gpu-lost", at_s=10.0, gpu=5)
    assert len(values(read(found, "/0/dcgm", at_s=9.0), "DCGM_FI_DEV_GPU_TEMP")) == 8
    left = read(found, "/0/dcgm", at_s=11.0)
    assert len(values(left, "DCGM_FI_DEV_GPU_TEMP")) == 7
    assert values(read(found, "/0/node", at_s=11.0), "bedplate_expected_gpus") == [8]
    assert len(values(read(found, "/1/dcgm", at_s=11.0), "DCGM_FI_DEV_GPU_TEMP")) == 8


def test_an_xid_is_counted_with_its_policy_and_forgotten_by_the_exporter() -> None:
    """dcgm-exporter tells it for five minutes, our program until the next boot."""
    found = fleet()
    inject(found, "xid-95", at_s=10.0, gpu=2)
    soon, late = read(found, "/0/dcgm", at_s=20.0), read(found, "/0/dcgm", at_s=400.0)
    assert values(soon, "DCGM_EXP_XID_ERRORS_COUNT", xid="95") == [1]
    assert values(late, "DCGM_EXP_XID_ERRORS_COUNT", xid="95") == []
    node = read(found, "/0/node", at_s=400.0)
    assert values(node, "bedplate_xid_total", xid="95", policy="reset") == [1]
    assert values(late, "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", gpu="2") == [1]
    assert values(late, "DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION", gpu="2") == [1]


def test_a_node_that_is_gone_does_not_answer_and_is_down_in_slurm() -> None:
    """Both of its exporters are silent, and the login node tells its state."""
    found = fleet()
    inject(found, "node-unreachable", at_s=10.0, node=3)
    for path in ("/3/dcgm", "/3/node"):
        with pytest.raises(TargetDown):
            answer(found, path, at_s=11.0)
    login = read(found, "/login/node", at_s=11.0)
    assert values(login, "bedplate_slurm_node_state", slurm_node="gpu-4", state="down") == [1]


def test_traffic_stops_where_nccl_falls_back_to_tcp() -> None:
    """The EFA counters stand still while the GPUs are at work, and the ordinary card carries the load."""
    found = fleet()
    inject(found, "efa-fallback-socket", at_s=10.0)
    sent = [sum(values(read(found, "/0/node", at_s=at_s), "node_amazonefa_tx_bytes")) for at_s in (20, 60)]
    assert sent[0] == sent[1] > 0
    assert min(values(read(found, "/0/dcgm", at_s=60), "DCGM_FI_PROF_SM_ACTIVE")) > 0.5


def test_throttling_is_counted_in_nanoseconds() -> None:
    """Half of the time throttled is half a thousand million a second."""
    found = fleet()
    inject(found, "gpu-throttled", at_s=0.0, gpu=1)
    counted = values(read(found, "/0/dcgm", at_s=100.0), "DCGM_FI_DEV_THERMAL_VIOLATION", gpu="1")
    assert counted == [pytest.approx(55e9)]


def test_every_kind_of_fault_is_named_by_a_check_there_is() -> None:
    """A validation's metrics name each fault by a check of the catalogue."""
    known = {check.id for check in CHECKS}
    assert {named_by(cause)[0] for cause in KINDS} <= known


@pytest.mark.parametrize("symptom", SYMPTOMS)
def test_every_symptom_changes_something(symptom: str) -> None:
    """A name that changed nothing would let an alert look tested."""
    assert with_symptom(HEALTHY, symptom) != HEALTHY


def test_an_unknown_symptom_is_refused() -> None:
    """The message lists those that there are."""
    with pytest.raises(UnknownSymptom, match="gpu-straggler"):
        fleet().befall("gpu-on-fire", node=0, at_s=0.0)


def test_cleared_faults_leave_their_counts() -> None:
    """After all is well again a counter stays where the fault brought it."""
    found = fleet()
    found.befall("pcie-replays", node=0, at_s=10.0)
    found.clear(at_s=20.0)
    counted = [
        values(read(found, "/0/dcgm", at_s=at), "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", gpu="0") for at in (20, 90)
    ]
    assert counted == [[40], [40]]
