"""Every parser and both front doors on arbitrary text: a record or a ParseError, never another exception."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.diagnosis import tools
from bedplate.diagnosis.checks import PROBE_CHECKS
from bedplate.diagnosis.collective import judge_collective
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.node import judge_exercise, judge_probe
from bedplate.diagnosis.parsers.block_disks import parse_block_disks
from bedplate.diagnosis.parsers.chronyc_tracking import parse_chronyc_tracking
from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.dcgm_diag_table import parse_dcgm_table
from bedplate.diagnosis.parsers.dcgmi_health import parse_dcgmi_health
from bedplate.diagnosis.parsers.dcgmi_nvlink import parse_dcgmi_nvlink
from bedplate.diagnosis.parsers.dcgmi_nvlink_errors import parse_dcgmi_nvlink_errors
from bedplate.diagnosis.parsers.df_table import parse_df
from bedplate.diagnosis.parsers.disk_speed import parse_disk_speed
from bedplate.diagnosis.parsers.efa_sysfs import parse_efa_sysfs
from bedplate.diagnosis.parsers.fi_info import parse_fi_info
from bedplate.diagnosis.parsers.fi_pingpong import parse_fi_pingpong
from bedplate.diagnosis.parsers.gdrcopy import parse_gdrcopy_copybw, parse_gdrcopy_sanity
from bedplate.diagnosis.parsers.huge_pages import parse_huge_page_count, parse_huge_page_kib
from bedplate.diagnosis.parsers.ibv_devices import parse_ibv_devices
from bedplate.diagnosis.parsers.imex import parse_imex
from bedplate.diagnosis.parsers.kernel_log import parse_kernel_log
from bedplate.diagnosis.parsers.lnet import parse_lnet
from bedplate.diagnosis.parsers.lustre_targets import parse_lfs_df, parse_ost_states
from bedplate.diagnosis.parsers.mdadm_detail import parse_mdadm_detail
from bedplate.diagnosis.parsers.mount_list import parse_mount_list
from bedplate.diagnosis.parsers.nccl_arithmetic import contradictions, data_checked, rank_interval, wrong_data
from bedplate.diagnosis.parsers.nccl_info import parse_nccl_info
from bedplate.diagnosis.parsers.nccl_tests import parse_nccl_tests
from bedplate.diagnosis.parsers.nvbandwidth import parse_nvbandwidth
from bedplate.diagnosis.parsers.nvidia_smi_csv import parse_nvidia_smi_csv
from bedplate.diagnosis.parsers.nvidia_smi_nvlink import parse_nvidia_smi_nvlink
from bedplate.diagnosis.parsers.nvidia_smi_q import parse_nvidia_smi_q
from bedplate.diagnosis.parsers.nvidia_smi_xml import parse_nvidia_smi_xml
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.scontrol import parse_scontrol_nodes
from bedplate.diagnosis.parsers.sinfo import parse_sinfo
from bedplate.diagnosis.parsers.squeue import parse_squeue
from bedplate.diagnosis.parsers.systemctl_show import parse_systemctl_show
from bedplate.diagnosis.told_versions import read_versions
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import instance_type
from tests.diagnosis import answers, host_texts, storage_texts, texts

P5EN = instance_type("p5en.48xlarge")
PROBED = [check for check in PROBE_CHECKS if check.promised(NodeExpectation())]

# What each parser looks for, so that arbitrary text reaches past its first line.
WORDS = {
    parse_nccl_tests: [
        "size count type redop root time algbw busbw #wrong",
        " 8 2 float sum -1 1.0 2e9 nan 0 9 9 9 N/A",
        "# Rank 0 Pid 1 on a device 99999999999999999999",
        "Out of bounds values : 0 OK",
        "Avg bus bandwidth : 1e999",
        "nThread 1 nGpus 1 minBytes 8 maxBytes 9 step: 2(factor)",
    ],
    parse_nccl_info: [
        "a:1:2 [0] NCCL INFO ",
        "Channel 00/0 : 0[0] -> 99999999999999999999[0] via NET/",
        "comm 0x1 rank 1 nranks 2 Init COMPLETE",
        "NET/OFI Selected Provider is ",
    ],
    parse_dcgm_diag: [
        '{"DCGM Diagnostic": {"test_categories": [',
        '{"name": ',
        '"results": [',
        "null",
        "]}",
        "1e999",
        '"entity_id": 9',
    ],
    parse_dcgmi_nvlink: ["    gpuId 0:", "  U D X _", "gpuId 99999", "physicalId 1:"],
    parse_fi_info: ["provider: efa", "    domain: a-rdm", "fi_getinfo: -61"],
    parse_kernel_log: [
        "NVRM: Xid (PCI:0000:53:00): ",
        "149, NETIR_LINK_EVT Fatal (0xffffffffffffffffff 0x1)",
        "SXid (PCI:0000:53:00.0): 1, Fatal",
        "154, GPU recovery action changed from 0x0 (None) to 0x9 ()",
        "fallen off the bus",
    ],
    parse_nvidia_smi_csv: [texts.GPU_TITLES, "index, uuid", "0, GPU-1", "GPU is lost"],
    parse_nvidia_smi_xml: [
        '<?xml version="1.0" ?><nvidia_smi_log>',
        '<gpu id="0">',
        "</gpu>",
        "<pci>",
        "</pci></nvidia_smi_log>",
        "<!ENTITY a 'b'>",
        "&a;",
    ],
    parse_nvidia_smi_q: ["GPU 00000000:53:00.0", "    PCI", "        Max   : 5", "Attached GPUs : 8", " : "],
    parse_nvidia_smi_nvlink: ["GPU 0: a (UUID: b)", " Link 0: 26.562 GB/s", " Link 1: <inactive>"],
    parse_nvbandwidth: [
        '{"nvbandwidth": {"testcases": [',
        '{"name": "a", "status": ',
        '"bandwidth_matrix": [["1e999"]]',
    ],
    parse_imex: ['{"nodes": {"0": {', '"status": "UP"', '"connections": {"0": {', '"host": "a"', "}}}"],
    parse_dcgmi_health: [
        "| Overall Health | Healthy |",
        "| GPU | |",
        "| -> 0 | Warning |",
        '{"body": {',
        "}}",
    ],
    parse_dcgmi_nvlink_errors: ["| GPU 0 |", "| Link 0 | |", "| -> CRC | 1e999 |", '{"body": {"Link 0": {'],
    parse_dcgm_table: [
        "| memory | Pass - All |",
        "| | GPU0: Fail |",
        "| Warning | GPU 99999",
        "+--  A  --+--+",
    ],
    parse_systemctl_show: ["Id=a", "LoadState=loaded", "ActiveState=", "\n\n", "="],
    parse_chronyc_tracking: [host_texts.clock(), "A9FEA97B,", "1,", "nan,", "-9e9,", "Normal"],
    parse_huge_page_count: ["5128", "0"],
    parse_huge_page_kib: ["Hugepagesize: ", "2048", " kB"],
    parse_fi_pingpong: [
        "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec",
        "16m     100     =100     3.1g        0.16s  20012.34     838.34       0.00",
        "1.5.k   9b      -9m      9g          1.00s  inf          1.0          inf",
    ],
    parse_gdrcopy_sanity: [
        host_texts.sanity(failed=("basic",)),
        "Total: 1, Passed: 0, Failed: 1, Waived: 0",
        "0%: Checks: 1, Failures: 9, Errors: 0",
        "List of failed tests:",
    ],
    parse_gdrcopy_copybw: ["write BW: ", "read BW: ", "1e99", "MB/s"],
    parse_squeue: ["1:00|train", "UNLIMITED|bedplate-0123-1", "|", "2-03:04:05|a|b", "JOBID NAME"],
    parse_sinfo: ["NODELIST|STATE|PARTITION", "gpu-1|idle", "|", "drain*", "gpu-[1-2]"],
    parse_ibv_devices: ["    device   node GUID", "    rdmap85s0  0000000000000000", "------"],
    parse_mount_list: [storage_texts.mount_list(), '{"filesystems": [', '{"target": "/"', "]}", "null"],
    parse_lnet: ["net:", "    - net type: efa", "        - nid: 1@efa", "send_count: 99999999999999999999"],
    parse_lfs_df: [
        storage_texts.lfs_df(silent=(1,)),
        "a-OST0001_UUID : inactive device",
        f"filesystem_summary: {'9' * 5000} 1 1 1% /fsx",
    ],
    parse_ost_states: ["a-OST0001_UUID\tFULL", "DEACTIVATED", "osc.a.b="],
    parse_df: [storage_texts.NFS_DF, "Filesystem Mounted on", "a 1 1 1 1% /x", "a - - - - /x"],
    parse_mdadm_detail: [storage_texts.array_detail(), "Raid Devices : 9" * 99, "State : clean", "/dev/md0:"],
    parse_disk_speed: [storage_texts.disk_speed(), '{"schema": 1, "write": {"bytes": ', "9" * 5000, "1e999"],
    parse_scontrol_nodes: ["NodeName=a ", "State=IDLE*+", "Reason=", "State="],
}


def _texts(words: list[str]) -> st.SearchStrategy[str]:
    pieces = st.one_of(
        st.sampled_from(words),
        st.text(max_size=20),
        st.sampled_from(["\n", "\r\n", " ", "\x00", "\x1b[0m", "\u2028", "٣"]),
    )
    return st.lists(pieces, max_size=30).map("".join)


@pytest.mark.parametrize("parse", WORDS, ids=lambda parse: parse.__name__)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_arbitrary_text_gives_a_record_or_a_parse_error(
    parse: Callable[[str], Any], data: st.DataObject
) -> None:
    """Text that looks like the tool's, mixed with any other."""
    with contextlib.suppress(ParseError):
        parse(data.draw(_texts(WORDS[parse])))


