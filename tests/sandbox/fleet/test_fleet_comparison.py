"""What was injected is compared with what was named, and nothing is excused that should not be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.sandbox.fleet.comparison import compare, main
from bedplate.validation.result import NodeResult, RunResult, Waiver

A, B, C = "i-00000000000000001", "i-00000000000000002", "i-00000000000000003"
NODES = (A, B, C)
FULL = {"required_checks": ["GPU-001"], "complete": True, "kind": "validate"}


def failed(cause: str | None, *names: str) -> Verdict:
    """A fail that names ``cause`` on these nodes: none for the cluster, two for a link."""
    kinds = {0: CLUSTER, 1: Subject("node", names), 2: Subject("link", names)}
    return Verdict("XXX-001", kinds[len(names)], Outcome.FAIL, "it failed", cause=cause)


def said(outcome: Outcome, node: str, check: str = "GPU-001") -> Verdict:
    """A verdict of a check on one node."""
    return Verdict(check, Subject("node", (node,)), outcome, "it was looked at")


PASSES = tuple(said(Outcome.PASS, node) for node in NODES)


def result(verdicts: Sequence[Verdict], *, passes: Sequence[Verdict] = PASSES, **changes: Any) -> RunResult:
    """A validation of three nodes with these verdicts beside ``passes``: one of each node."""
    nodes = [NodeResult(node=each, pool="gpu", instance_type="p5en.48xlarge") for each in NODES]
    return RunResult(
        environment="demo",
        account="123456789012",
        region="us-west-2",
        simulated=True,
        started_at="2026-01-01T00:00:00+00:00",
        finished_at="2026-01-01T00:01:00+00:00",
        nodes=nodes,
        verdicts=[*passes, *verdicts],
        bandwidths=[],
        rounds=[],
        **{**FULL, "waivers": [], **changes},
    )


def injected(*faults: tuple[str, str, list[str]], **more: Any) -> dict[str, Any]:
    """A record of injected faults."""
    rows = [{"cause": cause, "kind": kind, "subjects": names, "detail": {}} for cause, kind, names in faults]
    return {"seed": "1", "faults": rows, "unbound": [], **more}


LOST = ("efa-device-lost", "node", [A])


def test_everything_named_and_nothing_else_is_equal() -> None:
    """A node, a link in either order, and the cluster are matched by cause and subject."""
    record = injected(LOST, ("link-slow", "link", [B, C]), ("fabric-configuration", "cluster", []))
    verdicts = [failed("efa-device-lost", A), failed("link-slow", C, B), failed("fabric-configuration")]
    found = compare(record, result(verdicts))
    assert found.equal
    assert len(found.matched) == 3


def test_a_fault_that_nobody_named_is_missed() -> None:
    """Another cause on the right node does not count."""
    found = compare(injected(LOST), result([failed("nvlink-down", A)]))
    assert not found.equal
    assert [str(blame) for blame in found.missed] == [f"efa-device-lost on {A}"]
    assert [str(blame) for blame in found.wrongly_blamed] == [f"nvlink-down on {A}"]


def test_a_blame_on_a_healthy_node_is_wrong() -> None:
    """Even with the right cause, and even where the check named no cause at all."""
    for verdict in (failed("efa-device-lost", B), failed(None, B)):
        found = compare(injected(LOST), result([failed("efa-device-lost", A), verdict]))
        assert not found.equal
        assert found.wrongly_blamed[0].subjects == (B,)


def test_a_consequence_is_allowed_on_its_own_node_only() -> None:
    """XID 79 takes the GPU away on that node; the same blame on another node is wrong."""
    record = injected(("xid-79", "node", [A]))
    assert compare(record, result([failed("xid-79", A), failed("gpu-lost", A)])).equal
    assert not compare(record, result([failed("xid-79", A), failed("gpu-lost", B)])).equal


def test_a_consequence_alone_does_not_find_the_fault() -> None:
    """Who names only what followed has missed what happened."""
    found = compare(injected(("xid-79", "node", [A])), result([failed("gpu-lost", A)]))
    assert [blame.cause for blame in found.missed] == ["xid-79"]


def test_an_unnamed_symptom_of_a_fault_is_no_blame() -> None:
    """A pair that fails with a faulty node, and the cluster that is slow with one, name nobody."""
    verdicts = [failed("efa-device-lost", A), failed(None, A, B), failed(None), failed(None, A)]
    assert compare(injected(LOST), result(verdicts)).equal


def test_a_harmless_event_must_not_be_blamed() -> None:
    """XID 63 records a success: who blames the node for it is wrong, who says nothing has missed nothing."""
    record = injected(LOST, ("xid-63", "node", [B]))
    assert compare(record, result([failed("efa-device-lost", A)])).equal
    assert not compare(record, result([failed("efa-device-lost", A), failed("xid-63", B)])).equal


def test_a_run_without_faults_must_have_passed() -> None:
    """Naming nothing is not enough where nothing was proven."""
    unproven = compare(injected(), result([], passes=()))
    assert not unproven.equal
    assert "did not pass" in unproven.unusable[0]


@pytest.mark.parametrize(
    ("on_b", "text"),
    [
        ([said(Outcome.ERROR, B)], "GPU-001 is error"),
        ([said(Outcome.PASS, B), said(Outcome.ERROR, B)], "GPU-001 is error"),
        ([said(Outcome.NOT_TESTED, B)], "GPU-001 is not-tested"),
        ([said(Outcome.NOT_APPLICABLE, B)], "nothing passed"),
        ([], "GPU-001 says nothing"),
    ],
)
def test_a_node_without_a_fault_must_have_been_proven(on_b: list[Verdict], text: str) -> None:
    """Who names every fault and could not look at the rest has found no proof that nobody else has one."""
    passes = [said(Outcome.PASS, A), *on_b, said(Outcome.PASS, C)]
    found = compare(injected(LOST), result([failed("efa-device-lost", A)], passes=passes))
    assert not found.equal
    assert any(text in obstacle and B in obstacle for obstacle in found.unusable)


def test_a_node_with_a_fault_may_stay_unproven() -> None:
    """What a fault keeps a check from saying about its own node is the fault's doing."""
    passes = [said(Outcome.ERROR, A), *PASSES[1:]]
    assert compare(injected(LOST), result([failed("efa-device-lost", A)], passes=passes)).equal


