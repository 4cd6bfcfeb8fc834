"""Whatever a run says and however the cluster stands or changes: what an action may never do."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.diagnosis.causes import CAUSES
from bedplate.diagnosis.verdict import Verdict
from bedplate.validation.actions.candidates import confidence_of
from bedplate.validation.actions.dispositions import Disposition, disposition
from bedplate.validation.actions.live import Live, is_busy, is_out
from bedplate.validation.actions.model import ActionPlan
from bedplate.validation.actions.perform import Performer
from bedplate.validation.actions.policy import ActionPolicy
from bedplate.validation.actions.undo import undo
from bedplate.validation.judgement import judge

from .acting import fail, live, node, of_cluster, of_link, plan, run, slurm
from .fake_cluster import FakeCluster, FakeJournals

NODES = 12
OURS = "bedplate act-1: efa-device-lost (EFA-001) [root@1]"
CAUSE_IDS = [*CAUSES, "xid-64", "xid-79", "xid-13", "sxid-12028", "xid-999999", "made-up"]

_index = st.integers(0, NODES + 1)
_node_fault = st.builds(
    lambda index, cause, check, confidence: fail(index, cause, check=check, confidence=confidence),
    _index,
    st.none() | st.sampled_from(CAUSE_IDS),
    st.sampled_from(["EFA-001", "GPU-001", "FAB-001"]),
    st.none() | st.floats(0, 1),
)
_fault = st.one_of(
    _node_fault,
    st.builds(of_cluster, st.sampled_from(["fabric-configuration", "collective-hang"])),
    st.builds(of_link, _index, _index),
)
_state = st.sampled_from(
    [
        {},
        {"state": "ALLOCATED", "allocated": "cpu=192"},
        {"state": "IDLE", "flags": ("CLOUD", "DRAIN"), "reason": OURS},
        {"state": "MIXED", "flags": ("CLOUD", "DRAIN"), "reason": OURS, "allocated": "cpu=1"},
        {"state": "IDLE", "flags": ("CLOUD", "DRAIN"), "reason": "mine [bob@1]"},
        {"state": "DOWN", "flags": ("CLOUD", "NOT_RESPONDING"), "reason": "Not responding [slurm@1]"},
        {"state": "DOWN", "flags": ("CLOUD",), "reason": "for repair [bob@1]"},
    ]
)
_modes = st.sampled_from(["report", "drain", "replace"])


def _live(states: list[dict[str, Any]], gone: set[int]) -> Live:
    return live(
        nodes=NODES, without=sorted(gone), **{f"n{i}": slurm(i, **state) for i, state in enumerate(states)}
    )


@settings(max_examples=150, deadline=None)
@given(
    verdicts=st.lists(_fault, max_size=20),
    states=st.lists(_state, min_size=NODES, max_size=NODES),
    gone=st.sets(st.integers(0, NODES - 1), max_size=3),
    mode=_modes,
    percent=st.integers(1, 100),
)
def test_no_plan_breaks_a_rule(
    verdicts: list[Verdict], states: list[dict[str, Any]], gone: set[int], mode: str, percent: int
) -> None:
    """Causes, confidence, identity, other people's drains, the cap; and every fault is in the plan once."""
    result, now = run(*verdicts, nodes=NODES), _live(states, gone)
    made = plan(result, on_failure=mode, now_live=now, at_most_percent=percent)
    faults = judge(result=result).faults
    acted = {action.node: action for action in made.actions}
    assert mode != "report" or not acted
    assert len(acted) == len(made.actions)
    for action in made.actions:
        own = [
            fault for fault in faults if fault.subject.names == (action.node,) and fault.cause == action.cause
        ]
        assert own
        assert disposition(action.cause) in (Disposition.REPLACE, Disposition.DRAIN)
        assert action.do == "drain" or disposition(action.cause) is Disposition.REPLACE
        assert action.do == "drain" or mode == "replace"
        sure = confidence_of(own[0])
        assert sure is None or sure >= ActionPolicy("drain").least_confidence
        instance = now.instance(action.pool, action.node)
        assert instance is not None
        found = now.slurm[instance.private_ip]
        assert found.name == action.slurm_name
        assert not found.reason or found.reason == OURS or "[slurm@" in found.reason
    most = max(1, max(NODES - len(gone), 4) * percent // 100)
    newly_out = [one for one in made.actions if not is_out(now.slurm[one.private_ip])]
    assert not newly_out or now.out_of_service("h200") + len(newly_out) <= most
    assert sum(one.do == "replace" for one in made.actions) <= most
    # Of each fault it is said once what becomes of it; faults of one acted-upon node are one action.
    told = Counter((left.subject, left.cause) for left in made.left_alone)
    for fault in faults:
        acts = fault.subject.names[:1] and fault.subject.names[0] in acted and fault.subject.kind == "node"
        assert acts or told[fault.subject, fault.cause] >= 1 or _merged(fault.subject, told)


def _merged(subject: Any, told: Counter[Any]) -> bool:
    """Several faults of one node were one candidate, which was left alone under its strongest cause."""
    return any(one == subject for one, _ in told)


class _Watched(FakeCluster):
    """Refuses to end an instance that a job is on, or that is not drained by us: the test then fails."""

    def terminate(self, instance_id: str) -> None:
        found = self.states[self.running[instance_id].private_ip]
        assert "DRAIN" in found.flags
        assert found.reason.startswith("bedplate ")
        assert not is_busy(found)
        super().terminate(instance_id)


@settings(max_examples=60, deadline=None)
@given(
    faults=st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True),
    before=st.lists(_state, min_size=6, max_size=6),
    between=st.lists(_state, min_size=6, max_size=6),
    launches=st.sampled_from([None, 1]),
)
def test_no_instance_with_a_job_or_of_somebody_else_is_ever_ended(
    faults: list[int], before: list[dict[str, Any]], between: list[dict[str, Any]], launches: int | None
) -> None:
    """Jobs, drains and repairs may change between plan, drain and end: the last look decides.

    Whatever became of it, an undo afterwards leaves no drain of ours and none of anybody else's touched.
    """
    cluster = _Watched(nodes=6, launches=launches)
    for i, state in enumerate(before):
        cluster.set(f"10.0.0.{i + 1}", **{"flags": ("CLOUD",), **state})
    result = run(*[fail(i, "efa-device-lost") for i in faults], nodes=6)
    made = plan(result, on_failure="replace", now_live=cluster.live(), at_most_percent=100)
    theirs = {name: one for name, one in cluster.states.items() if one.reason.endswith("[bob@1]")}

    def change_once() -> None:
        cluster.on_change = lambda: None
        for i, state in enumerate(between):
            address = f"10.0.0.{i + 1}"
            if address in cluster.states and state.get("allocated"):
                cluster.set(address, state="MIXED", allocated="cpu=1")

    cluster.on_change = change_once
    journals = FakeJournals()
    performer: Any = Performer(cluster, journals, wait_seconds=60)  # type: ignore[arg-type]
    done: ActionPlan = performer.perform(made)
    assert {action.state for action in done.actions} <= {"done", "waiting", "refused", "failed"}
    assert all(cluster.states[name] == one for name, one in theirs.items() if name not in _busied(between))
    undone = undo(plan=done, cluster=cluster, journals=journals)  # type: ignore[arg-type]
    ours = {action.slurm_name: action.reason for action in undone.actions}
    left = [one for one in cluster.states.values() if one.name in ours and "DRAIN" in one.flags]
    assert not [one for one in left if one.reason.startswith(ours[one.name])]
    assert set(cluster.terminated) <= {node(i) for i in faults}


def _busied(between: list[dict[str, Any]]) -> set[str]:
    return {f"10.0.0.{i + 1}" for i, state in enumerate(between) if state.get("allocated")}
