"""What a file for ParallelCluster may not say, beside what the broken files show; and what it may."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bedplate.spec.problems import Problem

ProblemsOf = Callable[[str], list[Problem]]
TEXT = (Path(__file__).parents[2] / "environments/parallelcluster.yaml").read_text(encoding="utf-8")
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
