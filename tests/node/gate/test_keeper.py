"""Whom the gatekeeper lets in, whom it blames, and what it says of the others."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from tests.node.gate.worlds import START, World, nodes, together


def test_a_new_node_is_let_in_after_a_pair_with_a_known_good_one() -> None:
    """One pair, with the nearest by its number."""
    world = World(waiting=nodes(4), good=nodes(1, 2, 3))
    world.keep()
    assert world.tried == [("gpu-4", "gpu-3")]
    assert "gpu-4" in world.good
    assert world.marks["gpu-4"] == "pair"


def test_a_bad_new_node_is_drained_after_two_partners() -> None:
    """The reason names the check and both; the partners stay in service."""
    world = World(waiting=nodes(4), good=nodes(1, 2, 3), bad=nodes(4))
    world.keep()
    assert len(world.tried) == 2
    assert world.drained == {
        "gpu-4": "bedplate NCL-003 (gate): the pair with gpu-3 and gpu-2 failed: 200 GB/s is too slow"
    }
    assert world.good == nodes(1, 2, 3)


def test_a_bad_partner_is_sent_back_and_drained() -> None:
    """The new node is let in; the partner fails with two that are known to be good."""
    world = World(waiting=nodes(4), good=nodes(1, 2, 3), bad=nodes(3))
    world.keep()
    assert "gpu-4" in world.good
    assert set(world.drained) == nodes(3)
    assert world.good == nodes(1, 2, 4)


def test_a_bad_link_costs_nobody_anything() -> None:
    """Both of its ends pass with another node."""
    world = World(waiting=nodes(4), good=nodes(1, 2, 3), bad_links=together([("gpu-4", "gpu-3")]))
    world.keep()
    assert world.drained == {}
    assert world.good == nodes(1, 2, 3, 4)


def test_one_partner_alone_leaves_a_doubt_that_is_told() -> None:
    """The new node stays out, and the reason says that it may be the other."""
    world = World(waiting=nodes(2), good=nodes(1), bad=nodes(1))
    world.keep()
    assert ", its only partner: either may be at fault" in world.drained["gpu-2"]


def test_a_second_partner_at_work_is_waited_for() -> None:
    """One failure blames nobody; the node says for what it waits, and is tried again once one is free."""
    world = World(waiting=nodes(3), good=nodes(2), busy=nodes(1), bad=nodes(3))
    memory = world.keep()
    assert world.drained == {}
    assert world.said["gpu-3"] == "bedplate gate: NCL-003 with gpu-2; waits for another partner"
    world.busy, world.good = set(), nodes(1, 2)
    world.keep(memory)
    assert world.tried == [("gpu-3", "gpu-2"), ("gpu-3", "gpu-1")]
    assert "the pair with gpu-2 and gpu-1 failed" in world.drained["gpu-3"]


def test_a_first_boot_proves_all_nodes_by_each_other() -> None:
    """Two rounds for an odd number, and nobody is taken for good before."""
    world = World(waiting=nodes(1, 2, 3, 4, 5))
    world.keep()
    assert world.good == nodes(1, 2, 3, 4, 5)
    assert world.rounds == 2


def test_where_all_share_a_fault_nobody_is_drained() -> None:
    """A fault of the configuration is no node's; half an hour later they are tried again."""
    world = World(waiting=nodes(1, 2, 3), bad=nodes(1, 2, 3))
    memory = world.keep()
    assert world.drained == {}
    assert set(world.said) == nodes(1, 2, 3)
    assert all("nobody known to be good says which is bad" in why for why in world.said.values())
    before = len(world.tried)
    world.keep(memory)
    assert len(world.tried) == before
    world.now += 1900
    world.bad = set()
    world.keep(memory)
    assert world.good == nodes(1, 2, 3)


