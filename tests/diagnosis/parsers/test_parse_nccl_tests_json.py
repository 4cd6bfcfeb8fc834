"""The JSON of nccl-tests: three versions, two spellings, and files that are not whole."""

from __future__ import annotations

import contextlib
import json
from dataclasses import astuple, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.diagnosis.parsers.nccl_arithmetic import data_checked, wrong_data
from bedplate.diagnosis.parsers.nccl_tests import parse_nccl_tests
from bedplate.diagnosis.parsers.nccl_tests_json import parse_nccl_tests_json
from bedplate.diagnosis.parsers.problem import ParseError
from tests.diagnosis import texts
from tests.diagnosis.jsons import SECRET, dumped, nccl_json

LOG = texts.between_log()


@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_version_gives_what_the_text_gives(version: int) -> None:
    """Rows, footer and end of a run are the same in both, whichever version wrote the file."""
    table = parse_nccl_tests_json(dumped(nccl_json(LOG, version=version)))
    text = parse_nccl_tests(LOG)
    assert table.complete
    assert (table.runs, table.damaged, table.failures, table.elided) == (1, (), (), False)
    assert [row.size_bytes for row in table.rows] == [row.size_bytes for row in text.rows]
    assert table.rows[-1].in_place.busbw.value == text.rows[-1].in_place.busbw.value
    assert (table.started, table.nccl_version) == ("all_reduce_perf", "2.27.7")
    assert table.config is not None
    assert (table.config.max_bytes, table.config.step_is_factor, table.config.validation) == (
        16 * texts.GIB,
        True,
        1,
    )
    assert (table.bounds_failed, table.bounds_ok, table.average_ok) == (0, True, None)
    assert data_checked(table, collective="all_reduce")


def test_the_old_spelling_of_two_keys_is_read() -> None:
    """Up to 2.17.8 the average and its bandwidth are misspelt."""
    data = nccl_json(LOG, version=1)
    average = data.pop("average_bus_bandwidth")
    data["average_bus_bandwidith"] = {"bandwidith": average["bandwidth"], "okay": "false"}
    table = parse_nccl_tests_json(dumped(data))
    assert table.average is not None
    assert table.average.value == average["bandwidth"]
    assert table.average_ok is False


def test_secrets_of_the_environment_are_in_no_record() -> None:
    """The environment block is dropped, wherever it stands."""
    data = nccl_json(LOG)
    data["config"]["env"] = [SECRET]
    table = parse_nccl_tests_json(dumped(data))
    assert "do-not-keep-me" not in str(astuple(table))
    with pytest.raises(ParseError) as caught:
        parse_nccl_tests_json(dumped({**data, "version": 9}))
    assert "do-not-keep-me" not in str(caught.value)


def _first(**changes: Any) -> dict[str, Any]:
    data = nccl_json(LOG)
    data["results"][0]["out_of_place"].update(changes)
    return data


@pytest.mark.parametrize(
    ("data", "damaged", "checked"),
    [
        (_first(nwrong=None), 0, False),
        (_first(nwrong="nan"), 1, True),
        (_first(bus_bw="nan"), 1, True),
        (_first(time="nan"), 1, True),
        (_first(alg_bw=-1.0), 1, True),
        (_first(alg_bw=1e300), 1, True),
    ],
)
def test_what_is_no_number_is_no_row(data: dict[str, Any], damaged: int, checked: bool) -> None:
    """``nan``, negative and absurd numbers damage the table; null in nwrong tells of no comparison."""
    table = parse_nccl_tests_json(dumped(data))
    assert len(table.damaged) == damaged
    assert data_checked(table, collective="all_reduce") is checked


def test_a_row_without_its_count_of_wrong_elements_is_damaged() -> None:
    """A missing entry is not the same as "not checked"."""
    data = nccl_json(LOG)
    del data["results"][3]["in_place"]["nwrong"]
    assert len(parse_nccl_tests_json(dumped(data)).damaged) == 1


def test_cpu_time_and_out_of_bounds_are_read() -> None:
    """With -C the time has another name; failing tests are counted in the footer."""
    data = _first(cpu_time=12.5, nwrong=3.0)
    del data["results"][0]["out_of_place"]["time"]
    data["out_of_bounds"] = {"count": 1, "okay": "false"}
    table = parse_nccl_tests_json(dumped(data))
    assert table.rows[0].out_of_place.time_us.value == 12.5
    assert len(wrong_data(table)) == 2


@pytest.mark.parametrize("entry", ["out_of_bounds", "average_bus_bandwidth", "end_time"])
def test_a_run_without_its_end_is_not_complete(entry: str) -> None:
    """Each of the three closing entries is missed."""
    data = nccl_json(LOG)
    del data[entry]
    assert not parse_nccl_tests_json(dumped(data)).complete


def test_last_errors_are_failures() -> None:
    """What NCCL left as its last error ends the trust in the file."""
    table = parse_nccl_tests_json(dumped(nccl_json(LOG, errors=["NET/OFI Request completed with error"])))
    assert [failure.kind for failure in table.failures] == ["crash"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cut off or broken"),
        ("[]", "no object"),
        ('{"version": 1, "version": 2}', "twice"),
        (dumped(nccl_json(LOG, version=4)), "version 4"),
        (dumped(nccl_json(LOG, version=True)), "version True"),
        (dumped(nccl_json(LOG, results=None)), "no results"),
        (dumped(nccl_json(LOG)) + dumped(nccl_json(LOG)), "cut off or broken"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(text: str, words: str) -> None:
    """Empty, foreign, doubled and future files say what is wrong with them."""
    with pytest.raises(ParseError, match=words):
        parse_nccl_tests_json(text)


@given(at=st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_a_file_that_was_cut_is_never_a_complete_run(at: int) -> None:
    """Whatever byte it was cut at."""
    text = dumped(nccl_json(LOG))
    with contextlib.suppress(ParseError):
        assert not parse_nccl_tests_json(text[: at % len(text)]).complete


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)


@given(name=st.sampled_from(sorted(nccl_json(LOG))), value=JSON)
@settings(max_examples=150, deadline=None)
def test_any_value_in_any_entry_gives_a_record_or_a_parse_error(name: str, value: object) -> None:
    """No entry's shape is relied upon."""
    with contextlib.suppress(ParseError):
        parse_nccl_tests_json(json.dumps({**nccl_json(LOG), name: value}))


def test_ranks_are_told_from_the_numbers_of_a_large_run() -> None:
    """Six decimals give the exact number of ranks where the text's two give a range."""
    from bedplate.diagnosis.parsers.nccl_arithmetic import rank_interval

    algbw = 202.5
    busbw = algbw * 2 * 1439 / 1440
    data = nccl_json(LOG)
    for entry in data["results"]:
        time_us = entry["size"] / algbw / 1e3
        entry["out_of_place"] = {"time": time_us, "alg_bw": algbw, "bus_bw": busbw, "nwrong": 0.0}
        entry["in_place"] = dict(entry["out_of_place"])
    table = replace(parse_nccl_tests_json(dumped(data)), average=None)
    interval = rank_interval(table, collective="all_reduce")
    assert interval is not None
    assert (interval.low, interval.high) == (1440, 1440)
