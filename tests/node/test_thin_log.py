"""A thinned log tells all that the whole one tells."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.diagnosis.collective import CollectiveJudgement, judge_collective
from bedplate.diagnosis.parsers.collective_log import CollectiveLog, read_collective_log
from bedplate.diagnosis.parsers.efa_traffic import read_efa_traffic
from bedplate.diagnosis.parsers.left_out import THINNED
from bedplate.diagnosis.parsers.text import clean_lines
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import instance_type
from bedplate.node.thin_log import MOST_OF_A_SHAPE, thinned
from tests.diagnosis import texts
from tests.node.large_cluster_log import chatter

HOSTS = ("ip-10-1-0-11", "ip-10-1-1-11", "gpu_3.internal")
START = "ip-10-1-0-11:4101:4201 [1] NCCL INFO "
CONNECTION = START + "Channel 00/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/0/GDRDMA"
ODD = (
    "h:1:2 [0] init.cc:417 NCCL WARN Cuda failure 2 'out of memory'",
    "srun: error: gpu-2: task 8: Exited with exit code 3",
    START + "NET/OFI Request 0x7f seq 3 completed with error. RC: 4. Error: 4 (x)",
    START + "NET/OFI Selected provider is tcp (found 2 nics)",
    START + "NET/OFI No eligible providers were found",
    START + "Channel 00/0 : 0[0] -> 8[0] [receive] via NET/Socket/0",
    START + "Channel 01/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/0",
    START + "Channel 00/0 : 0[0] -> 8[0] via P2P/MNNVL",
    "SIGBUS-1:1:2 [0] NCCL INFO Connected all rings",
    "BEDPLATE-EFA before node=gpu-1 tx_bytes=1 rx_bytes=2",
    "BEDPLATE-EFA after node=gpu-1 tx_bytes=9 rx_bytes=9",
    "BEDPLATE-LEFT-OUT host=ip-10-1-0-11 way=send gdrdma=yes count=3 network=Libfabric",
    "...",
    "\x1b[1m" + CONNECTION + "\x1b[0m",
    "left\rright " + CONNECTION,
    "NCCL version 2.27.7+cuda12.8",
    " ",
)


def _log() -> list[str]:
    """Lines of three hosts that say everything twice, and what goes wrong."""
    lines = texts.between_log(hosts=HOSTS).splitlines()
    talk = [line for rank in range(16) for line in chatter(rank, nodes=3)]
    return [*talk, *lines[:-40], *talk, *ODD, *lines[20:-40], CONNECTION, *lines[-40:]]


LOG = _log()


def thin(text: str) -> str:
    """The text, thinned in one piece."""
    return "".join(thinned([text]))


def read(text: str) -> CollectiveLog:
    """What the reader makes of it, but for what is a thinned log's own: its note, its lines' numbers."""
    told = replace(read_collective_log(clean_lines(text)), thinned="")
    if told.table is None:
        return told
    rows = tuple(replace(each, line=0) for each in told.table.rows)
    failures = tuple(replace(each, line=0) for each in told.table.failures)
    return replace(told, table=replace(told.table, rows=rows, failures=failures))


_AT = st.integers(0, len(LOG) - 1)
_EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("delete"), _AT, _AT),
        st.tuples(st.just("double"), _AT, _AT),
        st.tuples(st.just("swap"), _AT, _AT),
        st.tuples(st.just("cut"), _AT, st.integers(0, 120)),
        st.tuples(st.just("glue"), _AT, _AT),
        st.tuples(st.just("glue before"), _AT, st.integers(0, len(ODD) - 1)),
    ),
    max_size=12,
)


def _edited(edits: list[tuple[str, int, int]]) -> str:
    lines = list(LOG)
    for what, at, other in edits:
        if what == "delete":
            lines[at] = ""
        elif what == "double":
            lines[at] = "\n".join([lines[at]] * 3)
        elif what == "swap":
            lines[at], lines[other] = lines[other], lines[at]
        elif what == "cut":
            lines[at] = lines[at][:other]
        elif what == "glue":
            lines[at] += lines[other]
        else:
            lines[at] = ODD[other] + lines[at]
    return "\n".join(lines)


@given(edits=_EDITS)
@settings(max_examples=40, deadline=None)
def test_a_thinned_log_is_read_as_the_whole_one(edits: list[tuple[str, int, int]]) -> None:
    """Lines deleted, doubled, swapped, cut or glued: table, transport, counts, failures, EFA's counters."""
    whole = _edited(edits)
    kept = thin(whole)
    assert THINNED in kept
    assert len(kept) < 0.8 * len(whole)
    assert read(kept) == read(whole)
    assert read_efa_traffic(kept, nodes={"gpu-1"}) == read_efa_traffic(whole, nodes={"gpu-1"})


