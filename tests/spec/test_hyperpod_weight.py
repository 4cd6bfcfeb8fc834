"""How much there may be of everything under HyperPod before its nodes' files are too large."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml

from bedplate.spec.problems import Problem
from tests.support.largest import MOST_HYPERPOD_POOLS, largest, on_hyperpod

ProblemsOf = Callable[[str], list[Problem]]
MOST_POOLS = 98


def test_one_pool_more_than_the_most_is_refused(problems_of: ProblemsOf) -> None:
    """With every mount and the longest options the bound is between two numbers of pools."""
    assert problems_of(yaml.safe_dump(on_hyperpod(MOST_HYPERPOD_POOLS))) == []
    (problem,) = problems_of(yaml.safe_dump(on_hyperpod(MOST_HYPERPOD_POOLS + 1)))
    assert (problem.id, problem.path) == ("ORC-043", "pools")
    assert problem.given == f"{MOST_HYPERPOD_POOLS + 1} pools, 16 file systems"


@pytest.mark.parametrize("mounts", [1, 8])
def test_all_pools_are_let_through_with_few_mounts(mounts: int, problems_of: ProblemsOf) -> None:
    """The 98 that HyperPod takes fit where nodes mount some file systems."""
    data = on_hyperpod(MOST_POOLS)
    data["storage"] = {**data["storage"], "file_systems": data["storage"]["file_systems"][:mounts]}
    assert problems_of(yaml.safe_dump(data)) == []


def test_packages_of_containers_count(problems_of: ProblemsOf) -> None:
    """Each group's file names every package, its digest and Pyxis."""
    data = on_hyperpod(MOST_POOLS)
    data["storage"] = {**data["storage"], "file_systems": data["storage"]["file_systems"][:8]}
    data["orchestrator"]["containers"] = largest()["created"]["orchestrator"]["containers"]
    assert [each.id for each in problems_of(yaml.safe_dump(data))] == ["ORC-043"]
