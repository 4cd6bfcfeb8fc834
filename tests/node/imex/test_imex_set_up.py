"""The prolog's part for IMEX on one node: what it writes, when it drains, and when it lets the job go on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from bedplate.node.imex.set_up import SetUp, set_up
from bedplate.node.slurm_client import SlurmClient
from tests.diagnosis.gpu_texts import imex
from tests.node.imex.stage import JOB, OWN, PEER, Stage


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """A healthy node of a job of two."""
    return Stage(tmp_path, monkeypatch)


def _set_up(*, seconds: float = 1.0, **changes: str) -> SetUp:
    until = time.monotonic() + seconds
    return set_up(slurm=SlurmClient(until=until), until=until, environment={**JOB, **changes})


def test_the_service_is_stopped_before_its_files_change_and_started_after(stage: Stage) -> None:
    """It reads them at its start alone, and shuts peers off for a list that changes while it runs."""
    assert _set_up() == SetUp()
    assert stage.asked == ["stop nvidia-imex.service", "start nvidia-imex.service"]
    assert stage.told("started-with") == [OWN, PEER]
    assert stage.marked == 77


def test_ours_is_set_in_the_configuration_and_the_rest_stays(stage: Stage) -> None:
    """Its own port for each job, and the command service that is asked for the domain."""
    _set_up()
    assert stage.at("etc/nvidia-imex/config.cfg").read_text().splitlines() == [
        "# a comment",
        "LOG_LEVEL=4",
        "SERVER_PORT=20077",
        "IMEX_CMD_ENABLED=1",
        "IMEX_CONN_WAIT_TIMEOUT=70",
        "IMEX_NODE_CONFIG_FILE=/etc/nvidia-imex/nodes_config.cfg",
        "IMEX_CMD_PORT=50005",
    ]


def test_all_nodes_of_a_job_write_the_same_list(stage: Stage) -> None:
    """In the order of the addresses as numbers, whatever the order in which Slurm shows the nodes."""
    addresses = {"gpu-3": "10.0.1.10", "gpu-1": OWN, "gpu-2": PEER}
    stage.tell("nodes", stage.nodes_shown(addresses))
    _set_up()
    assert stage.peers == [OWN, PEER, "10.0.1.10"]


def test_a_job_of_one_node_has_a_domain_of_itself(stage: Stage) -> None:
    """Alone in its list, and up."""
    stage.tell("nodes", stage.nodes_shown({"gpu-1": OWN}))
    stage.tell("domain", imex(nodes={OWN: "READY"}))
    assert _set_up(SLURM_JOB_NODELIST="gpu-1") == SetUp()
    assert stage.peers == [OWN]


def test_a_requeued_job_finds_its_domain_made_anew(stage: Stage) -> None:
    """Twice the same, with other nodes the second time."""
    _set_up()
    stage.tell("nodes", stage.nodes_shown({"gpu-1": OWN, "gpu-9": "10.0.1.13"}))
    stage.tell("domain", imex(nodes={OWN: "READY", "10.0.1.13": "READY"}))
    assert _set_up() == SetUp()
    assert stage.told("started-with") == [OWN, "10.0.1.13"]
    assert stage.at("etc/nvidia-imex/config.cfg").read_text().count("SERVER_PORT") == 1


@pytest.mark.parametrize(
    ("told", "alone"),
    [
        ({"SLURM_JOB_OVERSUBSCRIBE": "TOPO"}, True),
        ({"SLURM_JOB_OVERSUBSCRIBE": "NO", "SLURM_JOB_EXCLUSIVE": "NODE"}, True),
        ({"SLURM_JOB_OVERSUBSCRIBE": "NO", "SLURM_JOB_EXCLUSIVE": "NO"}, False),
        ({"SLURM_JOB_OVERSUBSCRIBE": "(null)"}, False),
        ({"SLURM_JOB_OVERSUBSCRIBE": "USER"}, False),
    ],
)
def test_a_job_that_shares_its_nodes_gets_no_domain(stage: Stage, told: dict[str, str], alone: bool) -> None:
    """A restart of the service would cut NVLink for its neighbour: nothing is touched, and the job starts."""
    made = _set_up(**told)
    assert made.fault == ""
    assert (stage.asked != []) is alone
    assert ("shares its nodes" in made.told) is not alone


@pytest.mark.parametrize(
    ("shown", "alone"),
    [
        ("JobId=77 OverSubscribe=NO Contiguous=0", True),
        ("JobId=77 OverSubscribe=OK Contiguous=0", False),
        ("JobId=77 OverSubscribe=NO Exclusive=NO Contiguous=0", False),
        ("JobId=77 OverSubscribe=NO Exclusive=NODE Contiguous=0", True),
    ],
)
def test_slurm_is_asked_where_slurmd_does_not_tell_who_shares(stage: Stage, shown: str, alone: bool) -> None:
    """slurmd of 22.05 has no word for it; that of 2026 has two."""
    stage.tell("job", shown)
    made = _set_up(SLURM_JOB_OVERSUBSCRIBE="")
    assert made.fault == ""
    assert (stage.asked != []) is alone


def test_an_image_without_imex_is_told_and_drains_nothing(stage: Stage) -> None:
    """It is missing on all nodes of the image: the validation fails them, not each job's prolog."""
    stage.tell("file-state", "disabled")
    assert _set_up() == SetUp(told="the image does not start nvidia-imex: the job has no IMEX domain")
    assert stage.asked == []