def test_a_waived_check_proves_nothing_and_owes_nothing() -> None:
    """A waiver stands as it does in the judgement; that something passed on each node is still asked."""
    verdicts = [failed("efa-device-lost", A), *(said(Outcome.ERROR, node, "NVL-001") for node in NODES)]
    waivers = [Waiver(check_id="NVL-001", reason="no time")]
    required = ["GPU-001", "NVL-001"]
    assert not compare(injected(LOST), result(verdicts, required_checks=required)).equal
    assert compare(injected(LOST), result(verdicts, required_checks=required, waivers=waivers)).equal


SLOW_FABRIC = ("fabric-configuration", "cluster", [])


@pytest.mark.parametrize(
    ("faults", "check", "excused"),
    [
        ([SLOW_FABRIC], "FAB-001", True),
        ([SLOW_FABRIC], "NCL-001", False),
        ([LOST], "FAB-001", False),
        ([LOST, ("xid-79", "node", [B])], "FAB-001", True),
    ],
)
def test_the_search_may_stay_open_only_where_nothing_healthy_can_be_compared(
    faults: list[tuple[str, str, list[str]]], check: str, excused: bool
) -> None:
    """With a slow fabric, or with one healthy node left; other checks and other faults excuse nothing."""
    faulty = {name for _, _, names in faults for name in names}
    open_ = [said(Outcome.ERROR, node, check) for node in NODES if node not in faulty]
    named = [failed(cause, *names) for cause, _, names in faults]
    found = compare(injected(*faults), result([*named, *open_], required_checks=["GPU-001", check]))
    assert found.equal is excused, found.lines()


@pytest.mark.parametrize(
    ("changes", "text"), [({"complete": False}, "cut off"), ({"kind": "preflight"}, "not of a validation")]
)
def test_a_result_that_is_no_whole_validation_cannot_be_equal(changes: dict[str, Any], text: str) -> None:
    """However right its verdicts are."""
    found = compare(injected(LOST), result([failed("efa-device-lost", A)], **changes))
    assert not found.equal
    assert any(text in obstacle for obstacle in found.unusable)


def test_a_fault_that_was_never_injected_makes_the_comparison_void() -> None:
    """Else a scenario that did not happen would look as if it had been passed."""
    record = injected(LOST, unbound=[{"cause": "xid-64", "node_index": 9, "detail": {}}])
    found = compare(record, result([failed("efa-device-lost", A)]))
    assert not found.equal
    assert "found no node" in found.unusable[0]


def test_the_command_ends_with_zero_only_if_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0 for equal, 4 for not equal, 2 for what cannot be read."""
    record, report = tmp_path / "injected.json", tmp_path / "result.json"
    record.write_text(json.dumps(injected(LOST)), encoding="utf-8")
    codes = []
    for verdicts in ([failed("efa-device-lost", A)], [failed("gpu-lost", B)]):
        report.write_text(result(verdicts).model_dump_json(), encoding="utf-8")
        codes.append(main([str(record), str(report)]))
    assert codes == [0, 4]
    assert "WRONGLY BLAMED  gpu-lost" in capsys.readouterr().out
    assert main([str(record), str(tmp_path / "none.json")]) == 2
