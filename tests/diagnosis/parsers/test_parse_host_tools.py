"""chrony, huge pages, fi_pingpong, GDRCopy and EFA counters: what is read, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.parsers.chronyc_tracking import parse_chronyc_tracking
from bedplate.diagnosis.parsers.efa_counters import EVENTS, counter_rise
from bedplate.diagnosis.parsers.fi_pingpong import parse_fi_pingpong
from bedplate.diagnosis.parsers.gdrcopy import parse_gdrcopy_copybw, parse_gdrcopy_sanity
from bedplate.diagnosis.parsers.huge_pages import parse_huge_page_count, parse_huge_page_kib
from bedplate.diagnosis.parsers.problem import ParseError
from tests.diagnosis import host_texts as texts


def test_a_clock_is_bounded_by_offset_dispersion_and_half_the_delay() -> None:
    """Both signs of the offset count by their size."""
    clock = parse_chronyc_tracking(texts.clock(offset=-0.002, delay=0.004, dispersion=0.001))
    assert clock.synchronised
    assert clock.reference == "169.254.169.123"
    assert clock.error_bound_seconds == pytest.approx(0.005)


@pytest.mark.parametrize(
    "changes", [{"leap": "Not synchronised"}, {"reference_id": "00000000"}, {"stratum": 0}, {"stratum": 16}]
)
def test_a_clock_without_a_source_is_not_synchronised(changes: dict[str, Any]) -> None:
    """Leap status, reference and stratum each can say so."""
    assert not parse_chronyc_tracking(texts.clock(**changes)).synchronised


@pytest.mark.parametrize("leap", ["Normal", "Insert second", "Delete second"])
def test_a_leap_second_to_come_is_no_fault(leap: str) -> None:
    """chrony follows its source then too."""
    assert parse_chronyc_tracking(texts.clock(leap=leap)).synchronised


@pytest.mark.parametrize(
    "text",
    [
        "",
        "506 Cannot talk to daemon\n",
        texts.clock() * 2,
        texts.clock().replace(",169.254.169.123", ""),
        texts.clock().replace("0.000308092", "-0.1"),
        texts.clock().replace("0.000308092", "nan"),
        texts.clock().replace("0.000308092", "1e9"),
        texts.clock().replace("A9FEA97B", "A9FEA9"),
        texts.clock(leap=""),
        texts.clock().replace(",4,", ",4.5,"),
        "Reference ID    : A9FEA97B (169.254.169.123)\n",
    ],
)
def test_anything_but_the_fourteen_fields_is_no_clock(text: str) -> None:
    """Silence, an error, two lines, 13 fields, negative or strange numbers, and the form for people."""
    with pytest.raises(ParseError):
        parse_chronyc_tracking(text)


def test_huge_pages_are_counted_and_sized() -> None:
    """One number of sysctl, one line of meminfo."""
    assert parse_huge_page_count("5128\n") == 5128
    assert parse_huge_page_kib("MemTotal: 9 kB\nHugepagesize:       2048 kB\n") == 2048


@pytest.mark.parametrize("text", ["", "-1\n", "5128\n0\n", "vm.nr_hugepages = 5128\n", "5128 pages"])
def test_a_count_that_is_not_one_number_is_refused(text: str) -> None:
    """Nothing is guessed out of it."""
    with pytest.raises(ParseError):
        parse_huge_page_count(text)


@pytest.mark.parametrize("text", ["", "Hugepagesize: 0 kB", "Hugepagesize: 2 MB", "Hugepagesize: 4 kB\n" * 2])
def test_a_page_size_that_is_not_told_once_is_refused(text: str) -> None:
    """Missing, zero, in another unit, or twice."""
    with pytest.raises(ParseError):
        parse_huge_page_kib(text)


def test_a_ping_pong_row_is_read_with_its_units() -> None:
    """Sizes are binary, counts decimal, MB are 1e6 bytes."""
    row = parse_fi_pingpong(texts.pingpong(mb_per_s=20012.34))[0]
    assert (row.size_bytes, row.sent, row.all_acknowledged) == (16 * 2**20, 100, True)
    assert row.gb_per_s == pytest.approx(20.01234)
    assert row.moved_bytes == 1600 * 2**20


def test_the_default_sizes_give_a_row_each() -> None:
    """Ten messages of 64 bytes to a mebibyte, with counts and totals in short form."""
    text = (
        "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
        "64      10      =10      1.2k        0.00s      4.09      15.65       0.06\n"
        "4k      10k     =10k     78m         0.01s    300.00      13.65       0.07\n"
        "1m      10      -2       20m         0.00s   5417.83     193.54       0.01\n"
    )
    rows = parse_fi_pingpong(text)
    assert [row.size_bytes for row in rows] == [64, 4096, 2**20]
    assert [row.sent for row in rows] == [10, 10_000, 10]
    assert [row.all_acknowledged for row in rows] == [True, True, False]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n",
        "16m     100     =100     3.1g        0.16s  20012.34     838.34       0.00\n",
        "fi_getinfo: No data available\n",
        texts.pingpong().replace("20000.00", "inf"),
        texts.pingpong().replace("16m ", "1.6.m "),
    ],
)
def test_a_ping_pong_without_title_and_row_is_no_measurement(text: str) -> None:
    """A size that an endpoint cannot carry prints nothing and ends with status 0."""
    with pytest.raises(ParseError):
        parse_fi_pingpong(text)


def test_gdrcopys_summary_is_read_with_the_names_of_what_failed() -> None:
    """Waived tests are counted apart and are not among the failed."""
    well = parse_gdrcopy_sanity(texts.sanity())
    assert (well.total, well.passed, well.failed, well.waived, well.well) == (28, 26, 0, 2, True)
    bad = parse_gdrcopy_sanity(texts.sanity(failed=("basic_with_tokens",)))
    assert (bad.failed, bad.names, bad.well) == (1, ("basic_with_tokens",), False)


def test_the_summary_before_2_3_is_read_too() -> None:
    """libcheck's line counts failures and errors."""
    old = parse_gdrcopy_sanity("Running suite(s): Sanity\n0%: Checks: 12, Failures: 0, Errors: 12\n")
    assert (old.total, old.passed, old.failed, old.well) == (12, 0, 12, False)
    assert parse_gdrcopy_sanity("100%: Checks: 12, Failures: 0, Errors: 0\n").well


