"""Plans carried out on a fake cluster: what is done, in which order, and what is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bedplate.validation.actions.model import Action, ActionPlan
from bedplate.validation.actions.perform import Performer
from bedplate.validation.actions.undo import plan_undo, undo

from .acting import PLAN_ID, fail, instance, node, plan, pool, run, slurm
from .fake_cluster import FakeCluster, FakeJournals


def _carry_out(cluster: FakeCluster, *faults: Any, mode: str = "drain") -> tuple[ActionPlan, FakeJournals]:
    journals = FakeJournals()
    made = plan(
        run(*faults, nodes=cluster.nodes),
        on_failure=mode,
        now_live=cluster.live(),
        at_most_percent=100,
        pools=cluster.pools,
    )
    assert made.actions
    performer = Performer(cluster, journals, wait_seconds=600)  # type: ignore[arg-type]
    return performer.perform(made), journals


def _only(done: ActionPlan) -> Action:
    assert len(done.actions) == 1
    return done.actions[0]


def test_a_drain_is_made_read_back_and_written_down() -> None:
    """Slurm is asked to drain with our reason; the journal has the plan before and the outcome after."""
    cluster = FakeCluster()
    done, journals = _carry_out(cluster, fail(1, "efa-device-lost"))
    assert [(one.name, one.state, one.reason) for one in cluster.changes] == [
        ("h200-1", "DRAIN", f"bedplate {PLAN_ID}: efa-device-lost (EFA-001)")
    ]
    assert _only(done).state == "done"
    assert [one.actions[0].state for one in journals.written] == ["planned", "done"]
    assert not cluster.terminated


def test_what_slurm_does_not_show_was_not_done() -> None:
    """A scontrol that ends well and changes nothing is a failure, not a drain."""
    done, _ = _carry_out(FakeCluster(forgets_drains=True), fail(1, "efa-device-lost"))
    assert _only(done).state == "failed"


def test_a_drain_that_is_refused_is_told_and_nothing_else_is_done() -> None:
    """The node program's reason reaches the listing; the instance stays."""
    cluster = FakeCluster(refuses={"h200-1": "it is another instance now"})
    done, _ = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    assert _only(done).state == "refused"
    assert "another instance" in _only(done).outcome
    assert not cluster.terminated


def test_a_replacement_drains_first_ends_the_instance_and_lifts_the_drain_of_its_successor() -> None:
    """Drain, end, new instance, and the name takes jobs again; the journal names both instances."""
    cluster = FakeCluster()
    done, journals = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    action = _only(done)
    assert cluster.terminated == [node(1)]
    assert (action.state, action.replaced_by) == ("done", node(101))
    assert [change.state for change in cluster.changes] == ["DRAIN", "UNDRAIN"]
    assert not any("DRAIN" in one.flags for one in cluster.states.values())
    told = [step.what for step in action.steps]
    assert told.index(f"asking for the end of {node(1)}") < told.index(f"{node(1)} is ended")
    # The intent is on record before the call that cannot be taken back.
    assert any(
        one.actions[0].steps[-1].what.startswith("asking for the end")
        for one in journals.written
        if one.actions[0].steps
    )


@pytest.mark.parametrize(
    "busy",
    [
        {"state": "ALLOCATED", "allocated": "cpu=192"},
        {"state": "IDLE", "flags": ("CLOUD", "COMPLETING", "DRAIN")},
    ],
)
def test_a_node_whose_job_runs_is_never_ended(busy: dict[str, Any]) -> None:
    """A job that began between the look and the drain saves its node, its epilog too."""
    cluster = FakeCluster()
    cluster.on_change = lambda: cluster.set("10.0.0.2", **{"flags": ("CLOUD", "DRAIN"), **busy})
    done, journals = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    assert not cluster.terminated
    assert (_only(done).state, _only(done).waits_for) == ("waiting", "job")
    # When the job has ended, the next call goes on.
    cluster.on_change = lambda: None
    cluster.set("10.0.0.2", state="IDLE", flags=("CLOUD", "DRAIN"), allocated="")
    later = Performer(cluster, journals, wait_seconds=600).go_on(done)  # type: ignore[arg-type]
    assert cluster.terminated == [node(1)]
    assert _only(later).state == "done"