@given(text=_texts(WORDS[parse_nccl_tests]))
@settings(max_examples=200, deadline=None)
def test_arithmetic_takes_whatever_the_parser_reads(text: str) -> None:
    """Zero times, huge sizes and missing halves break no sum."""
    with contextlib.suppress(ParseError):
        log = parse_nccl_tests(text)
        for collective in ("all_reduce", "alltoall", "broadcast", "made_up"):
            contradictions(log, collective=collective)
            rank_interval(log, collective=collective)
            data_checked(log, collective=collective)
        wrong_data(log)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "test_categories",
                    "tests",
                    "name",
                    "results",
                    "status",
                    "warnings",
                    "entity_id",
                    "gpu_id",
                    "gpu_ids",
                    "runtime_error",
                    "test_summary",
                    "vendor",
                    "driver",
                    "hw_counters",
                    "argv",
                    "stdout",
                    "rc",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@given(value=JSON)
@settings(max_examples=200, deadline=None)
def test_arbitrary_json_gives_a_record_or_a_parse_error(value: object) -> None:
    """Every shape under either root, and as a listing of devices."""
    for root in ("DCGM Diagnostic", "DCGM GPU Diagnostic"):
        with contextlib.suppress(ParseError):
            parse_dcgm_diag(json.dumps({root: value}))
    with contextlib.suppress(ParseError):
        parse_block_disks(value)
    with contextlib.suppress(ParseError):
        parse_efa_sysfs(value)


