"""What a plan does about each kind of fault, and what it leaves alone by which rule."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bedplate.diagnosis.causes import CAUSES
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware.xids.catalogue import XIDS
from bedplate.manifest import XidPolicyManifest
from bedplate.validation.actions.dispositions import DISPOSITIONS, Disposition, disposition
from bedplate.validation.actions.policy import ActionPolicy
from bedplate.validation.reports.actions import action_view
from bedplate.validation.result import Waiver

from .acting import NOW, PLAN_ID, fail, instance, live, node, of_cluster, of_link, plan, pool, run, slurm


def test_every_cause_is_weighed_and_no_other_is() -> None:
    """A new kind of fault needs its row here before anything is done about it."""
    assert set(DISPOSITIONS) == set(CAUSES)


def test_causes_that_blame_no_node_are_never_acted_upon() -> None:
    """A fault of a link or of the cluster drains nobody, whatever the table says of it."""
    for cause in CAUSES.values():
        if cause.subject != "node":
            assert DISPOSITIONS[cause.id] is Disposition.NEVER


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        ("xid-64", Disposition.REPLACE if XIDS[64].policy == "replace" else Disposition.DRAIN),
        ("sxid-12028", Disposition.DRAIN),
        ("xid-999999", None),
        ("made-up", None),
    ],
)
def test_xids_are_weighed_by_the_catalogue(cause: str, expected: Disposition | None) -> None:
    """An XID that no table knows is nobody's to act upon."""
    assert disposition(cause) is expected


@pytest.mark.parametrize(
    ("code", "policy", "do"),
    [
        (79, "reboot", "drain"),
        (79, "replace", "replace"),
        (119, "replace", "replace"),
        (998, "reset", "drain"),
    ],
)
def test_the_environments_own_policy_of_an_xid_decides(code: int, policy: str, do: str) -> None:
    """Where it asks for a reboot nothing is terminated, though the catalogue would replace; and the other
    way about, for codes that the catalogue does not know too.
    """
    own = [XidPolicyManifest(xid=code, policy=policy, reason="ours")]
    found = plan(run(fail(1, f"xid-{code}", check="GPU-004")), on_failure="replace", xid_policies=own)
    assert [action.do for action in found.actions] == [do]


def test_a_node_at_fault_is_drained_with_a_reason_that_names_the_plan() -> None:
    """The reason in Slurm says whose drain it is, what was found and by which check."""
    action = plan(run(fail(3, "efa-device-lost"))).actions[0]
    assert (action.do, action.node, action.slurm_name) == ("drain", node(3), "h200-3")
    assert action.reason == f"bedplate {PLAN_ID}: efa-device-lost (EFA-001)"
    assert action.state == "planned"


def test_hardware_is_replaced_and_a_lost_gpu_is_drained_for_its_reboot() -> None:
    """Replacing is for faults that other hardware mends; the others are drained, with what to do instead."""
    found = plan(
        run(fail(1, "gpu-lost", check="GPU-001"), fail(2, "efa-device-lost")), on_failure="replace"
    ).actions
    assert [(action.node, action.do) for action in found] == [(node(2), "replace"), (node(1), "drain")]
    assert "Look." in found[1].cautions[0]
    assert any("disks is lost" in line for line in found[0].cautions)


@pytest.mark.parametrize(
    ("verdict", "rule"),
    [
        (of_cluster("fabric-configuration"), "not-a-node"),
        (of_link(1, 2), "not-a-node"),
        (fail(1, None), "no-cause"),
        (fail(1, "dcgm-configuration", check="DCG-001"), "configuration"),
        (fail(1, "efa-fallback-socket", check="NCL-002"), "configuration"),
        (fail(1, "bootstrap-incomplete", check="NOD-002"), "configuration"),
        (fail(1, "efa-errors", check="EFA-003"), "look-again"),
        (fail(1, "from-the-future"), "unknown-cause"),
        (fail(1, "xid-999999", check="GPU-004"), "unknown-cause"),
        (fail(1, "efa-device-slow", check="FAB-001", confidence=0.6), "low-confidence"),
        (fail(1, "efa-device-slow", check="FAB-001"), "low-confidence"),
        (fail(99, "efa-device-lost"), "foreign-node"),
    ],
)
@pytest.mark.parametrize("mode", ["drain", "replace"])
def test_what_is_no_nodes_own_fault_for_sure_is_left_alone(verdict: Verdict, rule: str, mode: str) -> None:
    """Configuration, links, unnamed and unsure faults never drain anybody, in no mode."""
    found = plan(run(verdict), on_failure=mode)
    assert not found.actions
    assert [one.rule for one in found.left_alone] == [rule]


