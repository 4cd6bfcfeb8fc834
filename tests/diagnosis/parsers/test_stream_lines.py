"""Logs that come in pieces: the same lines as of the whole text, and memory that does not grow."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.diagnosis.parsers import lines
from bedplate.diagnosis.parsers.collective_log import read_collective_log
from bedplate.diagnosis.parsers.lines import CUT, LONGEST_CHARACTERS, read_pieces, stream_lines
from bedplate.diagnosis.parsers.text import clean_lines
from tests.diagnosis import texts


@given(
    words=st.lists(st.sampled_from(["a", "b ", "\n", "\r\n", "\r", "\x1b[31m", "é", "\t"]), max_size=30),
    cuts=st.lists(st.integers(0, 40), max_size=6),
)
@settings(max_examples=300, deadline=None)
def test_pieces_give_the_lines_of_the_whole(words: list[str], cuts: list[int]) -> None:
    """Wherever the text is cut, a line end of two characters included."""
    text = "".join(words)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(edges)]
    # They may differ in empty lines: at the end, or where a colour stands inside a line end.
    assert list(filter(None, stream_lines(pieces))) == list(filter(None, clean_lines(text)))


@given(data=st.binary(max_size=60), size=st.integers(1, 7))
@settings(max_examples=200, deadline=None)
def test_bytes_give_the_text_of_the_whole(data: bytes, size: int) -> None:
    """Characters of several bytes are not torn; what is no UTF-8 does no harm."""
    before = lines.PIECE_BYTES
    lines.PIECE_BYTES = size
    try:
        text = "".join(read_pieces(io.BytesIO(data)))
    finally:
        lines.PIECE_BYTES = before
    valid = data.decode("utf-8", errors="ignore").encode("utf-8") == data
    assert not valid or text == data.decode("utf-8")


def test_a_line_without_an_end_is_cut_and_marked() -> None:
    """Ten megabytes of one line are a short line, a mark, and the next line."""
    pieces = ["x" * (1 << 20)] * 10 + ["\nafter\n"]
    assert list(stream_lines(pieces)) == ["x" * LONGEST_CHARACTERS, CUT, "after"]


def test_a_cut_line_keeps_a_table_from_being_trusted() -> None:
    """The mark reads as rows left out."""
    log = texts.between_log()
    whole = read_collective_log(stream_lines([log])).table
    cut = read_collective_log(stream_lines([log, "y" * (LONGEST_CHARACTERS + 1), "\n"])).table
    assert whole is not None
    assert cut is not None
    assert (whole.elided, cut.elided) == (False, True)


def _long_log(megabytes: int) -> Iterator[str]:
    head = texts.between_log().splitlines()
    yield "\n".join(head[:-20]) + "\n"
    start = "ip-10-1-0-11:4101:4201 [1] NCCL INFO "
    channel = start + "Channel {:02d}/0 : 1[1] -> 9[1] [send] via NET/Libfabric/1/GDRDMA\n"
    odd = start + "GUID for dev[{}]: 0000000000000000000000000000000\n"
    piece = "".join([*(channel.format(n % 16) for n in range(900)), *(odd.format(n) for n in range(50))])
    for _ in range(megabytes * 1_000_000 // len(piece)):
        yield piece
    yield "\n".join(head[-20:]) + "\n"


@pytest.mark.slow
def test_memory_does_not_grow_with_the_log() -> None:
    """A log of 40 MB takes no more memory than one of 4 MB, give or take a tenth of a megabyte."""
    peaks = []
    for megabytes in (4, 40):
        tracemalloc.start()
        read = read_collective_log(stream_lines(_long_log(megabytes)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert read.table is not None
        assert read.info is not None
        assert len(read.table.rows) == 32
        assert sum(each.count for each in read.info.net_channels) > 900 * megabytes
    assert peaks[1] < peaks[0] + 100_000