def _is_missing(stage: Stage) -> None:
    stage.at("etc/nvidia-imex/config.cfg").unlink()


def _is_a_folder(stage: Stage) -> None:
    stage.at("etc/nvidia-imex/nodes_config.cfg").mkdir()


@pytest.mark.parametrize("damage", [_is_missing, _is_a_folder])
def test_a_configuration_that_cannot_be_written_is_the_nodes_fault(stage: Stage, damage: Any) -> None:
    """The service is not started with what was there before."""
    damage(stage)
    assert _set_up().fault.startswith("the configuration of nvidia-imex cannot be written: ")
    assert "start nvidia-imex.service" not in stage.asked
    assert not list(stage.at("etc/nvidia-imex").glob(".*"))


def test_a_service_that_does_not_start_is_the_nodes_fault(stage: Stage) -> None:
    """In systemd's words."""
    stage.tell("start-fails")
    assert _set_up().fault == "nvidia-imex does not start: Job for nvidia-imex.service failed."


def test_a_service_that_hangs_at_its_start_is_the_nodes_fault(stage: Stage) -> None:
    """It is given what is left of the time."""
    stage.tell("hangs-start")
    began = time.monotonic()
    assert _set_up().fault.startswith("nvidia-imex does not start: deadline")
    assert time.monotonic() - began < 10


def test_a_service_that_does_not_stop_is_killed_and_else_left_with_its_files(stage: Stage) -> None:
    """Its files are not changed under it."""
    stage.tell("never-stops")
    assert _set_up().fault == "nvidia-imex does not stop: active"
    assert not stage.at("etc/nvidia-imex/nodes_config.cfg").exists()


def test_a_node_that_is_not_ready_itself_is_at_fault(stage: Stage) -> None:
    """It waited as long as it may."""
    stage.tell("domain", imex(status="DEGRADED", nodes={OWN: "WAITING_FOR_PEERS", PEER: "READY"}))
    assert _set_up().fault == "IMEX of this node is WAITING_FOR_PEERS"


def test_a_peer_that_is_missing_does_not_drain_the_others(stage: Stage) -> None:
    """It fails its own prolog, which keeps the job from starting here too."""
    stage.tell("domain", imex(status="DEGRADED", nodes={OWN: "READY", PEER: "UNAVAILABLE"}))
    assert _set_up() == SetUp(told=f"the IMEX domain is not up: {PEER} is UNAVAILABLE")


def test_a_peer_that_comes_later_is_waited_for(stage: Stage) -> None:
    """Prologs begin together and are not alike in length."""
    late = imex(status="DEGRADED", nodes={OWN: "READY", PEER: "UNAVAILABLE"})
    text = f"if [ -e '{stage.folder}/second' ]; then cat '{stage.folder}/domain'; exit; fi\n"
    text += f": > '{stage.folder}/second'\ncat <<'END'\n{late}\nEND\n"
    control = stage.folder.parent / "bin/nvidia-imex-ctl"
    control.write_text(f"#!/bin/sh\n{text}")
    assert _set_up(seconds=5) == SetUp()