def test_a_confident_inference_is_acted_upon_and_what_was_read_needs_no_confidence() -> None:
    """The search's word counts from 90 % on; a device that is missing is missing."""
    found = plan(
        run(fail(1, "efa-device-slow", check="FAB-001", confidence=0.97), fail(2, "efa-device-lost"))
    )
    assert {action.node: action.confidence for action in found.actions} == {node(1): 0.97, node(2): None}


def test_the_tests_that_led_to_an_inference_go_with_the_action() -> None:
    """Whoever reads the listing sees why it is this node."""
    verdict = replace(
        fail(1, "efa-device-slow", check="FAB-001", confidence=0.98),
        because=("round 1: slow with i-2", "round 2: slow with i-3, which is well with others"),
    )
    (action,) = plan(run(verdict)).actions
    assert action.because == verdict.because
    assert "Because: round 1: slow with i-2; round 2" in " ".join(action_view(action).lines)


def test_errors_and_untested_checks_drain_nobody() -> None:
    """Only a fail names a fault."""
    verdict = fail(1, "efa-device-lost")
    for outcome in (Outcome.ERROR, Outcome.NOT_TESTED, Outcome.PASS):
        changed = Verdict("EFA-001", verdict.subject, outcome, "seen", cause="efa-device-lost")
        assert plan(run(changed)).actions == ()


def test_a_waived_check_drains_nobody() -> None:
    """What the environment overlooks is overlooked here too."""
    waivers = [Waiver(check_id="EFA-001", reason="known")]
    assert plan(run(fail(1, "efa-device-lost"), waivers=waivers)).actions == ()


def test_report_does_nothing_and_says_so() -> None:
    """In the default mode every fault is left alone by that rule."""
    found = plan(run(fail(1, "efa-device-lost")), on_failure="report")
    assert not found.actions
    assert [one.rule for one in found.left_alone] == ["report-only"]


def test_a_cause_that_more_than_half_of_a_pool_has_is_no_nodes_own() -> None:
    """Eleven of twenty nodes without an EFA device are a launch template, not eleven broken nodes."""
    many = [fail(index, "efa-device-lost") for index in range(11)]
    found = plan(run(*many), at_most_percent=100)
    assert not found.actions
    assert {one.rule for one in found.left_alone} == {"common-cause"}
    assert len(plan(run(*many[:10]), at_most_percent=100).actions) == 10


@pytest.mark.parametrize(
    ("nodes", "percent", "most"), [(1, 10, 1), (4, 10, 1), (20, 10, 2), (20, 5, 1), (20, 50, 10), (19, 10, 1)]
)
def test_the_cap_is_a_share_of_the_pool_and_one_node_always_may(nodes: int, percent: int, most: int) -> None:
    """Rounded down, but never to none."""
    assert ActionPolicy("drain", at_most_percent=percent).most_out(nodes=nodes) == most


def test_over_the_cap_the_strongest_are_taken() -> None:
    """Two of twenty may go: the sure ones first, the rest is listed with the rule."""
    found = plan(
        run(
            fail(1, "efa-device-slow", check="FAB-001", confidence=0.92),
            fail(2, "efa-device-lost"),
            fail(3, "efa-device-slow", check="FAB-001", confidence=0.99),
        )
    )
    assert [action.node for action in found.actions] == [node(2), node(3)]
    assert [(one.subject.names, one.rule) for one in found.left_alone] == [((node(1),), "over-the-cap")]


def test_nodes_that_are_out_already_count_against_the_cap() -> None:
    """Somebody else's drains use the cap up."""
    out = slurm(8, flags=("CLOUD", "DRAIN"), reason="maintenance [root@now]")
    down = slurm(9, state="DOWN", flags=("CLOUD", "NOT_RESPONDING"))
    found = plan(run(fail(1, "efa-device-lost")), now_live=live(n8=out, n9=down))
    assert [one.rule for one in found.left_alone] == ["over-the-cap"]


