"""What a file for ParallelCluster may not say, beside what the broken files show; and what it may."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bedplate.spec.draft import Draft
from bedplate.spec.parallelcluster_regions import PARALLELCLUSTER_REGIONS
from bedplate.spec.problems import Problem
from bedplate.spec.regions import ZONE_PREFIXES
from bedplate.spec.rules.reserved_pool_name import check

ProblemsOf = Callable[[str], list[Problem]]
ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "environments/parallelcluster.yaml").read_text(encoding="utf-8")
HOMES = "    - {kind: openzfs, mount: /home, capacity_gib: 1024}\n"
ELSEWHERE = HOMES.replace("/home", "/homes/all")
SETTINGS = "orchestrator:\n  kind: slurm-parallelcluster\n"


def _with(*changes: tuple[str, str]) -> str:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def _tags(count: int) -> tuple[str, str]:
    lines = "".join(f"  k{number}: v\n" for number in range(count))
    return ("network:\n", f"tags:\n{lines}network:\n")


@pytest.mark.parametrize(
    ("changes", "ids"),
    [
        ([], []),
        ([("network:\n", "tags: {'parallelcluster:x': y}\nnetwork:\n")], ["SPC-016"]),
        ([_tags(38)], []),
        ([_tags(39)], ["SPC-016"]),
        ([("h200-own", "default")], ["ORC-006"]),
        ([("h200-own", "h200-st-own")], ["ORC-006"]),
        ([("h200-own", "h200-dy-own")], ["ORC-006"]),
        ([("h200-own", "st-own")], ["ORC-006"]),
        ([("h200-own", "dy-1")], ["ORC-006"]),
        ([("h200-own", "h200-st")], []),
        ([("h200-own", "best-own")], []),
        ([("h200-own", "sty-own")], []),
        ([("region: us-west-2", "region: eu-south-2"), ("usw2", "eus2")], ["ORC-011"]),
        ([("region: us-west-2", "region: eu-central-1"), ("usw2", "euc1")], []),
        (
            [(HOMES, HOMES.replace("/home", "/home/all")), ("  users:", "  homes: /home/all\n  users:")],
            ["ORC-022"],
        ),
        ([(HOMES, ELSEWHERE), ("  users:", "  homes: /homes/all\n  users:")], []),
        ([(SETTINGS, f"{SETTINGS}  settings: {{StateSaveLocation: /tmp}}\n")], ["ORC-012"]),
        ([(SETTINGS, f"{SETTINGS}  settings: {{SelectType: select/linear}}\n")], ["ORC-012"]),
        ([(SETTINGS, f"{SETTINGS}  settings: {{MinJobAge: '3 Prolog=/x'}}\n")], ["SPC-013"]),
        ([(SETTINGS, f"{SETTINGS}  settings: {{MinJobAge: '3#x'}}\n")], ["SPC-013"]),
        ([(SETTINGS, f"{SETTINGS}  settings: {{MinJobAge: '300'}}\n")], []),
    ],
)
def test_what_would_cost_a_deploy_is_refused_before_it(
    changes: list[tuple[str, str]], ids: list[str], problems_of: ProblemsOf
) -> None:
    """Each change of the example is refused by its rule, with a remedy, and the legal neighbour is not."""
    found = problems_of(_with(*changes))
    assert [each.id for each in found] == ids, [each.message for each in found]
    assert all(each.remedy for each in found)


@pytest.mark.parametrize("partition", ["train", "st-a", "a-st-b", "a-dy-b-st", "st-st"])
@pytest.mark.parametrize(
    "pool", ["h200", "h200-st-own", "st-own", "dy-1", "h200-st", "best-own", "a-sty-b", "st-st", "st1-a"]
)
def test_what_the_rule_lets_through_is_taken_apart_rightly(partition: str, pool: str) -> None:
    """The pattern of aws-parallelcluster-node's ``parse_nodename`` finds queue and pool of every node of a
    pool whose name is free, whatever the partition is called, and of no other pool.
    """
    found = re.match(r"^([a-z0-9\-]+)-(st|dy)-([a-z0-9\-]+)-\d+$", f"{partition}-dy-{pool}-12")
    assert found is not None
    refused = bool(list(check(Draft(orchestrator_kind="slurm-parallelcluster", pool_names={0: pool}))))
    assert (found.groups() == (partition, "dy", pool)) is not refused


@pytest.mark.real("pcluster")
def test_the_regions_are_those_of_the_package() -> None:
    """Of the Regions that there are zones of, ParallelCluster's own list has exactly those of the rule."""
    (path,) = ROOT.glob(".venv-pcluster/lib/python*/site-packages/pcluster/resources/supported-regions")
    told = set(path.read_text(encoding="utf-8").split())
    assert told & set(ZONE_PREFIXES) == PARALLELCLUSTER_REGIONS