@pytest.mark.parametrize("seed", range(40))
def test_bad_nodes_are_out_and_good_ones_in_whoever_is_new(seed: int) -> None:
    """Any mixture of 4 to 16 nodes with at most a quarter bad: none of them takes jobs where it was tried,
    and no good node is drained.
    """
    drawn = random.Random(seed)
    names = nodes(*range(1, drawn.randint(4, 16) + 1))
    bad = set(drawn.sample(sorted(names), drawn.randint(0, len(names) // 4)))
    waiting = set(drawn.sample(sorted(names), drawn.randint(1, len(names))))
    world = World(waiting=set(waiting), good=names - waiting, bad=bad)
    world.keep()
    assert not set(world.drained) - bad
    assert not world.good & bad & waiting
    assert names - bad <= world.good


def test_a_sick_node_is_drained_for_its_check_without_a_pair() -> None:
    """The reason has the light check's id; the partner is not held up."""
    world = World(waiting=nodes(2), good=nodes(1), sick=nodes(2))
    world.keep()
    assert world.drained == {"gpu-2": "bedplate GPU-001 (gate): 7 of 8 GPUs answer"}
    assert world.good == nodes(1)


def test_a_pair_that_cannot_be_run_blames_nobody_and_waits_ten_minutes() -> None:
    """It would take a partner from its work each minute."""
    world = World(waiting=nodes(2), good=nodes(1), silent=nodes(2))
    memory = world.keep()
    assert world.said["gpu-2"] == "bedplate gate: its pair could not be run: srun: error"
    assert world.drained == {}
    world.silent = set()
    world.keep(memory)
    assert len(world.tried) == 1
    world.now += 601
    world.keep(memory)
    assert "gpu-2" in world.good


def test_a_partner_that_does_not_answer_is_passed_over() -> None:
    """The next one is taken, in the same run."""
    world = World(waiting=nodes(3), good=nodes(1, 2), silent=nodes(2))
    world.keep()
    assert world.tried == [("gpu-3", "gpu-2"), ("gpu-3", "gpu-1")]
    assert "gpu-3" in world.good


def test_nodes_of_another_pool_are_no_partners() -> None:
    """They look alike in Slurm and tell so themselves; who has none of its own is let in alone."""
    world = World(waiting=nodes(3), good=nodes(1, 2), other_pool=nodes(3))
    world.keep()
    assert world.marks["gpu-3"] == "alone"


def test_the_only_node_of_a_pool_is_let_in_by_its_own_checks() -> None:
    """At once: nobody of its kind can come."""
    world = World(waiting=nodes(1))
    world.keep()
    assert world.marks["gpu-1"] == "alone"
    assert "gpu-1" in world.good


def test_a_node_waits_for_others_to_come_up_before_it_goes_alone() -> None:
    """Nodes of one deploy come up minutes apart: a quarter of an hour is given to them."""
    world = World(waiting=nodes(1), gone=nodes(2))
    world.keep()
    assert world.marks == {}
    world.now = (START + timedelta(minutes=16)).timestamp()
    world.keep()
    assert world.marks["gpu-1"] == "alone"


def test_a_node_that_was_alone_is_nobody_to_blame_another_by() -> None:
    """It has passed no pair: a failure with it tells nothing."""
    world = World(waiting=nodes(2), good=nodes(1), bad=nodes(2))
    world.marks["gpu-1"] = "alone"
    world.keep()
    assert world.drained == {}
    assert "nobody known to be good" in world.said["gpu-2"]


def test_a_node_that_waits_for_long_says_so() -> None:
    """All partners are at work: after half an hour the reason and the journal say so, not before."""
    world = World(waiting=nodes(3), busy=nodes(1, 2))
    world.keep()
    assert world.said == {}
    world.now = (START + timedelta(minutes=45)).timestamp()
    world.keep()
    assert world.said["gpu-3"] == "bedplate gate: closed for 40 min or more: no partner of its kind is free"
    assert any("closed for 40 min" in line for line in world.journal)


def test_a_node_that_boots_again_begins_anew() -> None:
    """What failed before its reboot is not held against it."""
    world = World(waiting=nodes(3), good=nodes(2), busy=nodes(1), bad=nodes(3))
    memory = world.keep()
    world.bad, world.since = set(), START + timedelta(minutes=5)
    world.keep(memory)
    assert "gpu-3" in world.good


def test_nodes_whose_image_has_nothing_to_measure_with_are_let_in_by_their_own_checks() -> None:
    """Else nothing would ever run there; the mark and the journal say so, and a sick one stays out."""
    world = World(waiting=nodes(1, 2, 3, 4), lacking=nodes(1, 2, 3, 4), sick=nodes(4))
    world.keep()
    assert world.good == nodes(1, 2, 3)
    assert world.because == dict.fromkeys(sorted(nodes(1, 2, 3)), "its image has no nccl-tests")
    assert set(world.drained) == nodes(4)
    assert "gpu-1 is let in by its own checks alone: its image has no nccl-tests" in world.journal


def test_a_partner_without_the_program_does_not_let_another_in() -> None:
    """The node that has it is tried with one that has it too."""
    world = World(waiting=nodes(3), good=nodes(1, 2), lacking=nodes(2))
    world.keep()
    assert world.tried == [("gpu-3", "gpu-2"), ("gpu-3", "gpu-1")]
    assert world.marks["gpu-3"] == "pair"
