"""The gate under a real Slurm: who may run where before, during and after the pair of a node that booted."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from bedplate.node.gate.names import PAIR_MINUTES, WAITS, hold_of
from tests.slurm.real.conftest import PCS, Start
from tests.support.real_slurm.gated_nodes import GatedNodes, kill, names_of

pytestmark = [
    pytest.mark.real("slurmctld", "munged", "pmix"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
    pytest.mark.slow,
    pytest.mark.timeout(600),
]
NODES = 3
EVERY_NODE = ("gpu-1", "gpu-2", "gpu-3")


@pytest.fixture(scope="module")
def one_cluster(start_slurm: Start, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatedNodes]:
    """Three nodes of one pool with the hooks that the bootstrap writes, and a login node."""
    folder = tmp_path_factory.mktemp("gated")
    for part in (folder, *folder.parents[:2]):
        part.chmod(0o755)
    gated = GatedNodes(folder, size=NODES, start=start_slurm, orchestrator=PCS)
    try:
        yield gated
    finally:
        gated.close()


@pytest.fixture
def gated(one_cluster: GatedNodes) -> GatedNodes:
    """All of them open, well and without jobs."""
    one_cluster.forget()
    return one_cluster


def test_a_rebooted_node_takes_no_job_until_its_pair_went_well(gated: GatedNodes) -> None:
    """It is reserved before a job can be placed; the job that waited for it starts when it is let in."""
    gated.reboot("gpu-2")
    job = gated.slurm.submit("hostname", "-N1", "--nodelist=gpu-2", "--gres=gpu:8")
    time.sleep(6)
    assert gated.slurm.job(job)["JobState"] == "PENDING"
    assert not gated.is_open("gpu-2")
    told = gated.keep()
    assert "gpu-2 with gpu-1: passed: " in told
    gated.slurm.wait_job(job, "COMPLETED", seconds=120)
    assert gated.slurm.job(job)["Restarts"] == "0"
    assert gated.mark("gpu-2")["how"] == "pair"
    assert gated.reservations() == []
    assert "Comment" not in gated.slurm.node("gpu-2")


def test_during_the_pair_both_are_reserved_and_other_nodes_work(gated: GatedNodes) -> None:
    """A job for the third node runs meanwhile; one for the partner starts afterwards."""
    gated.reboot("gpu-2")
    gated.played.pause()
    keeper = gated.start_keeper()
    try:
        until = time.monotonic() + 60
        while not gated.played.ranks(between_nodes=True) and time.monotonic() < until:
            time.sleep(0.2)
        (pair,) = gated.reservations("bedplate-pair-")
        assert set(pair.nodes) == {"gpu-1", "gpu-2"}
        third = gated.slurm.submit("true", "-N1", "--nodelist=gpu-3", "--gres=gpu:8")
        first = gated.slurm.submit("true", "-N1", "--nodelist=gpu-1", "--gres=gpu:8")
        gated.slurm.wait_job(third, "COMPLETED", seconds=120)
        assert gated.slurm.job(first)["JobState"] == "PENDING"
    finally:
        gated.played.go_on()
        told, _ = keeper.communicate(timeout=120)
    assert "gpu-2 with gpu-1: passed: " in told
    gated.slurm.wait_job(first, "COMPLETED", seconds=120)


def test_a_job_that_slips_in_is_refused_by_the_prolog(gated: GatedNodes) -> None:
    """Without the reservation Slurm places the job; the node's prolog sends it back, and says why."""
    (gated.folder / "periodic").chmod(0o644)
    try:
        gated.reboot("gpu-2", wait=False)
        gated.slurm.wait_idle()
        assert gated.reservations() == []
        job = gated.slurm.submit("hostname", "-N1", "--gres=gpu:8", "--requeue", "-w", "gpu-2")
        node = gated.slurm.wait_node("gpu-2", lambda found: "DRAIN" in found["State"])
        assert node["Reason"].startswith(WAITS)
        gated.slurm.wait_job(job, "PENDING")
        assert gated.slurm.output(job) == ""
    finally:
        (gated.folder / "periodic").chmod(0o755)
    assert "gpu-2 with gpu-1: passed: " in gated.keep()
    gated.slurm.wait_job(job, "COMPLETED", seconds=180)
    assert int(gated.slurm.job(job)["Restarts"]) == 1
    assert "DRAIN" not in gated.slurm.node("gpu-2")["State"]


