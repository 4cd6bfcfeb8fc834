"""Judgement fails closed: nothing but the whole set of passes is a pass."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.validation.judgement import judge, subjects_owed
from bedplate.validation.result import RunResult, Waiver
from tests.validation.reports.sample_run import faulty_run, healthy_run, node_id

NOT_A_PASS = st.sampled_from([Outcome.FAIL, Outcome.ERROR, Outcome.NOT_TESTED, Outcome.NOT_APPLICABLE])


def _changed(run: RunResult, **update: object) -> RunResult:
    return run.model_copy(update=update)


def test_a_run_with_every_required_pass_is_passed() -> None:
    """A complete run with each required check passed for each node is a pass, no reason against it."""
    judgement = judge(result=healthy_run())
    assert judgement.passed
    assert judgement.reasons == ()
    assert judgement.headline == "All 14 required checks passed on 8 nodes."


@given(nodes=st.integers(1, 5), data=st.data())
def test_removing_any_verdict_never_passes(nodes: int, data: st.DataObject) -> None:
    """Whichever verdict is taken out of a passing run, the run no longer passes and the gap is named."""
    run = healthy_run(nodes=nodes)
    gone = data.draw(st.integers(0, len(run.verdicts) - 1))
    left = run.verdicts[:gone] + run.verdicts[gone + 1 :]
    judgement = judge(result=_changed(run, verdicts=left))
    assert not judgement.passed
    assert [(m.check_id, m.subject) for m in judgement.missing] == [
        (run.verdicts[gone].check_id, run.verdicts[gone].subject)
    ]


@given(nodes=st.integers(2, 5), outcome=NOT_A_PASS, data=st.data())
def test_turning_any_required_verdict_never_passes(nodes: int, outcome: Outcome, data: st.DataObject) -> None:
    """Whichever verdict of a passing run is turned to anything else, the run no longer passes."""
    run = healthy_run(nodes=nodes)
    index = data.draw(st.integers(0, len(run.verdicts) - 1))
    verdicts = list(run.verdicts)
    verdicts[index] = replace(verdicts[index], outcome=outcome)
    judgement = judge(result=_changed(run, verdicts=verdicts))
    assert not judgement.passed
    assert judgement.reasons


@given(
    outcomes=st.lists(st.sampled_from(list(Outcome)), min_size=25, max_size=25),
    keep=st.lists(st.booleans(), min_size=25, max_size=25),
    waived=st.sets(st.sampled_from(["GPU-001", "NCL-003"])),
    complete=st.booleans(),
)
def test_a_pass_is_always_backed_by_passes(
    outcomes: list[Outcome], keep: list[bool], waived: set[str], complete: bool
) -> None:
    """Whatever a run holds, it is passed only where each owed verdict is there and is a pass."""
    run = healthy_run(nodes=2)
    verdicts = [replace(v, outcome=o) for v, o, k in zip(run.verdicts, outcomes, keep, strict=True) if k]
    waivers = [Waiver(check_id=check, reason="known") for check in sorted(waived)]
    mixed = _changed(run, verdicts=verdicts, waivers=waivers, complete=complete)
    passes = {(v.check_id, v.subject) for v in verdicts if v.outcome is Outcome.PASS}
    owed = {
        (check, subject)
        for check in set(run.required_checks) - waived
        for subject in subjects_owed(result=mixed, check_id=check)
    }
    assert judge(result=mixed).passed == (complete and owed <= passes)


def test_a_fail_beside_a_pass_of_the_same_check_fails() -> None:
    """A second verdict cannot outvote a fail."""
    run = healthy_run(nodes=1)
    bad = replace(run.verdicts[0], outcome=Outcome.FAIL)
    assert not judge(result=_changed(run, verdicts=[*run.verdicts, bad])).passed


def test_a_pass_about_the_cluster_does_not_stand_in_for_nodes() -> None:
    """A check that owes each node a verdict is not satisfied by one about the cluster."""
    run = healthy_run(nodes=2)
    verdicts = [v for v in run.verdicts if v.check_id != "GPU-001"]
    verdicts.append(Verdict("GPU-001", CLUSTER, Outcome.PASS, "all well"))
    assert {m.subject.names for m in judge(result=_changed(run, verdicts=verdicts)).missing} == {
        (node_id(0),),
        (node_id(1),),
    }


@pytest.mark.parametrize(
    ("update", "words"),
    [
        ({"complete": False}, "cut off"),
        ({"nodes": [], "verdicts": []}, "No node was seen"),
        ({"required_checks": []}, "No check was required"),
        ({"verdicts": []}, "no check at all was a pass"),
    ],
)
def test_what_proves_nothing_is_said_in_words(update: dict[str, object], words: str) -> None:
    """A run that is cut off, saw nothing or asked nothing is no pass and says which of these it was."""
    judgement = judge(result=_changed(healthy_run(), **update))
    assert not judgement.passed
    assert words in " ".join(judgement.reasons)
    assert judgement.headline.startswith("No fault was found, but ")


def test_a_waiver_needs_a_reason() -> None:
    """A waiver lifts its check off the balance, one without a reason does not, and what it hides is kept."""
    run = healthy_run(nodes=1)
    verdicts = [replace(v, outcome=Outcome.FAIL) if v.check_id == "DCG-002" else v for v in run.verdicts]
    waived = _changed(run, verdicts=verdicts, waivers=[Waiver(check_id="DCG-002", reason="weekly window")])
    judgement = judge(result=waived)
    assert judgement.passed
    assert [v.outcome for v in judgement.waived[0][1]] == [Outcome.FAIL]
    blank = _changed(run, verdicts=verdicts, waivers=[Waiver(check_id="DCG-002", reason=" ")])
    assert not judge(result=blank).passed


def test_waiving_everything_proves_nothing() -> None:
    """A run in which every check is waived is not passed."""
    run = healthy_run(nodes=1)
    waivers = [Waiver(check_id=check, reason="no time") for check in run.required_checks]
    assert not judge(result=_changed(run, waivers=waivers)).passed


def test_not_applicable_holds_only_where_the_hardware_table_says_so() -> None:
    """On one node nothing runs between nodes, so not-applicable clears there; on two nodes it does not."""
    for nodes, passes in ((1, True), (2, False)):
        run = healthy_run(nodes=nodes)
        verdicts = [
            replace(v, outcome=Outcome.NOT_APPLICABLE) if v.check_id == "NCL-003" else v for v in run.verdicts
        ]
        assert judge(result=_changed(run, verdicts=verdicts)).passed is passes


def test_faults_gather_what_shows_the_same_cause_on_one_subject() -> None:
    """Two checks that name one cause on one node are one fault; named causes come first."""
    run = faulty_run()
    node = Subject("node", (run.nodes[1].node,))
    also = Verdict("NCL-002", node, Outcome.FAIL, "NIC count 15", cause="efa-device-lost")
    judgement = judge(result=_changed(run, verdicts=[*run.verdicts, also]))
    assert [(f.cause, f.check_id, len(f.verdicts)) for f in judgement.faults] == [
        ("efa-device-lost", "EFA-001", 2),
        ("xid-64", "GPU-004", 1),
        ("efa-device-slow", "FAB-001", 1),
        (None, "NCL-003", 1),
    ]
    assert judgement.headline == "3 faults named on 3 of 8 nodes; 1 more check failed."


def test_a_preflight_owes_one_verdict_a_check() -> None:
    """A preflight looks at no node: a pass for each required check passes it, one less does not."""
    run = _changed(
        healthy_run(nodes=1),
        kind="preflight",
        nodes=[],
        required_checks=["PRE-001", "PRE-002"],
        verdicts=[Verdict(f"PRE-00{i}", CLUSTER, Outcome.PASS, "well") for i in (1, 2)],
    )
    assert judge(result=run).passed
    assert not judge(result=_changed(run, verdicts=run.verdicts[:1])).passed


def test_a_pass_that_is_relative_only_is_said_in_the_headline() -> None:
    """Who reads one sentence must know that nothing absolute was proven."""
    run = healthy_run()
    marked = [replace(v, basis="relative") if v.check_id == "NCL-003" else v for v in run.verdicts]
    judgement = judge(result=run.model_copy(update={"verdicts": marked}))
    assert judgement.passed
    assert judgement.headline.endswith("NCL-003 by comparison with the fleet itself only.")
    assert "comparison" not in judge(result=run).headline
