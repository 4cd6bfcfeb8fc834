"""Sub-codes of Xid 144 to 150. The lines are written for these tests in the driver's form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.hardware import read_nvlink5
from bedplate.hardware.xids.nvlink5 import NvLinkReading, decode_nvlink5


def _line(code: int, unit: str, severity: str, first: int, second: int) -> str:
    words = " ".join(f"0x{word:08x}" for word in (first, second, 0, 0, 0, 0))
    return f"[ 12.5] NVRM: Xid (PCI:0008:01:00): {code}, {unit}  {severity}   XC0 i0 Link 07 ({words})"


def _read(code: int, unit: str, severity: str, first: int, second: int) -> NvLinkReading:
    found = read_nvlink5(_line(code, unit, severity, first, second))
    assert found is not None
    return found


def test_a_link_that_the_peer_took_down_blames_the_peer() -> None:
    """Sub-code 33 of 149: reset here, but the device at the other end is the source."""
    found = _read(149, "NETIR_LINK_EVT", "Fatal", 0x021425C6, 0)
    assert (found.code, found.sub_code, found.error_status, found.link) == (149, 33, 0, 7)
    assert found.label == "149.33"
    assert (found.policy, found.fails_node, found.peer_suspected, found.known) == ("reset", True, True, True)


@pytest.mark.parametrize("sub_code", [21, *range(32, 38)])
def test_all_peer_sub_codes_blame_the_peer(sub_code: int) -> None:
    """Every sub-code for which NVIDIA names the peer device is read so."""
    found = _read(149, "NETIR_LINK_EVT", "Fatal", sub_code << 20 | 0x5C6, 0)
    assert found.peer_suspected
    assert found.policy == "reset"


@pytest.mark.parametrize("sub_code", [0, 1, 2, 4, 10, 15, 16, 17, 18, 22, 42, 43])
def test_other_link_down_sub_codes_reset_without_blaming_the_peer(sub_code: int) -> None:
    """The other link events ask for a reset of this GPU."""
    found = _read(149, "NETIR_LINK_EVT", "Fatal", sub_code << 20, 0)
    assert (found.policy, found.peer_suspected, found.known) == ("reset", False, True)


@pytest.mark.parametrize("sub_code", [38, 40])
def test_what_nvidia_ignores_is_ignored_though_the_word_is_fatal(sub_code: int) -> None:
    """Sub-codes 38 and 40 come with the word Fatal, and NVIDIA says to ignore them."""
    found = _read(149, "NETIR_LINK_EVT", "Fatal", sub_code << 20, 0)
    assert (found.policy, found.fails_node, found.known) == ("ignore", False, True)


@pytest.mark.parametrize(
    ("code", "unit", "severity", "status", "policy", "follows"),
    [
        (144, "SAW_MVB", "Nonfatal", 0x4, "ignore", False),
        (144, "SAW_MVB", "Fatal", 0x10, "reset", False),
        (145, "RLW_REMAP", "Nonfatal", 0x4, "monitor", True),
        (145, "RLW_REMAP", "Fatal", 0x40, "reset", False),
        (145, "RLW_RXPIPE", "Nonfatal", 0x8, "monitor", False),
        (145, "RLW_SRC_TRACK", "Nonfatal", 0x2, "ignore", False),
        (145, "RLW_TAGSTATE", "Fatal", 0x100000, "reset", False),
        (146, "TLW_TX_PIPE1", "Fatal", 0x4, "reset", False),
        (147, "TREX", "Nonfatal", 0x1, "ignore", False),
        (148, "NVLPW_CTRL", "Nonfatal", 0x80000000, "ignore", False),
        (149, "NETIR", "Fatal", 0x0, "reset", False),
        (149, "NETIR_BER_EVENT", "Nonfatal", 0x3, "monitor", False),
        (149, "NETIR_MFDE_EVENT", "Fatal", 0x5, "reset", False),
        (150, "MSE_WATCHDOG", "Fatal", 0x0, "reset", False),
    ],
)
def test_units_read_as_in_nvidias_table(
    code: int, unit: str, severity: str, status: int, policy: str, follows: bool
) -> None:
    """One event of each unit reads as NVIDIA's decode table has it."""
    found = _read(code, unit, severity, 0x5C2, status)
    assert (found.policy, found.follow_154, found.known) == (policy, follows, True)


def test_of_several_error_bits_the_worst_counts() -> None:
    """With a harmless and a fatal bit set in one status word, the fatal one decides."""
    assert _read(144, "SAW_MVB", "Nonfatal", 1, 0x12).policy == "reset"


def test_an_unknown_bit_does_not_hide_a_known_one() -> None:
    """A bit that the table lacks leaves the reset that a known bit asks for, and is told."""
    found = _read(144, "SAW_MVB", "Nonfatal", 1, 0x2 | 0x4000)
    assert (found.policy, found.known) == ("reset", False)


def test_an_old_drivers_line_falls_back_on_its_word() -> None:
    """Before R575 a line has one word in brackets: nothing is decoded, and Fatal asks for a reset."""
    found = read_nvlink5("NVRM: Xid (PCI:0000:1e:00): 149, NETIR_LINK_EVT Fatal XC 1 i 2 Link 1 [0x0000000a]")
    assert found is not None
    assert (found.sub_code, found.known, found.policy, found.label) == (None, False, "reset", "149")


def test_a_line_with_pid_and_name_is_read_too() -> None:
    """Some lines name a process before the unit."""
    found = read_nvlink5(
        "NVRM: Xid (PCI:0000:01:00): 145, pid=1234, name=python3, RLW_RXPIPE Nonfatal XC0 i0 Link 13 "
        "(0x0009a0c2 0x00000008 0x00000001)"
    )
    assert found is not None
    assert (found.unit, found.link, found.error_status, found.known) == ("RLW_RXPIPE", 13, 8, True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NVRM: Xid (PCI:0000:0f:00): 94, pid=1234, name=python3, Contained ECC error",
        "NVRM: Xid (PCI:0000:0f:00): 45, pid=1, name=python3, Ch 00000001 caused by previous Xid 149",
        "NVRM: Xid (PCI:0000:0f:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (Reset)",
    ],
)
def test_other_lines_are_not_read(text: str) -> None:
    """A line of another Xid, a mention of 149 in a consequence among them, is no reading."""
    assert read_nvlink5(text) is None


@given(
    st.sampled_from([144, 145, 146, 147, 148, 149, 150]),
    st.from_regex(r"[A-Z][A-Z0-9_]{2,12}", fullmatch=True),
    st.booleans(),
    st.lists(st.integers(0, 2**32 - 1), max_size=6),
)
def test_nothing_unknown_is_ever_ignored(code: int, unit: str, fatal: bool, words: list[int]) -> None:
    """What the table lacks is at least watched, and a fatal event of that kind fails the node."""
    found = decode_nvlink5(code=code, unit=unit, fatal=fatal, words=words)
    if not found.known:
        assert found.policy != "ignore"
        assert found.fails_node or not fatal


@given(st.text(max_size=200))
def test_any_text_is_survived(text: str) -> None:
    """Garbage gives no reading rather than an exception."""
    found = read_nvlink5(text)
    assert found is None or 144 <= found.code <= 150
