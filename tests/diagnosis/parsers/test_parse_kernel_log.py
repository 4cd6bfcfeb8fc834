"""Reading XIDs from kernel logs."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

from bedplate.diagnosis.parsers.kernel_log import parse_kernel_log, read_kernel_log
from bedplate.diagnosis.parsers.problem import ParseError
from tests.diagnosis import texts

XID = "NVRM: Xid (PCI:0000:53:00): 79, pid=1234, name=python3, GPU has fallen off the bus."


@pytest.mark.parametrize(
    "line",
    [
        XID,
        f"[2397166.923949] {XID}",
        f"[Sun Nov 29 16:24:18 2026] {XID}",
        f"2026-11-29T10:07:00+0000 ip-10-1-0-11 kernel: {XID}",
        f"Nov 29 10:07:00 ip-10-1-0-11 kernel: [  412.1] {XID}",
        XID.replace("PCI:", ""),
        XID.replace("0000:53:00", "00000000:53:00.0"),
    ],
)
def test_every_prefix_and_form_of_an_address_is_read(line: str) -> None:
    """dmesg's, journalctl's and syslog's prefixes; with and without PCI; long domain and function."""
    event = parse_kernel_log(line).events[0]
    assert (event.kind, event.device, event.code) == ("xid", "0000:53:00", 79)


def test_an_event_that_prints_many_lines_is_one_event() -> None:
    """The same code on the same device counts once, with its lines counted."""
    log = parse_kernel_log("\n".join([XID] * 500 + [XID.replace(":53:", ":54:")]))
    assert [(event.device, event.count) for event in log.events] == [("0000:53:00", 500), ("0000:54:00", 1)]


def test_sub_codes_of_nvlink_5_are_told_apart() -> None:
    """Bits 20 to 25 of the first word, and the error status, make events of one code differ."""
    line = "NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 01 ({} 0x00000000 0x0)"
    log = parse_kernel_log(
        "\n".join(line.format(word) for word in ("0x021425c6", "0x026425c6", "0x021425c7"))
    )
    assert [(event.subcode, event.count) for event in log.events] == [(33, 2), (38, 1)]
    assert {event.fatal for event in log.events} == {True}


def test_the_last_recovery_action_counts() -> None:
    """XID 154 is printed at every change; the last line is the state."""
    line = "NVRM: Xid (PCI:0009:01:00): 154, GPU recovery action changed from 0x0 (None) to {}"
    log = parse_kernel_log("\n".join([line.format("0x4 (Drain and Reset)"), line.format("0x0 (None)")]))
    assert [(event.action, event.count) for event in log.events] == [("None", 2)]


def test_switch_events_tell_their_gravity() -> None:
    """SXids carry the word fatal or non-fatal; without it the gravity is unknown."""
    start = "nvidia-nvswitch2: SXid (PCI:0000:85:00.0): "
    log = parse_kernel_log(
        f"{start}12028, Non-fatal, Link 61\n{start}20034, Fatal, Link 3\n{start}11001, Link 4"
    )
    assert [(event.kind, event.code, event.fatal) for event in log.events] == [
        ("sxid", 12028, False),
        ("sxid", 20034, True),
        ("sxid", 11001, None),
    ]


def test_a_gpu_that_fell_off_the_bus_without_an_xid_is_an_event() -> None:
    """At probe time the driver says so in several lines and prints no XID."""
    log = parse_kernel_log("NVRM: GPU 0000:53:00.0: GPU has fallen off the bus.")
    assert [(event.kind, event.device) for event in log.events] == [("off-bus", "0000:53:00")]
    unnamed = parse_kernel_log(
        "NVRM: The NVIDIA GPU at some place\nNVRM: has fallen off the bus and is not responding"
    )
    assert [(event.kind, event.device) for event in unnamed.events] == [("off-bus", "")]


def test_an_xid_that_follows_another_says_so() -> None:
    """`caused by previous Xid N` is kept, unless a line of the same event lacks it."""
    line = "NVRM: Xid (PCI:0000:53:00): 45, pid=1, name=a, Ch 00000008"
    assert parse_kernel_log(f"{line}, caused by previous Xid 79").events[0].follows == 79
    assert parse_kernel_log(f"{line}, caused by previous Xid 79\n{line}").events[0].follows is None


def test_a_line_that_names_an_xid_and_cannot_be_read_is_kept() -> None:
    """A form that nobody foresaw is told, not passed over."""
    log = parse_kernel_log("NVRM: Xid (GPU#3): seventy-nine")
    assert (log.events, len(log.unreadable)) == ((), 1)


def test_a_log_that_reaches_back_to_the_boot_is_told_from_one_that_does_not() -> None:
    """Only the kernel's first line proves that silence means no event."""
    whole = parse_kernel_log(texts.kernel_log())
    assert (whole.holds_boot, whole.lines) == (True, 2)
    assert not parse_kernel_log(texts.kernel_log("usb 1-1: new device", boot=False)).holds_boot


def test_only_the_cursor_after_all_entries_says_that_a_log_is_whole() -> None:
    """It must be the last line; a blank one may follow."""
    lines = texts.kernel_log("usb 1-1: new device").splitlines()
    assert parse_kernel_log("\n".join([*lines, ""])).ended
    assert not parse_kernel_log("\n".join(lines[:-1])).ended
    assert not parse_kernel_log("\n".join([*lines, lines[0]])).ended


@pytest.mark.parametrize("text", ["", "\n", "-- No entries --\n", "-- Logs begin at Sun 2026-11-29. --\n"])
def test_an_empty_log_is_refused(text: str) -> None:
    """journalctl without entries, or without rights, prints nothing of the kernel."""
    with pytest.raises(ParseError, match="empty"):
        parse_kernel_log(text)


def test_a_burst_of_many_lines_is_a_few_events_in_little_memory() -> None:
    """5,000 lines of one fault on 8 GPUs, as a stream: 8 events, and memory for little more."""

    def lines() -> Iterator[str]:
        yield from texts.BOOT
        for number in range(5_000):
            device = f"0000:{0x53 + number % 8:02x}:00"
            yield f"kernel: NVRM: Xid (PCI:{device}): 95, pid={number}, name=python3, Uncontained: FBHUB."

    tracemalloc.start()
    try:
        log = read_kernel_log(lines())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [(event.code, event.count) for event in log.events] == [(95, 625)] * 8
    assert log.lines == 5_002
    assert peak < 200_000


def test_lines_that_cannot_be_read_are_kept_once_and_not_without_end() -> None:
    """A hundred are enough to say that nobody can judge the log."""
    strange = [f"NVRM: Xid (GPU#{number % 500}): seventy-nine" for number in range(5000)]
    log = read_kernel_log([*texts.BOOT, *strange])
    assert len(log.unreadable) == 100
    assert len(set(log.unreadable)) == 100


def test_losses_of_a_carrier_are_counted_by_interface() -> None:
    """A system's log tells them; what gained its carrier lost none, and no line of them is an XID."""
    log = parse_kernel_log(
        "Aug 17 06:18:01 n systemd-networkd[1]: ib6: lost carrier\n"
        "Aug 17 06:18:06 n systemd-networkd[1]: ib6: Lost carrier\n"
        "Aug 17 06:18:06 n systemd-networkd[1]: ens32: Gained carrier\n"
    )
    assert (log.carrier_lost, log.events) == ((("ib6", 2),), ())