def test_a_drain_that_somebody_lifted_meanwhile_saves_the_node() -> None:
    """Going on later, a node that is no longer drained by us is left alone."""
    cluster = FakeCluster()
    cluster.on_change = lambda: cluster.set("10.0.0.2", state="MIXED", allocated="cpu=8")
    done, journals = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    cluster.on_change = lambda: None
    for flags, reason in ((("CLOUD",), ""), (("CLOUD", "DRAIN"), "mine [bob@1]")):
        cluster.set("10.0.0.2", state="IDLE", flags=flags, allocated="", reason=reason)
        later = Performer(cluster, journals).go_on(done)  # type: ignore[arg-type]
        assert _only(later).state == "refused"
    assert not cluster.terminated


def test_a_node_that_went_meanwhile_is_not_ended_twice() -> None:
    """Between drain and end the instance may have been taken: its id is looked for again."""
    cluster = FakeCluster()
    cluster.on_change = lambda: cluster.running.pop(node(1), None)
    done, _ = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    assert _only(done).state == "refused"
    assert not cluster.terminated


def test_a_program_that_was_killed_after_asking_ec2_is_gone_on_with() -> None:
    """The intent is on record: the next call looks for the newcomer, and ends nobody else."""
    cluster = FakeCluster(launches=None)
    _, journals = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    asked = next(
        one for one in journals.written if one.actions[0].ended_at and one.actions[0].waits_for == "job"
    )
    new = instance(101, launched_at=datetime.now(UTC))
    cluster.running[new.instance_id] = new
    cluster.states[new.private_ip] = slurm(101)
    later = Performer(cluster, journals, wait_seconds=600).go_on(asked)  # type: ignore[arg-type]
    assert (_only(later).state, _only(later).replaced_by) == ("done", node(101))
    assert cluster.terminated == [node(1)]


def test_an_instance_that_the_pool_had_before_is_no_successor() -> None:
    """However young: one that ran when EC2 was asked is there for another's place, and the action waits."""
    cluster = FakeCluster(launches=None)
    young = instance(2, launched_at=datetime.now(UTC))
    cluster.running[young.instance_id] = young
    done, _ = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    assert (_only(done).state, _only(done).waits_for, _only(done).replaced_by) == ("waiting", "instance", "")
    assert young.instance_id in _only(done).pool_then


def test_a_drain_that_was_not_written_down_any_more_is_lifted_all_the_same() -> None:
    """Killed between scontrol and the journal: the plan is on record, and its reason is in Slurm."""
    cluster = FakeCluster()
    _, journals = _carry_out(cluster, fail(1, "efa-device-lost"))
    first = journals.written[0]
    assert _only(first).state == "planned"
    undone = undo(plan=first, cluster=cluster, journals=journals)  # type: ignore[arg-type]
    assert _only(undone).state == "undone"
    assert "DRAIN" not in cluster.states["10.0.0.2"].flags


def test_no_instance_that_comes_leaves_the_action_waiting() -> None:
    """After the time to wait it is told that the place is empty, and a later call goes on."""
    cluster = FakeCluster(launches=None)
    done, _ = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    assert (_only(done).state, _only(done).waits_for) == ("waiting", "instance")
    assert 600 <= cluster.slept < 700


def test_ec2_refusing_leaves_a_drained_node_and_says_so() -> None:
    """Without the right to end instances the drain stands, and the action has failed."""
    cluster = FakeCluster(ends_no_instance=True)
    done, _ = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    assert _only(done).state == "failed"
    assert "not allowed" in _only(done).outcome
    assert "DRAIN" in cluster.states["10.0.0.2"].flags


