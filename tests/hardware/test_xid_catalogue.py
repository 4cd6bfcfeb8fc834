"""The Xid table: NVIDIA's meaning, our policy, and EC2's, each in its own column."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bedplate.hardware import XIDS, XidEntry, xid
from bedplate.hardware.xids.policies import EC2_REPLACES, POLICIES_BY_XID
from bedplate.hardware.xids.policy import POLICIES, fails_node, severest
from bedplate.hardware.xids.rows import ENGINE_ROWS, ROWS

# AWS's node monitoring agent, WellKnownXidCodes, 2026-08.
EC2_FATAL = {46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158}


@pytest.mark.parametrize(
    ("code", "action", "policy", "unfit"),
    [
        (13, "RESTART_APP", "restart-app", False),
        (31, "RESTART_APP", "restart-app", False),
        (43, "IGNORE", "ignore", False),
        (45, "WORKFLOW_XID_45", "ignore", False),
        (48, "WORKFLOW_XID_48", "reset", True),
        (54, "CHECK_MECHANICALS", "replace", True),
        (63, "IGNORE", "monitor", False),
        (64, "RESET_GPU", "replace", True),
        (74, "WORKFLOW_NVLINK_ERR", "reset", True),
        (79, "RESTART_BM", "replace", True),
        (92, "IGNORE", "monitor", False),
        (94, "RESTART_APP", "restart-app", False),
        (95, "RESET_GPU", "reset", True),
        (119, "RESET_GPU", "reset", True),
        (137, "IGNORE", "monitor", False),
        (140, "RESET_GPU", "reset", True),
        (151, "RESTART_VM", "reboot", True),
        (154, "XID_154", "monitor", False),
    ],
)
def test_the_codes_that_matter_read_right(code: int, action: str, policy: str, unfit: bool) -> None:
    """NVIDIA's immediate action and our policy for the codes that decide about nodes."""
    entry = xid(code)
    assert entry is not None
    assert (entry.nvidia_action, entry.policy, entry.fails_node) == (action, policy, unfit)


def test_63_is_the_success_and_64_the_failure() -> None:
    """63 tells of a remap that was recorded, 64 of one that was not, and neither of a lost GPU; 79 does."""
    success, failure, lost = xid(63), xid(64), xid(79)
    assert success is not None
    assert failure is not None
    assert lost is not None
    assert "successfully" in success.meaning
    assert "could not be recorded" in failure.meaning
    assert "bus" in lost.name.lower().replace("_", " ")


def test_ec2_is_stricter_than_nvidia_in_a_column_of_its_own() -> None:
    """EC2's policy is AWS's agent's list, by code; at 63 it replaces what NVIDIA ignores and we watch."""
    assert {code for code, entry in XIDS.items() if entry.ec2_policy == "replace"} == EC2_FATAL
    entry = xid(63)
    assert entry is not None
    assert (entry.nvidia_action, entry.policy, entry.ec2_policy) == ("IGNORE", "monitor", "replace")


def _codes(wrong: Callable[[XidEntry], bool]) -> list[int]:
    """The codes whose rows are wrong in this way."""
    return [code for code, entry in XIDS.items() if wrong(entry)]


def test_rows_are_whole() -> None:
    """Each row has a name, a meaning, sources, and policies that exist, and stands under its own code."""
    assert _codes(lambda row: not (row.name and row.meaning and row.sources)) == []
    assert _codes(lambda row: row.policy not in POLICIES) == []
    assert _codes(lambda row: row.ec2_policy not in ("replace", "monitor")) == []
    assert all(entry.code == code for code, entry in XIDS.items())


def test_our_policy_is_never_milder_than_a_reset_that_nvidia_asks_for() -> None:
    """Where NVIDIA asks to reset the GPU or restart the machine, the node counts as unfit."""
    asks = ("RESET_GPU", "RESTART_BM", "RESTART_VM", "WORKFLOW_XID_48")
    assert len(_codes(lambda row: row.nvidia_action in asks)) > 15
    assert _codes(lambda row: row.nvidia_action in asks and not row.fails_node) == []


def test_what_nvidia_ignores_fails_no_node() -> None:
    """Where NVIDIA says to ignore an event or to restart the application, no node is failed for it."""
    assert _codes(lambda row: row.nvidia_action in ("IGNORE", "RESTART_APP") and row.fails_node) == []


def test_where_nvidia_gives_no_action_a_failing_policy_says_why() -> None:
    """A node is never failed on our own account without a note."""
    assert _codes(lambda row: row.fails_node and not row.nvidia_action) == [167, 168, 169]
    assert _codes(lambda row: row.fails_node and not row.nvidia_action and not row.note) == []


def test_codes_come_in_order_and_are_unique() -> None:
    """The table is in rising order of code and holds no code twice."""
    assert list(XIDS) == sorted(XIDS)
    assert len(XIDS) == len(ROWS) + len(ENGINE_ROWS)


@pytest.mark.parametrize("code", [0, -1, 1, 14, 47, 122, 125, 173, 999])
def test_unused_and_unknown_codes_have_no_row(code: int) -> None:
    """What NVIDIA lists as unused, or does not list, has no row to read a meaning from."""
    assert xid(code) is None


def test_lines_decide_where_the_code_cannot() -> None:
    """144 to 150 are decided by their sub-code and 154 by its text; all others by their code."""
    decided = {code: entry.decided_by for code, entry in XIDS.items()}
    assert {code for code, by in decided.items() if by == "nvlink5"} == set(range(144, 151))
    assert {code for code, by in decided.items() if by == "recovery-action"} == {154}


def test_policies_are_ordered_and_checked() -> None:
    """Resets, reboots and replacements make a node unfit, the rest do not, and no other word is a policy."""
    assert [fails_node(policy) for policy in POLICIES] == [False, False, False, True, True, True]
    assert severest("monitor", "reset", "ignore") == "reset"
    with pytest.raises(ValueError, match="policy must be one of"):
        fails_node("drain")


def test_every_code_has_a_policy_and_every_policy_a_code() -> None:
    """Meaning and policy are two tables over the same codes."""
    meanings = {row[0] for row in ROWS + ENGINE_ROWS}
    assert meanings == set(POLICIES_BY_XID)
    assert {policy for policy, _ in POLICIES_BY_XID.values()} <= set(POLICIES)
    assert meanings >= EC2_REPLACES
