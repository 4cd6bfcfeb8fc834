"""``set-accounts`` against a real slurmdbd: accounts become what the teams say, and hold."""

from __future__ import annotations

import os
import time

import pytest

from bedplate.node.__main__ import main
from bedplate.node.account import Account
from bedplate.node.set_accounts import encode_teams
from bedplate.slurm.settings import cluster_settings, queue_settings
from bedplate.spec.orchestrator import SlurmPcs
from tests.support.real_slurm.cluster import RealSlurm
from tests.support.real_slurm.config import PartitionLine, without_hooks

from .conftest import Start

pytestmark = [
    pytest.mark.real("slurmctld", "munged", "slurmdbd", "mariadbd"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
    pytest.mark.slow,
    pytest.mark.timeout(240),
]
SLURM = SlurmPcs.model_validate(
    {
        "kind": "slurm-pcs",
        "partitions": [{"name": "train", "pools": ["h200"], "default": True, "teams": ["vision"]}],
        "teams": [{"name": "vision"}, {"name": "pretraining"}],
    }
)
VISION = Account("vision", 1, 8, ("root",))
PRETRAINING = Account("pretraining", 3, None, ("bin", "daemon", "root"))


@pytest.fixture(scope="module")
def slurm(start_slurm: Start) -> RealSlurm:
    """Two nodes with our settings, accounting, and a partition of one team."""
    partition = SLURM.partitions[0]
    return start_slurm(
        nodes=2,
        settings=without_hooks(cluster_settings(SLURM, kind=SLURM.kind)),
        accounting=True,
        partitions=(PartitionLine(partition.name, queue_settings(partition, kind=SLURM.kind)),),
    )


def _set(
    slurm: RealSlurm, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *teams: Account
) -> str:
    """What set-accounts says at its end; it ends well."""
    monkeypatch.setenv("SLURM_CONF", str(slurm.conf))
    capsys.readouterr()
    assert main(["set-accounts", "--teams", encode_teams(teams)]) == 0
    return capsys.readouterr().out.splitlines()[-1]


def _associations(slurm: RealSlurm) -> set[str]:
    shown = slurm.run("sacctmgr", "-nP", "show", "associations", "format=account,user,fairshare,grptres")
    return {line for line in shown.split() if not line.startswith("root|")}


def _reason(slurm: RealSlurm, job: str) -> str:
    """Why a job waits, once the scheduler has looked at it."""
    until = time.monotonic() + 60
    while (reason := slurm.job(job)["Reason"]) in ("None", "Priority") and time.monotonic() < until:
        time.sleep(0.3)
    return reason


def test_accounts_follow_the_teams(
    slurm: RealSlurm, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Made with shares, bounds and members; changed, taken away; and nothing where nothing differs."""
    slurm.run("sacctmgr", "-i", "add", "account", "guests")
    for said in ("2 teams, 6 changes made, 0 refused", "2 teams, 0 changes made, 0 refused"):
        assert _set(slurm, monkeypatch, capsys, VISION, PRETRAINING) == said
    assert _associations(slurm) == {
        "guests||1|",
        "vision||1|gres/gpu=8",
        "vision|root|1|",
        "pretraining||3|",
        *(f"pretraining|{user}|1|" for user in PRETRAINING.users),
    }
    assert _set(slurm, monkeypatch, capsys, Account("vision", 5, None)).startswith("1 teams, 3 changes")
    assert _associations(slurm) == {"guests||1|", "vision||5|"}


def test_bounds_and_partitions_hold(
    slurm: RealSlurm, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A team's second node waits for its bound, another team is refused by the partition, and sacct tells
    whose job it was.
    """
    _set(slurm, monkeypatch, capsys, VISION, PRETRAINING)
    gpus = ("--gres=gpu:8", "--account=vision")
    first = slurm.submit("sleep 60", *gpus)
    slurm.wait_job(first, "RUNNING")
    second = slurm.submit("sleep 1", *gpus)
    assert "Assoc" in _reason(slurm, second)
    with pytest.raises(Exception, match="account"):
        slurm.submit("sleep 1", "--account=pretraining")
    slurm.cancel_all()
    assert slurm.run("sacct", "-nXP", "-j", first, "-o", "account").strip() == "vision"