_WORDS = st.one_of(
    st.sampled_from([f"{line}\n" for line in (*LOG[:60], *LOG[-60:], *ODD, CONNECTION)]),
    st.sampled_from([*ODD, CONNECTION, START, "\n", "\r", "\x1b[0m", "\x85", "12: ", "8 2 float sum -1 "]),
    st.text(max_size=20),
)


@given(words=st.lists(_WORDS, max_size=40), size=st.integers(1, 300))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_alike_however_it_comes(words: list[str], size: int) -> None:
    """Pieces may end anywhere, and thinning what was thinned changes nothing."""
    whole = "".join(words * 3)
    kept = thin(whole)
    assert read(kept) == read(whole)
    assert "".join(thinned(whole[at : at + size] for at in range(0, len(whole), size))) == kept
    assert thin(kept) == kept


@given(edits=_EDITS)
@settings(max_examples=25, deadline=None)
def test_what_is_kept_stands_as_it_stood(edits: list[tuple[str, int, int]]) -> None:
    """Lines are left out, and told below; none is changed, moved or added among them. Once is enough."""
    whole = _edited(edits)
    kept = thin(whole)
    lines = kept.removesuffix("\n").split("\n")
    assert lines.pop().startswith(THINNED)
    while lines[-1].startswith("BEDPLATE-LEFT-OUT"):
        lines.pop()
    told = iter(whole.split("\n"))
    assert all(line in told for line in lines)
    assert thin(kept) == kept


def test_a_rows_number_is_that_of_its_line_in_the_log_at_hand() -> None:
    """The evidence is the thinned log, and what is said of a line can be found in it."""
    kept = clean_lines(thin("\n".join(LOG)))
    table = read_collective_log(kept).table
    assert table is not None
    assert table.rows
    assert all(kept[row.line - 1].strip() == row.text for row in table.rows)


@pytest.mark.parametrize(
    "line",
    [
        START + "NET/OFI Selected provider is efa (found 16 nics) Test timeout (9s)",
        START + "NET/OFI Request 0x7f seq 3 completed with error. RC: 4",
        START + "NET/OFI No eligible providers were found",
        START + "comm 0x55d0 rank 1 nranks 16 cudaDev 1 - Init COMPLETE",
        START + "Connected all rings ...",
        START + "Trees [0] 1/8/-1->0->-1 " + START + "Trees [0] 1/8/-1->0->-1",
        START + "Bootstrap BEDPLATE-EFA before node=gpu-1 tx_bytes=1",
        START + "Bootstrap # Out of bounds values : 1 FAILED",
        START + "Bootstrap 8 2 float sum -1 1 1 1 1 1 1 1 1",
        "# Out of bounds values : 1 FAILED" + CONNECTION,
        "8 2 float sum -1 1 1 1 1 1 1 1 1" + CONNECTION,
        CONNECTION + " Test timeout (9s)",
        START.replace("INFO", "WARN") + "Trees [0]",
        "SIGBUS-1:1:2 [0] NCCL INFO Connected all rings",
        "Channel 00/0 : 0[0] -> 8[0] [send] via NET/Libfabric/0/GDRDMA",
        "h" * 256 + ":1:2 [0] NCCL INFO Connected all rings",
    ],
)
def test_a_line_that_may_tell_more_is_never_left_out(line: str) -> None:
    """Glued lines, warnings, failures, rows and each rank's end of initialisation, however often."""
    log = f"{line}\n" * 50
    assert thin(log) == log


