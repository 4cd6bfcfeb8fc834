"""Fair share on a real slurmctld and slurmdbd: the team that had less than its share goes first."""

from __future__ import annotations

import os
import time

import pytest

from bedplate.node.__main__ import main
from bedplate.node.account import Account
from bedplate.node.set_accounts import encode_teams
from bedplate.slurm.settings import cluster_settings
from bedplate.spec.orchestrator import SlurmPcs
from tests.support.real_slurm.cluster import RealSlurm
from tests.support.real_slurm.config import without_hooks

from .conftest import Start

pytestmark = [
    pytest.mark.real("slurmctld", "munged", "slurmdbd", "mariadbd"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
    pytest.mark.slow,
    pytest.mark.timeout(300),
]
SLURM = SlurmPcs.model_validate(
    {
        "kind": "slurm-pcs",
        "partitions": [{"name": "train", "pools": ["h200"], "default": True}],
        "teams": [{"name": "vision"}, {"name": "pretraining", "share": 3}],
        # Usage counts after a minute instead of five; who is next stays the same.
        "settings": {"PriorityCalcPeriod": "1"},
    }
)
TEAMS = (Account("vision", 1, None, ("root",)), Account("pretraining", 3, None, ("root",)))
COLUMNS = "account,user,rawusage,effectvusage"
COUNTED_SECONDS = 90
"""A minute until usage is counted, and some more for a busy machine."""


@pytest.fixture(scope="module")
def slurm(start_slurm: Start) -> RealSlurm:
    """Two nodes with our settings and the accounts of two teams, one with three times the other's share."""
    started = start_slurm(
        nodes=2, settings=without_hooks(cluster_settings(SLURM, kind=SLURM.kind)), accounting=True
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_CONF", str(started.conf))
        assert main(["set-accounts", "--teams", encode_teams(TEAMS)]) == 0
    return started


def _use(slurm: RealSlurm, **seconds: int) -> None:
    """Each team holds a whole node for so long; return once Slurm goes by it."""
    jobs = [
        slurm.submit(f"sleep {each}", "-N1", "--exclusive", f"--account={team}")
        for team, each in seconds.items()
    ]
    for job in jobs:
        slurm.wait_job(job, "COMPLETED", seconds=120)
    until = time.monotonic() + COUNTED_SECONDS
    while not _counted(slurm):
        assert time.monotonic() < until, "what was used is counted"
        time.sleep(0.5)


def _counted(slurm: RealSlurm) -> bool:
    """Whether the usage that priorities are made of is what has been used: Slurm adds that at once."""
    rows = [
        line.strip().split("|") for line in slurm.run("sshare", "-nP", f"--format={COLUMNS}").splitlines()
    ]
    used = {account: (int(raw), float(counted)) for account, user, raw, counted in rows if not user}
    total = used.pop("root")[0]
    return all(abs(counted - raw / total) < 0.02 for raw, counted in used.values())


def _first(slurm: RealSlurm, *teams: str) -> str:
    """The team whose job is started first of those that wait, submitted in this order for all nodes."""
    held = slurm.submit("sleep 300", "-N2", "--exclusive", "--account=root")
    slurm.wait_job(held, "RUNNING")
    jobs = {slurm.submit("sleep 300", "-N2", "--exclusive", f"--account={team}"): team for team in teams}
    slurm.run("scancel", held)
    until = time.monotonic() + 60
    while not (running := [job for job in jobs if slurm.job(job)["JobState"] == "RUNNING"]):
        assert time.monotonic() < until, "a job starts"
        time.sleep(0.2)
    slurm.cancel_all()
    return jobs[running[0]]


def test_of_two_teams_that_used_the_same_the_one_with_the_larger_share_goes_first(slurm: RealSlurm) -> None:
    """Its job starts although the other team's, of the same size, has waited for longer."""
    _use(slurm, vision=10, pretraining=10)
    assert _first(slurm, "vision", "pretraining") == "pretraining"


def test_a_team_that_used_far_more_than_its_share_waits(slurm: RealSlurm) -> None:
    """Three times the share are no more than that: after six times the use the other team goes first."""
    _use(slurm, pretraining=60)
    assert _first(slurm, "pretraining", "vision") == "vision"
