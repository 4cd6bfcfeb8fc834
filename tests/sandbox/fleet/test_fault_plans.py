"""Faults files are checked, and seeds draw scenarios that can be decided."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bedplate.diagnosis.causes import cause as known_cause
from bedplate.sandbox.fleet import FaultPlan, draw
from bedplate.sandbox.fleet.consequences import EXPLAINS, NAMED_AS, UNNAMED, must_be_named
from bedplate.sandbox.fleet.errors import FaultsRefused
from bedplate.sandbox.fleet.fault import KINDS, Fault

from .conftest import fault

SEEDS = range(1, 21)


def kinds(seed: int, nodes: int = 8) -> list[str]:
    """The causes that a seed draws."""
    return [each.cause for each in draw(seed, nodes=nodes).faults]


def test_a_plan_survives_its_file(tmp_path: Path) -> None:
    """What is saved is what is read, with every default filled in."""
    plan = FaultPlan.from_json({"seed": 3, "faults": [fault("efa-device-slow", 2, device=5)]})
    plan.save(tmp_path / "faults.json")
    assert FaultPlan.load(tmp_path / "faults.json") == plan
    assert plan.faults[0].detail == {"device": 5, "speed": 0.4}


BROKEN: list[tuple[Any, str]] = [
    ([], "mapping"),
    ({"faults": {}}, "list"),
    ({"faults": [], "colour": 1}, "keys"),
    ({"faults": ["xid-64"]}, "mapping"),
    ({"faults": [fault("xid-13")]}, "allowed are"),
    ({"faults": [fault("xid-64", -1)]}, "node_index"),
    ({"faults": [fault("xid-64", None)]}, "node_index"),
    ({"faults": [fault("fabric-configuration", 0)]}, "has none"),
    ({"faults": [fault("xid-64", 0, gpu=9)]}, "from 0 to 7"),
    ({"faults": [fault("xid-64", 0, gpu=1.5)]}, "whole number"),
    ({"faults": [fault("efa-device-slow", 0, speed=1.0)]}, "0.95"),
    ({"faults": [fault("node-unreachable", 0, gpu=1)]}, "unknown key"),
    ({"faults": [fault("link-slow", 2, peer_index=2)]}, "both ends"),
    ({"faults": [{**fault("xid-64"), "note": "x"}]}, "unknown key"),
]


@pytest.mark.parametrize(("data", "text"), BROKEN)
def test_a_broken_faults_file_is_refused_with_what_is_allowed(data: Any, text: str) -> None:
    """The message says where, what was given and what is allowed; the id is stable."""
    with pytest.raises(FaultsRefused, match=text) as caught:
        FaultPlan.from_json(data)
    assert caught.value.error_id == "SBX-103"


def test_a_faults_file_that_is_missing_or_no_json_is_refused(tmp_path: Path) -> None:
    """Both name the file."""
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    for name in ("none.json", "bad.json"):
        with pytest.raises(FaultsRefused, match=name):
            FaultPlan.load(tmp_path / name)


def test_every_kind_of_fault_has_a_name_that_a_verdict_can_give() -> None:
    """Injected kinds and their consequences are causes that the diagnosis knows, but for those that are
    told to have none.
    """
    named = {NAMED_AS.get(kind, kind) for kind in {*KINDS, *EXPLAINS} - set(UNNAMED)}
    named |= {cause for rows in EXPLAINS.values() for cause, _ in rows}
    assert set(UNNAMED) | set(NAMED_AS) <= set(KINDS)
    assert not [cause for cause in named if known_cause(cause) is None]


def test_the_default_is_the_three_faults_of_the_demo() -> None:
    """A lost EFA device, XID 64 and an EFA device that is slow between nodes, on three nodes."""
    plan = draw("default", nodes=8)
    assert [each.cause for each in plan.faults] == ["efa-device-lost", "xid-64", "efa-device-slow"]
    assert len({each.node_index for each in plan.faults}) == 3


def test_a_seed_draws_the_same_again_and_another_draws_otherwise() -> None:
    """Same seed and size, same faults; ten seeds later the sort is the same and the nodes differ."""
    assert [draw(seed, nodes=8) for seed in SEEDS] == [draw(seed, nodes=8) for seed in SEEDS]
    assert any(draw(seed, nodes=8).faults != draw(seed + 10, nodes=8).faults for seed in SEEDS)
    assert json.dumps(draw(1, nodes=8).to_json()) != json.dumps(draw(11, nodes=8).to_json())


@pytest.mark.parametrize("nodes", [4, 8, 16, 64])
def test_twenty_seeds_cover_every_sort_of_scenario(nodes: int) -> None:
    """No fault, combined faults, a link, the fabric, a hang, an unreachable node, harmless events."""
    drawn = [draw(seed, nodes=nodes).faults for seed in SEEDS]
    causes = {each.cause for faults in drawn for each in faults}
    assert () in drawn
    assert any(max(Counter(f.node_index for f in faults).values(), default=0) == 2 for faults in drawn)
    assert {"link-slow", "fabric-configuration", "collective-hang", "node-unreachable"} <= causes
    assert any(not must_be_named(cause) for cause in causes)


@pytest.mark.parametrize("nodes", [4, 5, 8, 16, 64])
def test_every_drawn_scenario_keeps_the_rules(nodes: int) -> None:
    """For 200 seeds: nodes exist, and what shows only between nodes is alone, rare, and not beside a link."""
    for seed in range(200):
        faults = draw(seed, nodes=nodes).faults
        between = [each for each in faults if each.kind.seen == "between nodes"]
        inside = {
            i for each in faults if each not in between for i in each.indices if must_be_named(each.cause)
        }
        assert all(index < nodes for each in faults for index in each.indices)
        assert len(faults) <= 3
        assert not inside & {index for each in between for index in each.indices}
        if any(each.kind.scope != "node" for each in between):
            assert len(between) == 1
        else:
            assert len(between) * 4 <= nodes - len(inside)
        for index in inside:
            assert_visible([each for each in faults if index in each.indices])


def assert_visible(faults: list[Fault]) -> None:
    """Faults of one node do not hide each other, and no check has to name two causes."""
    alone = {"node-unreachable", "gpu-lost", "xid-79"} & {each.cause for each in faults}
    assert not alone or len(faults) == 1
    assert sum(each.cause.startswith("xid-") for each in faults) <= 1
    assert len({each.cause for each in faults}) == len(faults)


def test_faults_are_not_drawn_for_fewer_than_four_nodes() -> None:
    """With three nodes nothing between them can be told apart, and the message says what is allowed."""
    with pytest.raises(FaultsRefused, match="4 or more"):
        draw(1, nodes=3)
