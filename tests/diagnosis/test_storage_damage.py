"""Deleting, cutting, doubling or swapping lines of what a storage tool printed never makes a fault a pass."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings

from bedplate.diagnosis.checks import PROBE_CHECKS
from bedplate.diagnosis.expected import ExpectedMount, NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.storage_tools import LFS_DF, LNET, MDADM, OST_STATES
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import instance_type
from tests.diagnosis import answers, storage_texts
from tests.diagnosis.test_damage_never_helps import OPERATIONS, Operation, damaged

PROMISED = NodeExpectation(
    mounts=(ExpectedMount("lustre", storage_texts.SOURCE, "/fsx", efa=True),), lnet_efas=8, local_nvme="raid0"
)
FAULTS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "a silent target": (LFS_DF, storage_texts.lfs_df(silent=(3,)), "FSX-001"),
    "a connection that is down": (
        OST_STATES,
        storage_texts.ost_states("FULL", "FULL", "DISCONN", "FULL"),
        "FSX-001",
    ),
    "two EFAs for eight": (LNET, storage_texts.lnet(efas=2), "FSX-001"),
    "EFAs that are down": (LNET, storage_texts.lnet(status="down"), "FSX-001"),
    "an array without a member": (
        MDADM,
        storage_texts.array_detail(state="broken, FAILED", active=7),
        "NVM-001",
    ),
}


def outcome(argv: tuple[str, ...], text: str, check: str) -> Outcome:
    """What the check says of a node that is healthy but for this text."""
    facts = NodeFacts(
        node="i-1",
        answer=answers.probe_answer(runs={argv: text}),
        instance_type=instance_type("p5en.48xlarge"),
        expected=PROMISED,
    )
    judge = next(each.judge for each in PROBE_CHECKS if each.id == check)
    assert judge is not None
    return judge(facts).outcome


def test_a_healthy_node_passes_both() -> None:
    """The healthy answers are in the shape that the checks read."""
    for check in ("NVM-001", "FSX-001"):
        assert outcome(LNET, storage_texts.lnet(), check) is Outcome.PASS


@pytest.mark.parametrize("fault", FAULTS)
@given(operations=OPERATIONS)
@example(operations=[("delete", 4, 0)])
@example(operations=[("delete", 5, 0)])
@settings(max_examples=150, deadline=None)
def test_damage_to_the_text_of_a_fault_never_passes(fault: str, operations: list[Operation]) -> None:
    """Whatever four lines are touched."""
    argv, text, check = FAULTS[fault]
    assert outcome(argv, damaged(text, operations), check) is not Outcome.PASS
