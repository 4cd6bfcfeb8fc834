"""Where a job may run: what the environment file allows is taken, all else is refused with what it has."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.errors import ExitCode, UsageError
from bedplate.slurm.jobs.asked import JobAsked
from bedplate.slurm.jobs.placement import Placement, place
from tests.slurm.jobs.made import TRAIN, pcs
from tests.slurm.pools import pool

DEBUG = {"name": "debug", "pools": ["h100"], "max_time_hours": 2}
POOLS = (pool(), pool(name="h100", instance_type="p5.48xlarge", nodes={"min": 0, "max": 3}))
TEAMS = [{"name": "vision"}, {"name": "speech"}]


def _place(slurm: dict[str, Any] | None = None, **asked: Any) -> Placement:
    wanted = pcs(**{"partitions": [TRAIN, DEBUG], **(slurm or {})})
    return place(asked=JobAsked(name="proof", **asked), slurm=wanted, pools=POOLS, usual_hours=24)


def test_the_default_partition_and_all_its_nodes_are_taken() -> None:
    """A job that asks for nothing gets the default partition, all nodes, no account and the usual time."""
    found = _place()
    assert (found.partition, found.nodes, found.account, found.hours) == ("train", 8, "", 24)
    assert found.hardware.gpus == 8


def test_a_named_partition_bounds_nodes_and_time() -> None:
    """The most that a growing pool may have counts, and the usual time is cut to the partition's."""
    found = _place(partition="debug")
    assert (found.partition, found.nodes, found.hours) == ("debug", 3, 2)
    assert _place(partition="debug", nodes=1, hours=1).nodes == 1


def test_a_partition_alone_needs_no_default() -> None:
    """Where there is one partition it is meant."""
    assert _place({"partitions": [DEBUG]}).partition == "debug"


def test_an_account_is_one_that_the_partition_takes() -> None:
    """A team's name is taken where the partition takes the team."""
    own = {**TRAIN, "teams": ["vision"]}
    assert _place({"teams": TEAMS, "partitions": [own]}, account="vision").account == "vision"
    with pytest.raises(UsageError, match="'speech' is no team of partition 'train'") as refused:
        _place({"teams": TEAMS, "partitions": [own]}, account="speech")
    assert refused.value.remedy == "Give --account with one of: vision."


@pytest.mark.parametrize(
    ("slurm", "asked", "error_id", "says"),
    [
        ({}, {"partition": "trian"}, "JOB-001", "train, debug"),
        ({"partitions": [{**TRAIN, "default": False}, DEBUG]}, {}, "JOB-001", "train, debug"),
        ({}, {"nodes": 9}, "JOB-002", "from 1 to 8"),
        ({}, {"nodes": 0}, "JOB-002", "from 1 to 8"),
        ({"partitions": [{**TRAIN, "pools": ["h200", "h100"]}]}, {}, "JOB-003", "one instance type"),
        ({"teams": TEAMS}, {}, "JOB-004", "vision, speech"),
        ({}, {"account": "vision"}, "JOB-004", "Leave --account out"),
        ({"accounting": False}, {"account": "vision"}, "JOB-004", "Leave --account out"),
        ({}, {"partition": "debug", "hours": 3}, "JOB-005", "from 1 to 2"),
        ({}, {"hours": 0}, "JOB-005", "from 1 to 8760"),
        ({}, {"hours": -1}, "JOB-005", "from 1 to 8760"),
        ({}, {"hours": 8761}, "JOB-005", "from 1 to 8760"),
        ({}, {"account": ""}, "JOB-004", "Leave --account out"),
    ],
)
def test_what_the_file_does_not_allow_is_refused(
    slurm: dict[str, Any], asked: dict[str, Any], error_id: str, says: str
) -> None:
    """Each by its id, with what would be taken, as a command that makes no sense."""
    with pytest.raises(UsageError) as refused:
        _place(slurm, **asked)
    assert (refused.value.error_id, refused.value.exit_code) == (error_id, ExitCode.USAGE)
    assert says in refused.value.remedy


def test_a_teams_bound_on_gpus_bounds_its_nodes() -> None:
    """What is over it would wait for ever; a job that asks for no number gets what the team may hold."""
    bounded = {"teams": [{"name": "vision", "max_gpus": 20}]}
    assert _place(bounded, account="vision").nodes == 2
    assert _place(bounded, account="vision", nodes=2).nodes == 2
    with pytest.raises(UsageError, match="3 nodes are asked, and the team may hold the GPUs of 2 at once"):
        _place(bounded, account="vision", nodes=3)
    none = {"teams": [{"name": "vision", "max_gpus": 4}]}
    with pytest.raises(UsageError, match="the team may hold the GPUs of 0 at once"):
        _place(none, account="vision")