@pytest.mark.parametrize(
    ("changes", "reservations", "word"),
    [
        ({"node_count_min": 0}, [], "no instance running"),
        ({"reservation_id": "cr-1", "capacity_source": "targeted-reservation"}, [], "not there"),
        (
            {"reservation_id": "cr-1", "capacity_source": "targeted-reservation"},
            [{"State": "expired"}],
            "expired",
        ),
        (
            {
                "reservation_id": "cr-1",
                "capacity_source": "capacity-block",
                "capacity_taken_time": (datetime.now(UTC) + timedelta(minutes=30)).isoformat(),
            },
            [{"State": "active"}],
            "EC2 takes the nodes",
        ),
    ],
)
def test_an_instance_whose_place_stays_empty_is_not_ended(
    changes: dict[str, Any], reservations: list[dict[str, Any]], word: str
) -> None:
    """No minimum, a reservation that has ended, a block that ends within the hour: drained only."""
    cluster = FakeCluster(pools=(pool(**changes),), reservations=reservations)
    done, _ = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    assert not cluster.terminated
    assert _only(done).state == "refused"
    assert word in _only(done).outcome


def test_an_active_reservation_lets_its_node_be_replaced() -> None:
    """The place that is left is filled from the same reservation."""
    cluster = FakeCluster(
        pools=(pool(reservation_id="cr-1", capacity_source="targeted-reservation"),),
        reservations=[{"State": "active"}],
    )
    done, _ = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    assert _only(done).state == "done"


def test_two_replacements_get_two_instances() -> None:
    """No newcomer is counted for two places."""
    done, _ = _carry_out(
        FakeCluster(nodes=6), fail(1, "efa-device-lost"), fail(2, "efa-device-lost"), mode="replace"
    )
    assert {action.replaced_by for action in done.actions} == {node(101), node(102)}


def test_an_undo_lifts_what_is_ours_and_leaves_what_is_not() -> None:
    """A drain that somebody made his own stays; the journal says what became of each."""
    cluster = FakeCluster(nodes=6)
    done, journals = _carry_out(cluster, fail(1, "efa-device-lost"), fail(2, "efa-device-lost"))
    cluster.set("10.0.0.3", reason="mine now [bob@2]")
    rows = plan_undo(plan=done, cluster=cluster)  # type: ignore[arg-type]
    assert [(row.name, row.lifts) for row in rows] == [("h200-1", True), ("h200-2", False)]
    undone = undo(plan=done, cluster=cluster, journals=journals)  # type: ignore[arg-type]
    assert [action.state for action in undone.actions] == ["undone", "done"]
    assert "DRAIN" not in cluster.states["10.0.0.2"].flags
    assert "DRAIN" in cluster.states["10.0.0.3"].flags
    assert journals.read(PLAN_ID).undone_at


def test_a_drain_of_an_earlier_plan_is_taken_over_with_its_reason() -> None:
    """Drained yesterday, replaced today: one drain, and an undo of either plan knows it."""
    cluster = FakeCluster()
    cluster.set("10.0.0.2", flags=("CLOUD", "DRAIN"), reason="bedplate act-1: efa-device-lost [root@1]")
    done, _ = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    assert _only(done).reason == "bedplate act-1: efa-device-lost"
    assert _only(done).state == "done"
    assert [change.state for change in cluster.changes] == ["UNDRAIN"]


def test_an_undo_of_a_replacement_says_that_the_instance_does_not_come_back() -> None:
    """What was ended stays ended; the name is lifted where it is still drained by the plan."""
    cluster = FakeCluster(launches=None)
    done, journals = _carry_out(cluster, fail(1, "efa-device-lost"), mode="replace")
    cluster.states["10.0.0.99"] = slurm(
        1, flags=("CLOUD", "DRAIN"), reason=f"bedplate {PLAN_ID}: efa-device-lost (EFA-001) [root@1]"
    )
    cluster.states["10.0.0.99"] = replace(cluster.states["10.0.0.99"], address="10.0.0.99")
    row = plan_undo(plan=done, cluster=cluster)[0]  # type: ignore[arg-type]
    assert row.lifts
    assert "does not come back" in row.why
    assert undo(plan=done, cluster=cluster, journals=journals).actions[0].state == "undone"  # type: ignore[arg-type]
