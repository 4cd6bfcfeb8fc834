"""Nodes taken out of service, and back: exactly what was changed, and nothing that a person did."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.node.kubernetes.legal_values import is_legal_value, legal_value
from bedplate.node.kubernetes.out_of_service import (
    NotOursError,
    back_patch,
    done_by,
    out_patch,
    reason_on,
)
from bedplate.node.kubernetes.work import is_work
from tests.diagnosis.kubernetes_objects import node
from tests.support.merge_patch import merged

PLAN = "act-20260203T100000Z-0a1b2c3d"
REASON = f"bedplate {PLAN}: efa-device-lost (EFA-001)"
OTHER = {
    "key": "team.example/keep",
    "value": "yes",
    "effect": "NoExecute",
    "timeAdded": "2026-02-03T09:00:00Z",
}
UNFIT = {"key": "bedplate.dev/unfit", "value": "efa-001", "effect": "NoSchedule"}
BEFORE = [
    node(),
    node(spec__unschedulable=True),
    node(spec__taints=[OTHER]),
    node(spec__taints=[{**UNFIT, "effect": "NoExecute"}, OTHER], spec__unschedulable=True),
]


def _out(before: dict[str, Any], plan: str = PLAN) -> dict[str, Any]:
    patch = out_patch(before, plan=plan, check_id="EFA-001", reason=REASON)
    return dict(merged(before, patch))


def _back(out: dict[str, Any], plan: str = PLAN) -> dict[str, Any]:
    patch = back_patch(out, plan=plan)
    assert patch is not None
    return dict(merged(out, patch))


@given(st.text(max_size=200))
def test_whatever_text_becomes_a_legal_value(text: str) -> None:
    """At most 63 characters of Kubernetes' alphabet, letters or digits at both ends."""
    value = legal_value(text)
    assert is_legal_value(value)
    assert len(value) <= 63
    assert re.fullmatch(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", value, re.ASCII)


@pytest.mark.parametrize("value", ["efa device", "-x", "x-", "a" * 64, "é", "a/b", "x\n", "."])
def test_values_that_kubernetes_refuses_are_known(value: str) -> None:
    """Blanks, ends that are no letter, length, other alphabets, slashes, line ends."""
    assert not is_legal_value(value)


def test_a_node_is_cordoned_tainted_and_says_why() -> None:
    """Taints of others go along, for they are replaced whole; a change in between is a conflict."""
    patch = out_patch(node(spec__taints=[OTHER]), plan=PLAN, check_id="EFA-001", reason=REASON)
    assert patch["metadata"]["resourceVersion"] == "812"
    assert patch["metadata"]["labels"] == {"bedplate.dev/plan": PLAN}
    assert patch["spec"] == {"unschedulable": True, "taints": [OTHER, UNFIT]}
    assert reason_on(merged(node(), patch)) == REASON


def test_a_reason_of_any_length_is_kept_whole() -> None:
    """An annotation has no alphabet and no 63 characters."""
    reason = f"{REASON} {'ä ' * 400}"
    patch = out_patch(node(), plan=PLAN, check_id="EFA-001", reason=reason)
    assert reason_on(merged(node(), patch)) == reason


@pytest.mark.parametrize("before", BEFORE[:3])
def test_out_and_back_leave_the_node_as_it_was(before: dict[str, Any]) -> None:
    """Once or twice in a row; a node that was cordoned before stays cordoned."""
    for out in (_out(before), _out(_out(before))):
        after = _back(out)
        assert after["spec"] == before["spec"]
        assert after["metadata"] == before["metadata"]


def test_what_a_person_did_meanwhile_stays() -> None:
    """A cordon that they lifted, a taint that they added, and our taint with a value of theirs."""
    out = _out(node())
    del out["spec"]["unschedulable"]
    out["spec"]["taints"] = [*out["spec"]["taints"], OTHER]
    after = _back(out)
    assert "unschedulable" not in after["spec"]
    assert after["spec"]["taints"] == [*node()["spec"]["taints"], OTHER]
    theirs = _out(node())
    theirs["spec"]["taints"] = [{**UNFIT, "value": "waits-for-aws"}]
    assert _back(theirs)["spec"]["taints"] == [{**UNFIT, "value": "waits-for-aws"}]


def test_a_taint_of_our_key_that_we_did_not_set_is_not_written_over() -> None:
    """A person may use it; whose it is would be lost."""
    with pytest.raises(NotOursError):
        out_patch(node(spec__taints=[UNFIT]), plan=PLAN, check_id="EFA-001", reason=REASON)
    with pytest.raises(NotOursError):
        out_patch(BEFORE[3], plan=PLAN, check_id="EFA-001", reason=REASON)


def test_only_the_plan_that_took_a_node_out_takes_it_back() -> None:
    """Another plan's, nobody's, and one whose record was damaged stay as they are."""
    assert back_patch(_out(node()), plan="act-other") is None
    assert back_patch(node(), plan=PLAN) is None
    for broken in ("", "{", '{"plan": 1}', "[]"):
        out = _out(node())
        out["metadata"]["annotations"]["bedplate.dev/done"] = broken
        assert back_patch(out, plan=PLAN) is None
        assert done_by(out) is None
    unlabelled = _out(node())
    del unlabelled["metadata"]["labels"]["bedplate.dev/plan"]
    assert back_patch(unlabelled, plan=PLAN) is None


def test_a_later_plan_takes_over_and_the_cordon_stays_known_as_ours() -> None:
    """Else the last undo would leave a node cordoned for ever."""
    out = _out(_out(node()), plan="act-later")
    assert back_patch(out, plan=PLAN) is None
    assert "unschedulable" not in _back(out, plan="act-later")["spec"]


@pytest.mark.parametrize(
    ("pod", "works"),
    [
        ({"metadata": {"name": "train-0"}, "status": {"phase": "Running"}}, True),
        ({"metadata": {}, "status": {"phase": "Pending"}}, True),
        ({}, True),
        ({"metadata": {}, "status": {"phase": "Succeeded"}}, False),
        ({"metadata": {}, "status": {"phase": "Failed"}}, False),
        ({"metadata": {"ownerReferences": [{"kind": "DaemonSet", "controller": True}]}}, False),
        ({"metadata": {"ownerReferences": [{"kind": "Job", "controller": True}]}}, True),
        ({"metadata": {"ownerReferences": [{"kind": "DaemonSet"}]}}, True),
        ({"metadata": {"annotations": {"kubernetes.io/config.mirror": "a"}}}, False),
    ],
)
def test_work_is_told_from_what_belongs_to_the_node(pod: dict[str, Any], works: bool) -> None:
    """An unknown pod is work: a node is never ended under it."""
    assert is_work(pod) is works