@given(value=JSON, text=st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_the_front_doors_take_any_answer(value: object, text: str) -> None:
    """Answers of any shape, and tools that print anything, give a verdict for each check and no pass."""
    garbled = answers.probe_answer(
        runs=dict.fromkeys(tools.PROBE_TOOLS, text),
        files={"efa_installed_packages": text, "bootstrap": text},
    )
    for answer in (
        {"tools": value, "infiniband": value, "files": value},
        {"tools": [value, {"argv": ["nvidia-smi"]}]},
        garbled,
    ):
        verdicts = judge_probe(NodeFacts(node="i-1", answer=answer, instance_type=P5EN))
        assert len(verdicts) == len(PROBED)
        assert Outcome.PASS not in {verdict.outcome for verdict in verdicts}
        judged = judge_exercise(
            NodeFacts(node="i-1", answer=answer, instance_type=P5EN, expected=NodeExpectation(dcgm_level=2))
        )
        assert Outcome.PASS not in {verdict.outcome for verdict in judged.verdicts}
        read_versions(answer)


@given(
    text=_texts(WORDS[parse_nccl_tests] + WORDS[parse_nccl_info]),
    rc=st.none() | st.integers(),
    late=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_a_log_of_anything_is_no_pass(text: str, rc: int | None, late: bool) -> None:
    """Pieces of a log are not a run."""
    judged = judge_collective(log=text, rc=rc, timed_out=late, nodes=["a", "b"], instance_type=P5EN)
    assert judged.outcome is not Outcome.PASS
    assert judged.bandwidth.outcome is not Outcome.PASS


def test_a_long_line_is_read_in_reasonable_time() -> None:
    """A megabyte without a newline, of what the patterns feed on, takes seconds at most."""
    for unit in (
        "8 2 float ",
        "a:1:2 [0] NCCL INFO ",
        "NVRM: Xid (PCI:0000:53:00): ",
        "1 ",
        ", ",
        "=",
        "{",
        "U ",
    ):
        text = unit * (300_000 // len(unit))
        for parse in WORDS:
            began = time.process_time()
            with contextlib.suppress(ParseError):
                parse(text)
            assert time.process_time() - began < 10, f"{parse.__name__} of many {unit!r}"