def test_connections_are_counted_though_they_are_left_out() -> None:
    """One line of each kind stays; the number that a verdict gives is that of the whole log."""
    log = f"{CONNECTION}\n" * 1000 + f"{CONNECTION.replace('/GDRDMA', '')}\n" * 10
    kept = thin(log)
    info = read(kept).info
    assert info is not None
    assert [(each.gdrdma, each.count) for each in info.net_channels] == [(True, 1000), (False, 10)]
    assert kept.count("\n") == 6
    assert "host=ip-10-1-0-11 way=send gdrdma=yes count=998 network=AWS Libfabric" in kept


def test_each_way_and_each_network_of_each_host_stays() -> None:
    """A verdict asks which hosts have channels that leave them, over what, and which have NVLink."""
    hosts = [f"ip-10-1-{n}-11" for n in range(3 * MOST_OF_A_SHAPE)]
    ends = (
        "[send] via NET/A/0/GDRDMA",
        "[receive] via NET/A/1/GDRDMA",
        "[send] via NET/A/0",
        "via NET/Socket/0",
    )
    lines = [
        f"{host}:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] {end}"
        for host in hosts
        for end in (*ends, "via P2P/MNNVL")
        for _ in range(9)
    ]
    kept, whole = read(thin("\n".join(lines))), read("\n".join(lines))
    assert kept == whole
    assert kept.info is not None
    assert len(kept.info.net_channels) == len(ends) * len(hosts)
    assert kept.info.nvlink_hosts == tuple(sorted(hosts))


def test_what_is_left_out_proves_no_connection() -> None:
    """A count without a line of its kind is none."""
    log = (
        START
        + "Connected all rings\nBEDPLATE-LEFT-OUT host=ip-10-1-0-11 way=send gdrdma=yes count=3 network=L"
    )
    info = read(log).info
    assert info is not None
    assert info.net_channels == ()


def test_messages_that_tell_nothing_are_kept_a_few_of_each_shape() -> None:
    """One rank's odd word is not lost among thousands that say the same with other numbers."""
    many = [f"h:{pid}:2 [0] NCCL INFO Setting affinity for GPU {pid} to ff{pid}" for pid in range(1000)]
    kept = thin("\n".join([*many, "h:7:2 [0] NCCL INFO Something odd on GPU 7", *many]))
    assert kept.count("Setting affinity") == MOST_OF_A_SHAPE + 1
    assert "Something odd on GPU 7" in kept
    assert kept.splitlines()[-1].startswith(f"{THINNED} 1983 lines")


@pytest.mark.parametrize(("gdrdma", "outcome"), [(True, Outcome.PASS), (False, Outcome.FAIL)])
def test_a_thinned_log_is_judged_as_the_whole_one(gdrdma: bool, outcome: Outcome) -> None:
    """The transport of sixteen nodes passes, or fails by every channel that lacks GPUDirect."""
    hosts = [f"ip-10-1-{n}-11" for n in range(16)]
    log = texts.between_log(hosts=hosts, info={"gdrdma": gdrdma})

    def judged(text: str) -> CollectiveJudgement:
        kind = instance_type("p5en.48xlarge")
        return judge_collective(log=text, rc=0, timed_out=False, nodes=hosts, instance_type=kind)

    assert THINNED in thin(log)
    short = judged(thin(log))
    assert short.transport.outcome is outcome
    said = [each.text for each in short.transport.findings]
    assert ["are left out of this log" in text for text in said] == [True] * (outcome is Outcome.PASS)
    assert replace(short, transport=replace(short.transport, findings=())) == judged(log)


def test_a_log_that_repeats_nothing_is_left_as_it_is() -> None:
    """No line is added where none was left out."""
    log = "\n".join(["a", CONNECTION, "", "# Avg bus bandwidth : 1"])
    assert thin(log) == log


def test_a_line_without_end_is_handed_on_and_not_kept_in_memory() -> None:
    """What follows it is thinned as ever."""
    pieces = ["x" * 100_000] * 3 + ["\n" + f"{CONNECTION}\n" * 9]
    kept = list(thinned(pieces))
    assert kept[:3] == pieces[:3]
    assert "".join(kept).count(CONNECTION) == 2
