"""ParallelCluster's own schema takes what is made, and reads in it what was meant."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.capacity.legality import SHAPES, WAYS, pool_of
from bedplate.spec.pools import Pool
from tests.slurm.pools import pool
from tests.support.pcluster.accept import ask

from .conftest import RESERVATION, made, orchestrator

pytestmark = pytest.mark.real("pcluster")
_CANNOT = {"training plan", "interruptible reservation"}
"""Ways of buying that ParallelCluster has no words for."""


def _named(made_of: Pool, name: str) -> Pool:
    return made_of.model_copy(update={"name": name})


def test_the_schema_takes_everything_at_once() -> None:
    """Login nodes, a database, three file systems, images, tags, two pools in a queue."""
    found = made(pool(), pool(name="more", nodes=4), images={"x86_64": "ami-0123456789abcdef0"})
    answer = ask(found)
    assert answer["refused"] is None
    assert answer["queues"] == {
        "train": {
            "capacity_type": "ONDEMAND",
            "compute_resources": {
                "h200": {"min": 8, "max": 8, "efa": True},
                "more": {"min": 4, "max": 4, "efa": True},
            },
        }
    }


def test_the_schema_takes_every_type_bought_in_every_way() -> None:
    """A queue each, in one configuration: what the hardware table and the plan allow is accepted."""
    pools, partitions = [], []
    for shape in SHAPES:
        for way in sorted(set(WAYS) - _CANNOT):
            try:
                one = _named(pool_of(shape, way), f"p{len(pools)}")
                made(one, reservations={one.name: RESERVATION})
            except ValueError:
                continue
            pools.append(one)
            partitions.append({"name": f"q{len(partitions)}xx", "pools": [one.name]})
    assert len(pools) > 40
    slurm = orchestrator(partitions=partitions)
    names = {each.name: RESERVATION for each in pools if each.capacity.source == "targeted-reservation"}
    answer = ask(made(*pools, slurm=slurm, reservations=names))
    assert answer["refused"] is None
    assert len(answer["queues"]) == len(pools)


@pytest.mark.parametrize(
    "change", [{"Regoin": "us-west-2"}, {"Scheduling": {"Scheduler": "slurm"}}, {"HeadNode": {}}]
)
def test_the_schema_refuses_what_is_wrong(change: dict[str, Any]) -> None:
    """A test that no configuration fails would say nothing."""
    assert ask({**made(), **change})["refused"]
