"""The epilog's part for IMEX: the job's own domain goes, another's stays."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bedplate.node.imex.set_up import set_up
from bedplate.node.imex.take_down import take_down
from bedplate.node.slurm_client import SlurmClient
from tests.node.imex.stage import JOB, OWN, PEER, Stage


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """A node on which job 77 has its domain."""
    made = Stage(tmp_path, monkeypatch)
    until = time.monotonic() + 1
    assert set_up(slurm=SlurmClient(until=until), until=until, environment=JOB).fault == ""
    return made


def test_the_jobs_domain_ends_with_the_job(stage: Stage) -> None:
    """The service is stopped, the list empty; done twice, nothing more happens."""
    assert take_down(JOB) == ""
    assert stage.asked[2:] == ["stop nvidia-imex.service"]
    assert stage.peers == []
    assert stage.marked is None
    assert take_down(JOB) == ""
    assert len(stage.asked) == 3


def test_another_jobs_epilog_leaves_it_alone(stage: Stage) -> None:
    """Such as that of a job that shared the node and had none."""
    assert take_down({**JOB, "SLURM_JOB_ID": "78"}) == ""
    assert take_down({}) == ""
    assert stage.peers == [OWN, PEER]
    assert stage.asked[2:] == []


def test_a_service_that_does_not_stop_is_told(stage: Stage) -> None:
    """The list stays as it is, for it must not change under it; the next prolog tries again."""
    stage.tell("never-stops")
    assert take_down(JOB) == "nvidia-imex does not stop: active"
    assert stage.asked[-1] == "kill --signal=SIGKILL nvidia-imex.service"
    assert stage.peers == [OWN, PEER]