def test_a_node_that_is_down_already_is_drained_whatever_the_cap() -> None:
    """It takes no jobs now, so that nothing further is lost."""
    out = slurm(8, flags=("CLOUD", "DRAIN"), reason="maintenance")
    down = slurm(9, state="DOWN", flags=("CLOUD", "NOT_RESPONDING"))
    found = plan(
        run(fail(9, "node-unreachable", check="NOD-001")), now_live=live(n8=out, n9=down), at_most_percent=5
    )
    assert [action.node for action in found.actions] == [node(9)]


def test_replacements_are_capped_even_of_nodes_that_are_out() -> None:
    """Drained nodes of an earlier plan are not all ended at once."""
    ours = {
        f"n{i}": slurm(
            i, flags=("CLOUD", "DRAIN"), reason="bedplate act-1: efa-device-lost (EFA-001) [root@1]"
        )
        for i in (1, 2, 3)
    }
    found = plan(
        run(*[fail(i, "efa-device-lost") for i in (1, 2, 3)]), on_failure="replace", now_live=live(**ours)
    )
    assert len(found.actions) == 2
    assert [one.rule for one in found.left_alone] == ["over-the-cap"]


@pytest.mark.parametrize(
    ("now", "rule"),
    [
        (live(without=(1,)), "no-longer-there"),
        (live(i1=instance(1, launched_at=NOW - timedelta(minutes=5))), "launched-later"),
        (live(n1=None), "not-in-slurm"),
        (live(n1=slurm(1, flags=("CLOUD", "DRAIN"), reason="by hand [bob@now]")), "held-by-others"),
        (live(n1=slurm(1, flags=("CLOUD", "DRAIN"))), "held-by-others"),
        (
            live(n1=slurm(1, flags=("CLOUD", "DRAIN"), reason="bedplate act-1: efa-device-lost [root@1]")),
            "acted-on-already",
        ),
    ],
)
def test_a_node_that_is_not_as_it_was_seen_is_left_alone(now: object, rule: str) -> None:
    """Another instance, a later launch, a drain of somebody else: the run's word is not about that."""
    found = plan(run(fail(1, "efa-device-lost")), now_live=now, at_most_percent=100)  # type: ignore[arg-type]
    assert not found.actions
    assert [one.rule for one in found.left_alone] == [rule]


def test_a_result_whose_times_have_no_zone_is_read_as_utc() -> None:
    """A launch before the run is before it, whoever wrote the file."""
    result = run(
        fail(1, "efa-device-lost"), started_at="2026-02-03T09:40:00", finished_at="2026-02-03T09:50:00"
    )
    assert len(plan(result).actions) == 1
    later = live(i1=instance(1, launched_at=NOW - timedelta(minutes=15)))
    assert [one.rule for one in plan(result, now_live=later).left_alone] == ["launched-later"]


def test_a_node_with_a_job_is_drained_and_its_replacement_announced_for_later() -> None:
    """The listing says that the job goes on."""
    busy = slurm(1, state="ALLOCATED", allocated="cpu=192")
    found = plan(run(fail(1, "efa-device-lost")), on_failure="replace", now_live=live(n1=busy))
    assert "the job goes on" in found.actions[0].cautions[0]


def test_a_reservation_is_named_where_the_place_in_it_is_filled_again() -> None:
    """The listing warns that the same host may come back."""
    found = plan(
        run(fail(1, "efa-device-lost")),
        on_failure="replace",
        pools=(pool(capacity_source="capacity-block", reservation_id="cr-0abc"),),
    )
    assert any("cr-0abc" in line and "same host" in line for line in found.actions[0].cautions)


def test_several_faults_of_one_node_are_one_action() -> None:
    """The one that weighs most decides; all checks are named."""
    found = plan(run(fail(1, "gpu-lost", check="GPU-001"), fail(1, "efa-device-lost")), on_failure="replace")
    assert [(one.do, one.cause, one.checks) for one in found.actions] == [
        ("replace", "efa-device-lost", ("GPU-001", "EFA-001"))
    ]


def test_every_fault_is_in_the_plan_once() -> None:
    """Nothing that was found goes unmentioned."""
    verdicts = [
        fail(1, "efa-device-lost"),
        fail(2, "dcgm-configuration", check="DCG-001"),
        of_cluster("fabric-configuration"),
        of_link(3, 4),
        fail(5, None),
    ]
    found = plan(run(*verdicts))
    assert len(found.actions) + len(found.left_alone) == len(verdicts)
