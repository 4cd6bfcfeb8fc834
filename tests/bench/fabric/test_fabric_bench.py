"""SIMULATED: the benchmark's rows with fewer runs: our search reaches its targets, the page says what ran."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest
from click.testing import CliRunner

from tests.bench.fabric.__main__ import main
from tests.bench.fabric.cluster import Cluster
from tests.bench.fabric.measure import Count, is_missed, is_wrong, measure, most_tests
from tests.bench.fabric.page import numbers, page
from tests.bench.fabric.rows import OURS, ROWS, Row
from tests.bench.fabric.targets import broken_targets, noise_target_met, wrong_by_noise
from tests.bench.fabric.told import Told

SMALL = (4, 5, 8, 33, 64)
OURS_ALONE = tuple(replace(row, peers=()) for row in ROWS)
BY_ID = {row.id: row for row in ROWS}


@pytest.fixture(scope="module")
def counts() -> list[Count]:
    """Every row and scheme, with a twentieth of the runs."""
    return list(measure(seed="reduced", sizes=SMALL, share=0.05))


def test_all_targets_are_met_in_a_reduced_run(counts) -> None:
    """No row misses its rounds, its tests, a fault or an innocent; noise stays within one in a hundred."""
    assert list(broken_targets(counts)) == []
    assert noise_target_met(counts)
    assert {one.row for one in counts} == set(BY_ID)


@pytest.mark.slow
@pytest.mark.parametrize("size", [256, 1023, 1024, 4096])
def test_targets_are_met_in_large_clusters(size) -> None:
    """Up to 4,096 nodes, each search in seconds of processor time."""
    rows = [row for row in OURS_ALONE if row.id != "coverage"]
    found = list(measure(seed="large", sizes=[size], rows=rows, share=0.1))
    assert list(broken_targets(found)) == []
    assert max(one.seconds for one in found) < 30


@pytest.mark.slow
def test_noise_blames_wrongly_in_one_run_of_a_hundred_at_most() -> None:
    """1 % false failures, 1 % risk: 5 rounds each, and at most 1 % of a thousand runs at the worst share."""
    wrong = 0
    for number in range(1000):
        row = BY_ID["noise"]
        cluster = row.draw(64, Random(f"worst-{number}"))
        said = row.scheme(cluster, Random(0))
        assert said.rounds <= 5
        assert not is_missed(row, cluster, said)
        wrong += is_wrong(row, cluster, said)
    assert wrong <= 10


def test_peers_fall_short_where_their_authors_say_nothing_of_it(counts) -> None:
    """The simulator can fail a scheme: one round blames partners too, without repeats no link is named."""
    by = {(one.row, one.scheme): one for one in counts if one.nodes == 64}
    assert by["bad-nodes", "random pairs once"].wrongly_blamed > 0
    assert by["bad-link", "pairs, then known-good"].missed == by["bad-link", "pairs, then known-good"].runs
    assert by["all-slow", "random pairs once"].wrongly_blamed > 0
    assert by["noise", "all pairs, circle method"].wrongly_blamed > 0


@pytest.mark.parametrize(
    ("row", "said", "missed", "wrong"),
    [
        ("bad-nodes", {"nodes": {1}}, False, False),
        ("bad-nodes", {"nodes": set()}, True, False),
        ("bad-nodes", {"open_nodes": {1}}, False, False),
        ("bad-nodes", {"nodes": {1, 2}}, False, True),
        ("bad-nodes", {"nodes": {1}, "links": {(2, 3)}}, False, True),
        ("bad-nodes", {"nodes": {1}, "shared": True}, False, True),
        ("all-slow", {"shared": True}, False, False),
        ("all-slow", {}, True, False),
        ("all-slow", {"nodes": {1}}, True, True),
        ("majority-bad", {}, True, False),
    ],
)
def test_the_score_knows_a_miss_from_a_wrong_blame(row, said, missed, wrong) -> None:
    """Node 1 is bad; open is not passed; a setting is right only where nobody is at fault by himself."""
    cluster = Cluster(8, slow={1: 0.5})
    if row == "all-slow":
        cluster = Cluster(8, everywhere=0.6)
    answer = Told(
        2, 4, **{name: frozenset(value) if name != "shared" else value for name, value in said.items()}
    )
    assert is_missed(BY_ID[row], cluster, answer) is missed
    assert is_wrong(BY_ID[row], cluster, answer) is wrong


def test_a_missed_target_is_told() -> None:
    """Each sort of target can be missed, and the sentence names row and size."""
    good = Count("bad-nodes", OURS, 64, 10, 2, 2, 40.0, 0, 0, 0, 0, 0.1)
    assert list(broken_targets([good])) == []
    for change in ({"rounds_most": 3}, {"tests_over_bound": 1}, {"missed": 1}, {"wrongly_blamed": 1}):
        (text,) = broken_targets([replace(good, **change)])
        assert text.startswith("bad-nodes, N = 64: ")
    silent = replace(good, row="all-slow", rounds_most=4, said_shared=9)
    assert "1 runs do not say" in next(broken_targets([silent]))
    noisy = replace(good, row="noise", runs=100, rounds_most=5, wrongly_blamed=2)
    assert wrong_by_noise([noisy]) == (2, 100)
    assert not noise_target_met([noisy])


def test_the_bound_on_tests_is_the_designs() -> None:
    """N/2 + 2k, and one more for an odd number of nodes."""
    assert most_tests(Cluster(8, slow={1: 0.5, 2: 0.4})) == 8
    assert most_tests(Cluster(9)) == 5


def test_a_run_is_the_same_each_time() -> None:
    """The seed alone decides which clusters are drawn and what each scheme does; only the times differ."""
    rows: list[Row] = [BY_ID["noise"]]
    first, second = (
        [replace(one, seconds=0.0) for one in measure(seed="s", sizes=[16], rows=rows, share=0.02)]
        for _ in range(2)
    )
    assert first == second


def test_the_page_and_the_numbers_say_that_they_are_simulated(counts) -> None:
    """Every row has its table with every scheme that ran, and JSON holds every count."""
    text = page(counts, seed="reduced")
    assert "SIMULATED: no hardware was measured." in text
    for row in ROWS:
        table = text.split(f"## {row.title}\n")[1].split("\n## ")[0]
        assert all(f"| {name} |" in table for name in row.schemes), row.id
    told = json.loads(numbers(counts, seed="reduced"))
    assert told["simulated"] is True
    assert len(told["counts"]) == len(counts)


def test_the_command_writes_both_files_and_tells_how_it_ended(tmp_path) -> None:
    """Exit 0 where all targets are met; the page and the JSON are where they were asked for."""
    page_path, json_path = tmp_path / "docs" / "p.md", tmp_path / "n.json"
    arguments = ["--share", "0.01", "--most-nodes", "5", "--page", str(page_path), "--json", str(json_path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert "SIMULATED: all targets met" in done.output
    assert page_path.read_text(encoding="utf-8").startswith("# Benchmark")
    assert json.loads(json_path.read_text(encoding="utf-8"))["broken_targets"] == []
