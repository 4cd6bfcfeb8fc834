"""Which nodes lose the start-up taint on Kubernetes, which are marked unfit, what is said of others."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.hardware import INSTANCE_TYPES
from tests.diagnosis.kubernetes_objects import condition

from .played_cluster import GATE, GPU, PASSED_BY_PAIR, START, PlayedCluster, good, waiting


@pytest.mark.parametrize("kind", INSTANCE_TYPES)
def test_a_new_node_of_each_type_is_let_in_after_a_pair_with_a_known_good_one(kind: str) -> None:
    """The taint comes off, others stay, and the boot that passed is written beside it."""
    world = PlayedCluster([waiting(4, kind), good(1, kind), good(3, kind)], kind=kind)
    world.keep()
    assert world.tried == [("gpu-4", "gpu-3")]
    assert world.open == {"gpu-1", "gpu-3", "gpu-4"}
    assert world.journal == ["gpu-4 with gpu-3: passed: 480 GB/s"]
    assert world.by_name["gpu-4"]["spec"]["taints"] == [GPU]
    assert (world.note("gpu-4", "gate-passed"), world.note("gpu-4", "gate-boot")) == ("pair", "5b0f")


def test_a_node_with_31_of_32_efas_fails_the_gate_with_its_name_before_anything_else() -> None:
    """No pair is run for it; it is cordoned, and marked with the check and the whole reason."""
    world = PlayedCluster([waiting(4, efas="31"), good(1), good(3)])
    world.keep()
    assert world.tried == []
    assert world.unfit == {"gpu-4": "kub-001"}
    assert world.note("gpu-4", "reason") == "bedplate KUB-001 (gate): Node gpu-4 offers 31 of 32 EFAs"
    assert world.by_name["gpu-4"]["spec"]["unschedulable"] is True
    assert any("31 of 32 EFAs" in line for line in world.journal)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"efas": ""}, "0 of 32 EFAs"),
        ({"gpus": "80"}, "80 of 8 GPUs"),
        ({"conditions": [condition("Ready", "Unknown")]}, "Nobody knows"),
        ({"conditions": [condition("Ready", "False")]}, "is not ready"),
        ({"efas": "many"}, "cannot be read"),
    ],
)
def test_what_the_next_node_would_have_too_or_what_may_pass_marks_nobody(
    parts: dict[str, Any], words: str
) -> None:
    """A plugin that does not run, time-slicing, silence, a kubelet that starts: it waits and says why."""
    world = PlayedCluster([waiting(4, **parts), good(1)])
    world.keep()
    assert world.unfit == {}
    assert "gpu-4" not in world.open
    assert words in world.note("gpu-4", "gate-says")
    assert world.tried == []


def test_a_node_in_its_first_minutes_is_not_judged_by_what_it_does_not_offer_yet() -> None:
    """Device plugins offer device by device as they start."""
    world = PlayedCluster([waiting(4, efas="31"), good(1)], now=START + 300)
    world.keep()
    assert world.unfit == {}
    assert world.note("gpu-4", "gate-says") == ""
    assert "gpu-4" not in world.open


def test_a_first_boot_proves_all_of_a_clusters_nodes() -> None:
    """Nobody is known to be good, so those that wait are paired with each other."""
    world = PlayedCluster([waiting(index) for index in range(1, 6)])
    world.keep()
    assert world.open == {f"gpu-{index}" for index in range(1, 6)}
    assert len(world.tried) >= 3


def test_a_bad_new_node_is_marked_after_two_known_good_partners() -> None:
    """A pair that fails does not say which of the two is bad; the reason names both partners."""
    world = PlayedCluster([waiting(4), good(1), good(2), good(3)], bad={"gpu-4"})
    world.keep()
    assert world.unfit == {"gpu-4": "ncl-003"}
    assert "the pair with gpu-3 and gpu-2 failed" in world.note("gpu-4", "reason")
    assert world.open == {"gpu-1", "gpu-2", "gpu-3"}


def test_a_bad_partner_is_put_back_before_the_gate_and_marked() -> None:
    """The new node passes with another one; its first partner fails with two that are known to be good."""
    world = PlayedCluster([waiting(4), good(1), good(2), good(3)], bad={"gpu-3"})
    world.keep()
    assert world.unfit == {"gpu-3": "ncl-003"}
    assert world.open == {"gpu-1", "gpu-2", "gpu-4"}


def test_a_node_that_fails_its_own_checks_is_marked_and_run_with_nobody() -> None:
    """Its sickness would be blamed on a partner."""
    world = PlayedCluster([waiting(4), good(1)], sick={"gpu-4"})
    world.keep()
    assert world.unfit == {"gpu-4": "gpu-002"}
    assert world.tried == []


@pytest.mark.parametrize("partner", [good(1, "p5e.48xlarge"), good(1, metadata__labels={})])
def test_a_node_of_another_type_or_pool_is_no_partner(partner: dict[str, Any]) -> None:
    """What two types can do together says nothing of either."""
    world = PlayedCluster([waiting(4), partner])
    world.keep()
    assert world.tried == []
    assert world.note("gpu-4", "gate-passed") == "alone"


def test_with_nobody_to_pair_with_a_node_is_let_in_by_its_own_checks() -> None:
    """It is not known to be good then: a partner that fails with it accuses nobody."""
    world = PlayedCluster([waiting(1)])
    world.keep()
    assert world.open == {"gpu-1"}
    assert world.note("gpu-1", "gate-passed") == "alone"


def test_a_gate_of_own_checks_alone_runs_no_pair() -> None:
    """`gate: node`."""
    world = PlayedCluster([waiting(4), waiting(5, efas="31"), good(1)], pairs=False)
    world.keep()
    assert world.tried == []
    assert world.open == {"gpu-1", "gpu-4"}
    assert world.unfit == {"gpu-5": "kub-001"}


def test_a_busy_partner_is_left_to_its_work_and_a_node_out_of_service_to_whom_it_belongs() -> None:
    """Neither is tried, and a node that a person has cordoned before the gate is not judged either."""
    world = PlayedCluster(
        [
            waiting(4),
            waiting(5, efas="31", spec__unschedulable=True),
            good(1),
            good(2, spec__unschedulable=True),
        ],
        busy={"gpu-1"},
    )
    world.keep()
    assert world.tried == []
    assert world.unfit == {}
    assert "gpu-4" not in world.open


def test_a_node_that_rebooted_waits_again_once_it_is_empty() -> None:
    """A kubelet does not set the start-up taint a second time."""
    other_boot = {**PASSED_BY_PAIR, "bedplate.dev/gate-boot": "0000"}
    world = PlayedCluster([good(1), good(2, metadata__annotations=other_boot)])
    world.keep()
    assert world.tried == [("gpu-2", "gpu-1")]
    assert world.note("gpu-2", "gate-boot") == "5b0f"
    busy = PlayedCluster([good(1), good(2, metadata__annotations=other_boot)], busy={"gpu-2"})
    busy.keep()
    assert busy.tried == []
    assert "bedplate.dev/gate" not in busy.taints("gpu-2")


def test_a_patch_that_is_refused_lets_nobody_in_and_the_next_run_does() -> None:
    """The taint stays until the API server has taken it off."""
    world = PlayedCluster([waiting(4), good(1)], refuses={"gpu-4"})
    memory = world.keep()
    assert "gpu-4" not in world.open
    assert any("is not let in" in line for line in world.journal)
    assert len(world.tried) == 1
    world.refuses.clear()
    world.now += 700
    world.keep(memory)
    assert "gpu-4" in world.open


def test_a_taint_of_ours_that_a_person_set_is_not_written_over() -> None:
    """The node stays before the gate, and nobody runs a pair with it."""
    theirs = {"key": "bedplate.dev/unfit", "value": "mine", "effect": "NoSchedule"}
    world = PlayedCluster([waiting(4, spec__taints=[GPU, GATE, theirs]), good(1)], sick={"gpu-4"})
    world.keep()
    assert world.by_name["gpu-4"] == waiting(4, spec__taints=[GPU, GATE, theirs])


def test_an_object_that_cannot_be_read_stops_nobody_elses_gate() -> None:
    """It is told, and passed over."""
    world = PlayedCluster([waiting(4), good(1), {"metadata": {"name": "odd"}}])
    world.keep()
    assert "gpu-4" in world.open
    assert any("passed over" in line for line in world.journal)