def test_two_nodes_that_do_not_reach_each_other_are_both_at_fault(stage: Stage) -> None:
    """Nobody else can tell which of them it is."""
    apart = {(OWN, PEER): "NEVER_CONNECTED", (PEER, OWN): "NEVER_CONNECTED"}
    stage.tell("domain", imex(status="DEGRADED", nodes={OWN: "READY", PEER: "READY"}, connections=apart))
    assert _set_up().fault == "IMEX reaches 0 of 1 nodes that are ready"


def test_where_slurm_does_not_answer_the_node_comes_back_by_itself(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its peers the job must not start; nothing was changed on the node."""
    monkeypatch.setattr("bedplate.node.imex.set_up._ADDRESS_SECONDS", 1.0)
    stage.tell("hangs-scontrol")
    made = _set_up()
    assert made == SetUp(fault="Slurm did not say the addresses of the job's nodes", slurm_is_silent=True)
    assert stage.asked == []


@pytest.mark.parametrize(
    ("addresses", "fault"),
    [
        ({"gpu-1": OWN, "gpu-2": "gpu-2"}, "Slurm has no address of gpu-2 yet"),
        ({"gpu-1": OWN, "gpu-2": OWN}, "Slurm has one address for two of the job's nodes"),
        ({"gpu-2": PEER}, "Slurm does not count this node among the job's: gpu-1"),
    ],
)
def test_a_list_that_cannot_be_right_is_not_written(
    stage: Stage, addresses: dict[str, str], fault: str
) -> None:
    """A wrong list shuts the node off for good, until all services are stopped."""
    stage.tell("nodes", stage.nodes_shown(addresses))
    assert _set_up() == SetUp(fault=fault, slurm_is_silent=True)
    assert stage.asked == []


@pytest.mark.parametrize(("own", "fault"), [("READY", ""), ("INITIALIZING", "INITIALIZING")])
def test_a_question_to_all_peers_that_hangs_is_asked_of_this_node_alone(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, own: str, fault: str
) -> None:
    """One that is gone may keep it: who is ready is not drained for that."""
    monkeypatch.setattr("bedplate.node.imex.set_up._ASK_SECONDS", 0.5)
    stage.tell("hangs-control")
    stage.tell("own-state", own)
    made = _set_up()
    assert fault in made.fault
    assert bool(made.fault) is bool(fault)
    assert made.fault or "does not say how the peers are" in made.told


def test_a_tool_that_is_missing_or_says_what_nobody_reads_is_told(stage: Stage) -> None:
    """It is so on all nodes of the image; the job goes on, and the validation says it."""
    stage.tell("domain", "Domain State: UP")
    assert "cannot be read" in _set_up().told
    (stage.folder.parent / "bin/nvidia-imex-ctl").unlink()
    made = _set_up()
    assert made.fault == ""
    assert "cannot be asked for" in made.told


def test_a_driver_without_channels_is_told(stage: Stage) -> None:
    """The device that CUDA programs need cannot be made then."""
    stage.at("dev/nvidia-caps-imex-channels/channel0").unlink()
    stage.at("proc").mkdir()
    stage.at("proc/devices").write_text("Character devices:\n  1 mem\n195 nvidia\n")
    assert _set_up().told == "the driver has no IMEX channels: /proc/devices names none"


def test_the_default_channel_is_made_of_the_drivers_number(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For all users; it is gone at each boot."""
    made: list[tuple[object, ...]] = []

    def mknod(path: str, *rest: object) -> None:
        made.append(rest)
        Path(path).touch()

    monkeypatch.setattr("os.mknod", mknod)
    channel = stage.at("dev/nvidia-caps-imex-channels/channel0")
    channel.unlink()
    stage.at("proc").mkdir()
    stage.at("proc/devices").write_text("Character devices:\n195 nvidia\n234 nvidia-caps-imex-channels\n")
    assert _set_up() == SetUp()
    assert made == [(0o020666, 234 << 8)]
    assert channel.stat().st_mode & 0o777 == 0o666
