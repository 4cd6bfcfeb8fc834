"""What is said of HyperPod's own ways, where a rule speaks of every orchestrator."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.spec.problems import Problem

ProblemsOf = Callable[[str], list[Problem]]
EXAMPLE = Path(__file__).parents[2] / "environments/hyperpod.yaml"


@pytest.fixture
def data() -> dict[str, Any]:
    """The example, as plain data."""
    found: dict[str, Any] = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    return found


def test_an_unknown_type_is_told_once(data: dict[str, Any], problems_of: ProblemsOf) -> None:
    """The rule of HyperPod's types does not offer login nodes' types for a pool that nobody knows."""
    data["pools"][0]["instance_type"] = "ml.p5en.48xlarge"
    assert [each.id for each in problems_of(yaml.safe_dump(data))] == ["CAP-001"]


def test_an_ultraserver_is_bought_by_a_plan(data: dict[str, Any], problems_of: ProblemsOf) -> None:
    """The remedy names no block of EC2, which HyperPod would refuse next."""
    pool = {"instance_type": "p6e-gb200.36xlarge", "ultraserver": "u-p6e-gb200x36", "nodes": 9}
    data["pools"][0].update(pool)
    (problem,) = [each for each in problems_of(yaml.safe_dump(data)) if each.id == "CAP-003"]
    assert "training-plan" in problem.remedy
    assert "block" not in problem.remedy


@pytest.mark.parametrize("name", ["TaskPlugin", "TopologyPlugin", "SelectType"])
def test_what_hyperpods_agent_needs_is_not_set(
    name: str, data: dict[str, Any], problems_of: ProblemsOf
) -> None:
    """Its recovery needs task/none, and a topology of one's own stops slurmctld."""
    data["orchestrator"]["settings"] = {name: "any/other"}
    assert [each.id for each in problems_of(yaml.safe_dump(data))] == ["ORC-012"]


def test_a_partition_has_what_slurm_updates(data: dict[str, Any], problems_of: ProblemsOf) -> None:
    """A parameter that only slurm.conf can set is refused, one that `scontrol update` takes is not."""
    partition = data["orchestrator"]["partitions"][0]
    partition["settings"] = {"PriorityTier": "10"}
    assert problems_of(yaml.safe_dump(data)) == []
    partition["settings"] = {"SuspendTime": "600"}
    (problem,) = problems_of(yaml.safe_dump(data))
    assert problem.id == "ORC-012"
    assert "scontrol update" in problem.message