@pytest.mark.parametrize("fault", ["efa-device-slow", "collective-hang", "collective-crash"])
def test_a_node_whose_pairs_fail_is_drained_and_the_job_goes_elsewhere(gated: GatedNodes, fault: str) -> None:
    """After two partners that are known to be good; the reason has the check and both of them."""
    gated.inject((fault, 2))
    gated.reboot("gpu-2")
    job = gated.slurm.submit("hostname", "-N2", "--gres=gpu:8")
    gated.slurm.wait_job(job, "COMPLETED", seconds=120)
    assert set(gated.slurm.hosts(job)) == {"gpu-1", "gpu-3"}
    gated.keep()
    reason = gated.slurm.wait_node("gpu-2", lambda found: "DRAIN" in found["State"])["Reason"]
    assert reason.startswith("bedplate NCL-00")
    assert "(gate): the pair with gpu-1 and gpu-3 failed: " in reason
    assert not gated.is_open("gpu-2")
    assert gated.is_open("gpu-1")
    assert gated.is_open("gpu-3")
    assert names_of(gated.reservations()) == [hold_of("gpu-2")]
    assert not gated.played.ranks()
    gated.keep()
    assert gated.slurm.node("gpu-2")["Reason"] == reason, "a drained node is not tried again"


def test_a_bad_partner_does_not_get_the_new_node_blamed(gated: GatedNodes) -> None:
    """The new node passes with another; the partner has to pass the gate itself, and does not."""
    gated.inject(("efa-device-slow", 1))
    gated.reboot("gpu-2")
    told = gated.keep()
    assert "gpu-2 with gpu-1: failed: " in told
    assert "gpu-2 with gpu-3: passed: " in told
    assert gated.is_open("gpu-2")
    assert "DRAIN" not in gated.slurm.node("gpu-2")["State"]
    reason = gated.slurm.node("gpu-1")["Reason"]
    assert "(gate): the pair with gpu-2 and gpu-3 failed: " in reason
    assert not gated.is_open("gpu-1")


def test_all_nodes_new_prove_each_other(gated: GatedNodes) -> None:
    """A cluster's first boot: nobody is known to be good, and the bad one is found all the same."""
    gated.inject(("efa-device-slow", 2))
    gated.reboot(*EVERY_NODE)
    gated.keep()
    assert [name for name in EVERY_NODE if gated.is_open(name)] == ["gpu-1", "gpu-3"]
    assert "(gate): the pair with gpu-1 and gpu-3 failed: " in gated.slurm.node("gpu-2")["Reason"]
    job = gated.slurm.submit("true", "-N2", "--gres=gpu:8")
    gated.slurm.wait_job(job, "COMPLETED", seconds=120)


def test_with_nobody_known_to_be_good_nobody_is_drained(gated: GatedNodes) -> None:
    """What all share is no node's fault: all wait, and they say for what."""
    gated.inject(("efa-device-slow", 1), ("efa-device-slow", 2), ("efa-device-slow", 3))
    gated.reboot(*EVERY_NODE)
    gated.keep()
    for name in EVERY_NODE:
        node = gated.slurm.node(name)
        assert "DRAIN" not in node["State"]
        assert "; nobody known to be good says which is bad" in node["Comment"]
        assert not gated.is_open(name)


def test_a_killed_gatekeeper_leaves_a_reservation_that_ends(gated: GatedNodes) -> None:
    """It ends by itself within the stated minutes, its job is gone at once, and the next run clears it."""
    gated.reboot("gpu-2")
    gated.played.pause()
    keeper = gated.start_keeper()
    until = time.monotonic() + 60
    while not gated.played.ranks(between_nodes=True) and time.monotonic() < until:
        time.sleep(0.2)
    kill(keeper)
    shown = gated.slurm.run("scontrol", "show", "reservations", "-o")
    (pair,) = [line for line in shown.splitlines() if "=bedplate-pair-" in line]
    end = datetime.fromisoformat(pair.split("EndTime=")[1].split()[0]).astimezone()
    assert end - datetime.now(UTC) < timedelta(minutes=PAIR_MINUTES)
    until = time.monotonic() + 60
    while gated.slurm.run("squeue", "--noheader").strip() and time.monotonic() < until:
        time.sleep(0.5)
    assert not gated.slurm.run("squeue", "--noheader").strip()
    gated.played.go_on()
    # On a busy host the last processes of a job that Slurm has ended take a moment to go.
    until = time.monotonic() + 60
    while gated.played.ranks() and time.monotonic() < until:
        time.sleep(0.5)
    assert not gated.played.ranks()
    assert "gpu-2 with gpu-1: passed: " in gated.keep()
    assert gated.reservations() == []


