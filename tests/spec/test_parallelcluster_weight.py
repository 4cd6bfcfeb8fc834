"""How much there may be of everything under ParallelCluster before its configuration is too large."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml

from bedplate.spec.problems import Problem
from tests.support.largest import MOST_PARALLELCLUSTER_POOLS, on_parallelcluster

ProblemsOf = Callable[[str], list[Problem]]


def _ids(problems: list[Problem]) -> list[str]:
    return [each.id for each in problems]


def test_one_pool_more_than_the_most_is_refused(problems_of: ProblemsOf) -> None:
    """With every mount and the longest options the bound is between two numbers of pools."""
    assert problems_of(yaml.safe_dump(on_parallelcluster(MOST_PARALLELCLUSTER_POOLS))) == []
    (problem,) = problems_of(yaml.safe_dump(on_parallelcluster(MOST_PARALLELCLUSTER_POOLS + 1)))
    assert (problem.id, problem.path) == ("ORC-023", "pools")
    assert problem.given == f"{MOST_PARALLELCLUSTER_POOLS + 1} pools, 16 file systems"


@pytest.mark.parametrize("mounts", [1, 8])
def test_fifty_pools_are_let_through_with_few_mounts(mounts: int, problems_of: ProblemsOf) -> None:
    """The 50 that ParallelCluster takes fit where nodes mount some file systems."""
    data = on_parallelcluster(50)
    data["storage"] = {**data["storage"], "file_systems": data["storage"]["file_systems"][:mounts]}
    assert problems_of(yaml.safe_dump(data)) == []


def test_long_settings_count(problems_of: ProblemsOf) -> None:
    """Slurm parameters of partitions are in the configuration, so three of 1 kB each are too many."""
    data = on_parallelcluster(50)
    data["storage"] = {**data["storage"], "file_systems": data["storage"]["file_systems"][9:]}
    del data["orchestrator"]["users"], data["orchestrator"]["homes"], data["observability"]["grafana"]
    for existing in data["storage"]["file_systems"]:
        existing["options"] = []
    assert problems_of(yaml.safe_dump(data)) == []
    for partition in data["orchestrator"]["partitions"]:
        words = ("TRESBillingWeights", "QOS", "AllowQos")
        partition["settings"] = dict.fromkeys(words, "x" * 1000)
    assert _ids(problems_of(yaml.safe_dump(data))) == ["ORC-023"]


def test_reservations_and_tags_count_for_the_template(problems_of: ProblemsOf) -> None:
    """Each reservation of the stack's repeats all tags, and so does its group."""
    data = on_parallelcluster(50)
    data["storage"] = {**data["storage"], "file_systems": data["storage"]["file_systems"][:8]}
    assert problems_of(yaml.safe_dump(data)) == []
    for pool in data["pools"]:
        pool["capacity"] = {"source": "targeted-reservation", "reservation": "create"}
    data["tags"] = {f"tag-{number:02}": "x" * 35 for number in range(30)}
    (problem,) = problems_of(yaml.safe_dump(data))
    assert problem.id == "ORC-023"
    assert "template" in problem.message


def test_pcs_is_not_weighed(demo_text: str, problems_of: ProblemsOf) -> None:
    """PCS gets no such configuration."""
    assert problems_of(demo_text) == []
