"""One reading of a collective's log gives what two readings give."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.diagnosis.parsers.collective_log import read_collective_log
from bedplate.diagnosis.parsers.nccl_failures import meaning_of
from bedplate.diagnosis.parsers.nccl_info import lone_message, parse_nccl_info
from bedplate.diagnosis.parsers.nccl_tests import parse_nccl_tests
from bedplate.diagnosis.parsers.text import clean_lines
from tests.diagnosis import texts

LOG = texts.between_log()


@given(moves=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), max_size=4))
@settings(max_examples=25, deadline=None)
def test_one_reading_gives_what_two_give(moves: list[tuple[int, int]]) -> None:
    """In any order of lines: the short way for lone channel lines loses and adds nothing."""
    lines = clean_lines(LOG)
    for first, second in moves:
        at, other = first % len(lines), second % len(lines)
        lines[at], lines[other] = lines[other], lines[at]
    read = read_collective_log(lines)
    assert read.table == parse_nccl_tests("\n".join(lines))
    assert read.info == parse_nccl_info("\n".join(lines))


START = "ip-10-1-0-11:4101:4201 [1] NCCL INFO Channel 00/0 : 0[0] -> 8[0] "


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (START + "[send] via NET/Libfabric/0/GDRDMA", ("ip-10-1-0-11", "send", "NET/Libfabric/0/GDRDMA")),
        ("12: " + START + "via P2P/CUMEM", ("ip-10-1-0-11", "", "P2P/CUMEM")),
        ("h:1:2 [0] NCCL INFO Trees [0] 1/8/-1->0->-1 [1] 1/-1/-1->0->8", ("h", "", "")),
        ("h:1:2 [0] NCCL INFO Channel 00/16 :    0   1   2", ("h", "", "")),
        ("h:1:2 [0] NCCL INFO NET/OFI GUID for dev[3]: 00ef", ("h", "", "")),
        ("h:1:2 [0] NCCL INFO NET/OFI No eligible providers were found", None),
        ("h:1:2 [0] NCCL WARN Trees [0]", None),
        ("[1,0]<stdout>:" + START + "via SHM/direct/direct", ("ip-10-1-0-11", "", "SHM/direct/direct")),
        (START + "[send] via NET/Libfabric/0/GDRDMA Test timeout (9s)", None),
        (START + "[send] via NET/Libfabric/0/GDRDMA " + START + "via P2P/CUMEM", None),
        ("# Out of bounds values : 1 FAILED" + START + "via P2P/CUMEM", None),
        ("8 2 float sum -1 1 1 1 1 1 1 1 1" + START + "via P2P/CUMEM", None),
    ],
)
def test_a_line_goes_the_short_way_only_if_it_holds_nothing_else(
    line: str, told: tuple[str, str, str] | None
) -> None:
    """What is glued to a channel line is still looked at."""
    assert lone_message(line) == told


def test_a_host_that_repeats_itself_is_told_once() -> None:
    """Doubled lines change counts, and nothing else."""
    once, twice = parse_nccl_info(LOG), parse_nccl_info(LOG * 2)
    assert (once.providers, once.comms, once.hosts) == (twice.providers, twice.comms, twice.hosts)
    assert [2 * each.count for each in once.net_channels] == [each.count for each in twice.net_channels]


@pytest.mark.parametrize(
    ("line", "words", "configuration"),
    [
        (
            "* This error indicates that the security group on either this instance or the peer instance",
            "security group",
            True,
        ),
        (
            "h: Test CUDA failure common.cu:1105 'system not yet initialized'",
            "fabric manager does not run",
            False,
        ),
        (
            "h:1:2 [0] transport/nvls.cc:598 NCCL WARN Cuda failure 1 'invalid argument'",
            "fabric manager was restarted",
            False,
        ),
        ("h:1:2 [0] NCCL INFO NET/OFI No eligible providers were found", "no EFA device", False),
        (
            "NET/OFI Request 0x7f seq 3 completed with error. RC: 4. Error: 4 (x)",
            "a transfer over EFA failed",
            False,
        ),
        ("NET/OFI Request 0x7f (SEND) completed with error: err: 113, flags: 1", "security group", True),
        ("NET/OFI Request 0x7f (SEND) completed with error: err: 5, flags: 1", "a transfer over EFA", False),
        ("NET/OFI aws-ofi-nccl initialization failed", "did not come up", False),
        ("Reducing maxBytes to 1024 due to memory limitation", "GPU memory is not free", False),
        ("Invalid number of GPUs: 8 requested but only 7 were found.", "fewer GPUs", False),
        ("Incompatible NCCL versions. nccl-headers=1 nccl-library=2", "built for another NCCL", True),
        (
            "all_reduce_perf: error while loading shared libraries: libnccl.so.2: cannot open shared object",
            "lacks a library",
            False,
        ),
        (
            "h: Test CUDA failure common.cu:1 'CUDA driver version is insufficient for CUDA r'",
            "too old",
            True,
        ),
        ("h: Test CUDA failure common.cu:1 'initialization error'", "CUDA does not start", False),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=3.0", "host's memory was used up", False),
        ("srun: error: gpu-2: task 8: Segmentation fault (core dumped)", "a fault of its own", False),
        ("MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD", "MPI ended", False),
    ],
)
def test_failure_strings_have_a_meaning(line: str, words: str, configuration: bool) -> None:
    """Each string of the table is read as what causes it, and whether all nodes share it."""
    meaning = meaning_of(line)
    assert meaning is not None
    assert words in meaning.text
    assert meaning.configuration is configuration


@pytest.mark.parametrize(
    "line", ["", "NCCL INFO Failed to find ncclCollNetPlugin_v8 symbol.", "NCCL INFO NET/Socket : Using eth0"]
)
def test_benign_lines_have_none(line: str) -> None:
    """A missing collnet or tuner plugin and a bootstrap socket tell of no failure."""
    assert meaning_of(line) is None


def test_failures_are_told_once_a_host() -> None:
    """A thousand lines of one host are one failure of it."""
    line = "h:1:2 [0] NCCL WARN NET/OFI Request 0x7f seq 3 completed with error. RC: 4\n"
    told = parse_nccl_info(line * 1000).failures
    assert [(each.host, each.meaning.configuration) for each in told] == [("h", False)]
