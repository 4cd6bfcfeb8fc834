"""The synthesis grows by about the same for each pool, told by counts that no busy machine moves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from bedplate.spec.draft import draft_of
from bedplate.spec.rules import RULES
from tests.bench.growth import SIZES, Growth, growth_of, rows
from tests.bench.timing import Times
from tests.support.many_pools import MOST_POOLS, many_pools

ROOT = Path(__file__).parents[2]
QUESTIONS_EACH_POOL = 24
"""The most that one pool may ask of Node; half of it is what its four resources ask today."""


@pytest.fixture(scope="module")
def counts() -> dict[int, Mapping[str, int]]:
    """What each number of pools takes and makes, by a process of its own."""
    done = subprocess.run(
        [sys.executable, "tests/bench/pools_app.py", "--count", *map(str, SIZES)],
        cwd=ROOT,
        env={**os.environ, "CDK_VALIDATION": "false"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {int(size): found for size, found in json.loads(done.stdout).items()}


@pytest.mark.slow
@pytest.mark.parametrize("what", ["resources", "questions", "template_bytes"])
def test_a_pool_among_many_costs_what_one_among_few_does(
    counts: dict[int, Mapping[str, int]], what: str
) -> None:
    """Resources, questions to Node and bytes of templates grow near linearly with the pools."""
    growth = Growth({size: float(found[what]) for size, found in counts.items()})
    assert growth.each_pool(SIZES[0], SIZES[1]) > 0, "a pool that costs nothing was not made"
    assert growth.is_near_linear, growth


@pytest.mark.slow
def test_a_pool_asks_node_few_questions(counts: dict[int, Mapping[str, int]]) -> None:
    """The questions to Node are what a synthesis takes longest by; a pool asks no more than the bound."""
    growth = Growth({size: float(found["questions"]) for size, found in counts.items()})
    assert growth.each_pool(SIZES[0], SIZES[-1]) <= QUESTIONS_EACH_POOL


@pytest.mark.parametrize("pools", [1, MOST_POOLS])
def test_as_many_pools_as_pcs_takes_pass_the_rules(pools: int) -> None:
    """Up to the most that is legal, the measured environments break no rule."""
    draft = draft_of(many_pools(pools))
    assert [rule.row.id for rule in RULES for _ in rule.check(draft)] == []


def test_more_pools_than_pcs_takes_are_refused() -> None:
    """One pool more than is legal is refused for its number, so the larger sizes are for measuring only."""
    draft = draft_of(many_pools(MOST_POOLS + 1))
    assert [rule.row.id for rule in RULES for _ in rule.check(draft)] == ["ORC-010"]


def test_growth_tells_linear_from_quadratic() -> None:
    """Equal costs a pool are near linear, however dear; costs that grow with the number are not."""
    assert Growth({size: 3.0 + 0.1 * size for size in SIZES}).ratio == pytest.approx(1)
    assert not Growth({size: 3.0 + 0.1 * size**2 for size in SIZES}).is_near_linear


def test_a_pool_that_costs_nothing_was_not_measured() -> None:
    """Where the machine's noise hides what a pool costs, the growth is unknown and no aim is met."""
    for hidden in (Growth(dict.fromkeys(SIZES, 3.0)), Growth({n: 3 + 0.01 * n for n in SIZES}, noise=0.2)):
        assert hidden.ratio is None
        assert not hidden.is_near_linear


def test_rows_say_what_a_further_pool_costs() -> None:
    """Each row has the cost of a pool more since the row before, and says which numbers are legal."""
    times = {f"{size} pools": Times(f"{size} pools", (9.0,), (1.1 + size, 1 + size)) for size in SIZES}
    table = rows(times)
    assert [row["legal"] for row in table] == [size <= MOST_POOLS for size in SIZES]
    assert table[0]["ms_each_further_pool"] is None
    assert table[-1]["ms_each_further_pool"] == pytest.approx(1000)
    assert growth_of(times).ratio == pytest.approx(1)