def test_a_missing_driver_is_told() -> None:
    """gdr_open says so for every test."""
    text = "gdr_open error: Is gdrdrv driver installed and loaded?\n" + texts.sanity(
        failed=("a", "b"), total=2, waived=()
    )
    assert parse_gdrcopy_sanity(text).no_driver


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Total: 28, Passed: 26, Failed: 0, Waived: 1\n",
        "Total: 28, Passed: 27, Failed: 1, Waived: 0\n",
        texts.sanity() * 2,
        "Total: 28, Passed: 26, Failed: 0, Waived",
        "3%: Checks: 1, Failures: 2, Errors: 0",
    ],
)
def test_a_summary_that_is_cut_doubled_or_contradicts_itself_is_refused(text: str) -> None:
    """Numbers that do not add up, failures without names, two runs, half a line."""
    with pytest.raises(ParseError):
        parse_gdrcopy_sanity(text)


def test_copy_rates_are_read_in_gigabytes() -> None:
    """MB are 1e6 bytes."""
    rates = parse_gdrcopy_copybw(texts.copybw())
    assert (rates.write_gb_per_s, rates.read_gb_per_s) == (pytest.approx(9.63854), pytest.approx(0.530135))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "write BW: 9638.54MB/s\n",
        texts.copybw() * 2,
        texts.copybw().replace("530.135", "0"),
        "write BW: x",
    ],
)
def test_copy_rates_that_are_not_both_there_once_are_refused(text: str) -> None:
    """One rate, two runs, zero, or no number."""
    with pytest.raises(ParseError):
        parse_gdrcopy_copybw(text)


def test_only_what_rose_between_two_readings_counts() -> None:
    """Counters survive reboots: their values say nothing, and one that is in one reading only is left out."""
    before = {"tx_bytes": 10**12, "retrans_timeout_events": 7, "old": 1}
    after = {"tx_bytes": 10**12 + 5, "retrans_timeout_events": 9, "new": 1}
    rise = counter_rise(device="rdmap85s0", before=before, after=after)
    assert rise.carried_bytes == 5
    assert rise.risen(EVENTS) == (("retrans_timeout_events", 2),)
    assert rise.of("new") is None


def test_bytes_that_went_by_rdma_count_as_carried() -> None:
    """libfabric may read from the sender instead of sending."""
    zeros = {"tx_bytes": 0, "rdma_read_resp_bytes": 0}
    rise = counter_rise(device="a", before=zeros, after={**zeros, "rdma_read_resp_bytes": 9})
    assert rise.carried_bytes == 9


@pytest.mark.parametrize(("before", "after"), [(None, {}), ({}, 3), ({"tx_bytes": 2}, {"tx_bytes": 1})])
def test_counters_that_fell_or_are_no_reading_are_refused(before: Any, after: Any) -> None:
    """A device that was reset between tells nothing."""
    with pytest.raises(ParseError):
        counter_rise(device="a", before=before, after=after)
