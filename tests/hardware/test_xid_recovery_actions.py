"""Xid 154: what the driver itself asks for."""

from __future__ import annotations

import pytest

from bedplate.hardware import recovery_action

_HEAD = "NVRM: Xid (PCI:0009:01:00): 154, GPU recovery action changed from"


@pytest.mark.parametrize(
    ("change", "number", "words", "policy", "unfit"),
    [
        ("0x1 (GPU Reset Required) to 0x0 (None)", 0, "None", "ignore", False),
        ("0x0 (None) to 0x1 (GPU Reset Required)", 1, "GPU Reset Required", "reset", True),
        ("0x0 (None) to 0x2 (Node Reboot Required)", 2, "Node Reboot Required", "reboot", True),
        ("0x0 (None) to 0x2 (OS Reboot)", 2, "OS Reboot", "reboot", True),
        ("0x0 (None) to 0x3 (Drain P2P)", 3, "Drain P2P", "monitor", False),
        ("0x0 (None) to 0x4 (Drain and Reset)", 4, "Drain and Reset", "reset", True),
        ("0x4 (Drain and Reset) to 0x1 (GPU Reset Required)", 1, "GPU Reset Required", "reset", True),
    ],
)
def test_the_action_that_the_line_ends_at_counts(
    change: str, number: int, words: str, policy: str, unfit: bool
) -> None:
    """The new action decides, by its number, whatever words the driver has for it."""
    found = recovery_action(f"{_HEAD} {change}")
    assert found is not None
    assert (found.number, found.words, found.policy, found.fails_node) == (number, words, policy, unfit)
    assert found.known


def test_words_may_be_missing() -> None:
    """A line with numbers only gets the usual words."""
    found = recovery_action(f"{_HEAD} 0x0 to 0x2")
    assert found is not None
    assert (found.words, found.policy) == ("Node Reboot Required", "reboot")


def test_an_unknown_number_is_not_taken_for_health() -> None:
    """A number that NVML does not list makes the node unfit, and is told as unknown."""
    found = recovery_action(f"{_HEAD} 0x0 (None) to 0x9 (Something New)")
    assert found is not None
    assert (found.known, found.policy, found.words) == (False, "reset", "Something New")


@pytest.mark.parametrize("text", ["", "NVRM: Xid (PCI:0009:01:00): 79, GPU has fallen off the bus.", _HEAD])
def test_other_lines_and_cut_lines_give_nothing(text: str) -> None:
    """A line of another Xid, or one cut before the action, has none."""
    assert recovery_action(text) is None