def test_a_drain_by_a_person_is_left_alone(gated: GatedNodes) -> None:
    """Neither tried, nor let in, nor its reason written over; once it is lifted the gate goes on."""
    gated.reboot("gpu-2")
    gated.slurm.run("scontrol", "update", "NodeName=gpu-2", "State=DRAIN", "Reason=swap a cable")
    assert "gpu-2" not in gated.keep()
    gated.check_health("gpu-2")
    node = gated.slurm.node("gpu-2")
    assert "DRAIN" in node["State"]
    assert node["Reason"].startswith("swap a cable")
    assert not gated.is_open("gpu-2")
    gated.slurm.run("scontrol", "update", "NodeName=gpu-2", "State=UNDRAIN")
    # On a busy host a run may come before slurmd has told Slurm of itself again: the next one sees to it.
    told, until = gated.keep(), time.monotonic() + 90
    while "gpu-2 with gpu-1: passed: " not in told and time.monotonic() < until:
        told = gated.keep()
    assert "gpu-2 with gpu-1: passed: " in told


def test_where_no_partner_is_free_it_waits_and_says_so(gated: GatedNodes) -> None:
    """Its comment tells for how long, once that is longer than stated; the jobs of others go on."""
    jobs = [
        gated.slurm.submit("sleep 300", "-N1", f"--nodelist={name}", "--gres=gpu:8")
        for name in ("gpu-1", "gpu-3")
    ]
    for job in jobs:
        gated.slurm.wait_job(job, "RUNNING", seconds=120)
    gated.reboot("gpu-2")
    gated.keep()
    assert not gated.is_open("gpu-2")
    gated.keep("--told-after", "0")
    assert "no partner of its kind is free" in gated.slurm.node("gpu-2")["Comment"]
    assert [gated.slurm.job(job)["JobState"] for job in jobs] == ["RUNNING", "RUNNING"]
    gated.slurm.run("scancel", *jobs)
    gated.slurm.wait_idle(2)
    assert "gpu-2 with gpu-1: passed: " in gated.keep()


def test_a_node_with_nobody_to_pair_with_is_let_in_by_its_own_checks(gated: GatedNodes) -> None:
    """After the stated time, where no other node of its kind is up; its mark says that it was alone."""
    for name in ("gpu-1", "gpu-3"):
        gated.slurm.run("scontrol", "update", f"NodeName={name}", "State=DRAIN", "Reason=none of ours")
    gated.reboot("gpu-2")
    gated.keep()
    assert not gated.is_open("gpu-2")
    assert "gpu-2 is let in by its own checks alone" in gated.keep("--alone-after", "0")
    assert gated.mark("gpu-2")["how"] == "alone"
    job = gated.slurm.submit("true", "-N1", "--nodelist=gpu-2", "--gres=gpu:8")
    gated.slurm.wait_job(job, "COMPLETED", seconds=120)


def test_the_health_check_keeps_a_waiting_node_where_it_is(gated: GatedNodes) -> None:
    """It lets the reservation last on, says what the node waits for, and drains it where it is
    sick, as any other.
    """
    gated.reboot("gpu-2")
    (before,) = gated.reservations()
    gated.check_health("gpu-2")
    node = gated.slurm.node("gpu-2")
    assert node["Comment"] == WAITS
    assert "DRAIN" not in node["State"]
    gated.inject(("gpu-lost", 2))
    gated.check_health("gpu-2")
    reason = gated.slurm.node("gpu-2")["Reason"]
    assert reason.startswith("bedplate GPU-001 (health check): ")
    assert "gpu-2" not in gated.keep()
    (after,) = gated.reservations()
    assert (after.name, after.start) == (before.name, before.start)
