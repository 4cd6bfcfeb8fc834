"""Real outputs, read where they lie: each to the reading that their README gives. Skipped where they are
not there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.diagnosis.checks import gpu_row_remap, gpu_xid, nvlink_status
from bedplate.diagnosis.checks.dcgm_levels import check_level
from bedplate.diagnosis.collective import CollectiveJudgement, judge_collective
from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.dcgmi_nvlink import parse_dcgmi_nvlink
from bedplate.diagnosis.parsers.dcgmi_nvlink_errors import parse_dcgmi_nvlink_errors
from bedplate.diagnosis.parsers.kernel_log import parse_kernel_log
from bedplate.diagnosis.parsers.nccl_arithmetic import (
    contradictions,
    data_checked,
    rank_interval,
    recomputed_average,
    wrong_data,
)
from bedplate.diagnosis.parsers.nccl_info import parse_nccl_info
from bedplate.diagnosis.parsers.nccl_record import NcclTestsLog
from bedplate.diagnosis.parsers.nccl_tests import parse_nccl_tests
from bedplate.diagnosis.parsers.nvidia_smi_csv import parse_nvidia_smi_csv
from bedplate.diagnosis.parsers.nvidia_smi_nvlink import parse_nvidia_smi_nvlink
from bedplate.diagnosis.parsers.nvidia_smi_q import parse_nvidia_smi_q
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.sinfo import parse_sinfo
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import texts

GIB = 1024**3


def _text(samples: Path, stem: str) -> str:
    found = sorted(samples.rglob(f"{stem}*"))
    assert len(found) == 1, f"{stem} names {len(found)} samples"
    return found[0].read_text(encoding="utf-8")


def _nccl(samples: Path, stem: str) -> NcclTestsLog:
    return parse_nccl_tests(_text(samples, stem))


def _ends(log: NcclTestsLog) -> tuple[float, float]:
    return log.rows[-1].out_of_place.busbw.value, log.rows[-1].in_place.busbw.value


# sample, collective, ranks as text, rows, busbw of the last row (out-of-place, in-place)
TABLES = [
    ("s01-", "all_reduce", "16", 29, (78.33, 78.33)),
    ("s02-", "all_reduce", "16", 32, (487.09, 487.26)),
    ("s03-", "all_reduce", "16", 7, (437.79, 437.89)),
    ("s04-", "all_reduce", "8", 32, (483.05, 483.35)),
    ("s05-", "all_reduce", "128", 3, (369.86, 369.42)),
    ("s06-", "all_reduce", "72", 5, (834.57, 846.82)),
    ("s08-", "all_reduce", "8", 6, (231.72, 231.70)),
    ("s09-", "all_reduce", "16", 6, (182.80, 181.39)),
    ("s11-", "alltoall", "8", 34, (224.31, 226.16)),
    ("s12-", "all_gather", "8", 34, (223.39, 230.07)),
    ("s16-", "all_reduce", "16", 5, (471.22, 470.75)),
    ("s17-", "all_reduce", "16", 30, (43.81, 43.72)),
]


@pytest.mark.parametrize(("stem", "collective", "ranks", "rows", "ends"), TABLES)
def test_tables_have_their_rows_ranks_and_bandwidths(
    samples: Path, stem: str, collective: str, ranks: str, rows: int, ends: tuple[float, float]
) -> None:
    """Rows, the number of ranks by ratio, and the last row's bandwidths are as published, without
    contradiction.
    """
    log = _nccl(samples, stem)
    assert len(log.rows) == rows
    assert str(rank_interval(log, collective=collective)) == ranks
    assert _ends(log) == ends
    assert (contradictions(log, collective=collective), log.damaged, log.runs) == ((), (), 1)


@pytest.mark.parametrize(
    ("stem", "recomputed", "stated"),
    [
        ("s01-", 18.54, None),
        ("s02-", 124.54, None),
        ("s04-", 156.741, 156.742),
        ("s06-", 745.53, 745.53),
        ("s07-", 297.808, 297.808),
        ("s08-", 210.99, 210.99),
        ("s09-", 150.209, 150.209),
        ("s11-", 58.6481, 58.6481),
        ("s12-", 58.2651, 58.2651),
        ("s13-", 64.8653, 64.8653),
        ("s16-", 464.075, 464.075),
        ("s17-", 11.2432, 11.2432),
    ],
)
def test_averages_are_recomputed(samples: Path, stem: str, recomputed: float, stated: float | None) -> None:
    """The mean over all rows and both placements equals the footer's, where there is one."""
    log = _nccl(samples, stem)
    assert recomputed_average(log) == pytest.approx(recomputed, abs=0.006)
    assert (None if log.average is None else log.average.value) == stated
    assert log.complete is (stated is not None)


@pytest.mark.parametrize("stem", ["s01-", "s02-"])
def test_tables_without_footer_are_no_verdict(samples: Path, stem: str) -> None:
    """A log that was cut before its footer says nothing about its end, good as its rows are."""
    judgement = judge_collective(
        log=_text(samples, stem),
        rc=0,
        timed_out=False,
        nodes=["a", "b"],
        instance_type=instance_type("p5.48xlarge"),
    )
    assert judgement.bandwidth.outcome is Outcome.ERROR
    assert "partial" in judgement.bandwidth.summary


def test_s03_and_s05_are_abridged_and_not_contradictory(samples: Path) -> None:
    """Where rows were cut out, the footer's average cannot be recomputed, which is no error of the footer."""
    for stem, average in (("s03-", 52.9753), ("s05-", 84.0569)):
        log = _nccl(samples, stem)
        assert log.elided
        assert recomputed_average(log) is None
        assert log.average is not None
        assert log.average.value == average
        assert log.bounds_ok
    assert (log.bounds_failed, log.rows[0].out_of_place.time_us.value, wrong_data(log)) == (0, 983.2, ())


def test_s06_has_its_best_row_before_its_last(samples: Path) -> None:
    """Out-of-place it is fastest at 4 GiB: the last row is not the peak."""
    rows = _nccl(samples, "s06-").rows
    best = max(rows, key=lambda row: row.out_of_place.busbw.value)
    assert (best.size_bytes, best.out_of_place.busbw.value, best is rows[-1]) == (4 * GIB, 839.16, False)


@pytest.mark.parametrize(("stem", "zeros"), [("s03-", 1), ("s11-", 5), ("s12-", 5)])
def test_rows_of_no_bytes_are_rows(samples: Path, stem: str, zeros: int) -> None:
    """Sizes are rounded down to nothing: such rows are neither damage nor left out of the mean."""
    log = _nccl(samples, stem)
    assert ([row.size_bytes for row in log.rows].count(0), log.damaged) == (zeros, ())
    assert log.bounds_ok


@pytest.mark.parametrize(
    ("stem", "hosts", "version"),
    [
        ("s08-", {"node-001"}, "2.16.2+cuda11.6"),
        ("s09-", {"node-001", "node-002"}, "2.12.12+cuda11.6"),
        ("s16-", {"node-014", "node-294"}, "2.23.4+cuda12.6"),
    ],
)
def test_ranks_tell_their_hosts_and_the_right_results_are_ok(
    samples: Path, stem: str, hosts: set[str], version: str
) -> None:
    """What stands before and between the list of ranks and the header is no part of either; all is right."""
    log = _nccl(samples, stem)
    assert ({rank.host for rank in log.ranks}, log.nccl_version) == (hosts, version)
    assert (log.bounds_ok, wrong_data(log), data_checked(log, collective="all_reduce")) == (True, (), True)


def test_s04_is_no_proof_of_efa(samples: Path) -> None:
    """The trap: it looks like two nodes, its ratio proves one, and the judgement refuses it."""
    judgement = judge_collective(
        log=_text(samples, "s04-"),
        rc=0,
        timed_out=False,
        nodes=["a", "b"],
        instance_type=instance_type("p5.48xlarge"),
    )
    assert judgement.outcome is Outcome.ERROR
    assert judgement.busbw_gb_per_s is None
    assert "made by 8 ranks, asked were 16" in judgement.bandwidth.summary


def test_s07_leaves_the_number_of_ranks_open(samples: Path) -> None:
    """At 1440 ranks rounding makes the ratio fuzzy: an interval that holds it, beside the last rank's
    line.
    """
    log = _nccl(samples, "s07-")
    interval = rank_interval(log, collective="all_reduce")
    assert interval is not None
    assert interval.allows(1440)
    assert interval.low < 1440
    assert max(rank.rank for rank in log.ranks) == 1439
    assert _ends(log) == (405.74, 404.77)


def test_s10_is_a_failure_to_launch(samples: Path) -> None:
    """No slots: an error of the infrastructure, no bandwidth, and no node to blame."""
    log = _nccl(samples, "s10-")
    assert [failure.kind for failure in log.failures] == ["launch"]
    judgement = judge_collective(
        log=_text(samples, "s10-"),
        rc=1,
        timed_out=False,
        nodes=["a", "b"],
        instance_type=instance_type("p5.48xlarge"),
    )
    assert judgement.launch_failed
    assert (judgement.outcome, judgement.busbw_gb_per_s, judgement.bandwidth.cause) == (
        Outcome.ERROR,
        None,
        None,
    )


@pytest.mark.parametrize("stem", ["s11-", "s12-", "s13-"])
def test_unchecked_tables_are_unknown_in_spite_of_their_footer(samples: Path, stem: str) -> None:
    """`N/A` everywhere means that nothing was compared, though the footer says 0 OK."""
    log = _nccl(samples, stem)
    assert log.bounds_ok
    assert not data_checked(log, collective="broadcast")


def test_s13_has_a_root_and_the_ratio_one(samples: Path) -> None:
    """A broadcast's bus bandwidth is its algorithm bandwidth."""
    log = _nccl(samples, "s13-")
    assert {row.root for row in log.rows} == {0}
    assert _ends(log) == (232.81, 234.70)
    assert contradictions(log, collective="broadcast") == ()


def test_s14_fails_for_wrong_data_and_for_low_bandwidth(samples: Path) -> None:
    """The three fixtures of DCGM's mock: right, wrong elements, and an average that the tool calls FAILED."""
    good, wrong, slow = (_nccl(samples, f"s14-dcgm-mock-{name}") for name in ("pass", "fail_oob", "fail_bw"))
    assert (wrong_data(good), good.average_ok, good.complete) == ((), None, True)
    assert wrong_data(wrong)[-1] == "out of bounds values: 2 tests failed"
    assert (wrong_data(slow), slow.average_ok) == ((), False)
    assert good.rows[0].in_place.algbw.value == 89754


@pytest.mark.parametrize("rc", [0, 1, 7])
def test_s14_is_judged_by_what_the_tool_says_of_itself(samples: Path, rc: int) -> None:
    """Wrong elements are a fault of the hardware; an average below the user's own minimum is refused, and is
    no figure of ours to blame a node by. One rank proves no transport, so that none of the three passes.
    """

    def judged(name: str, status: int) -> CollectiveJudgement:
        return judge_collective(
            log=_text(samples, f"s14-dcgm-mock-{name}"),
            rc=status,
            timed_out=False,
            nodes=["a"],
            instance_type=instance_type("p5.4xlarge"),
            sizes=(32 * 1024**2,),
            begin_bytes=32 * 1024**2,
        )

    good, wrong, slow = judged("pass", 0), judged("fail_oob", rc), judged("fail_bw", rc)
    assert (good.problem, good.busbw_gb_per_s, good.bandwidth.outcome) == ("", 0.0, Outcome.NOT_TESTED)
    assert (wrong.outcome, wrong.bandwidth.cause) == (Outcome.FAIL, "data-corruption")
    assert (slow.outcome, slow.bandwidth.outcome) == (Outcome.ERROR, Outcome.ERROR)
    assert "calls its average bandwidth FAILED" in slow.bandwidth.summary
    assert (wrong.busbw_gb_per_s, slow.busbw_gb_per_s) == (None, None)


def test_s15_is_impossible(samples: Path) -> None:
    """An all-reduce whose bus bandwidth is below its algorithm bandwidth contradicts itself."""
    log = _nccl(samples, "s15-")
    assert _ends(log) == (936.93, 936.54)
    assert rank_interval(log, collective="all_reduce") is None
    assert contradictions(log, collective="all_reduce")


def test_s17_proves_efa_with_gpudirect(samples: Path) -> None:
    """Provider efa, the plugin's network, 8 channels, and GDRDMA on every line that leaves a node."""
    text = _text(samples, "s17-")
    info = parse_nccl_info(text)
    assert {line.provider for line in info.providers} == {"efa"}
    assert {line.nics for line in info.providers} == {None}
    assert {line.name for line in info.networks} == {"AWS Libfabric"}
    assert {comm.ranks for comm in info.comms} == {16}
    assert {channel.gdrdma for channel in info.net_channels} == {True}
    assert {channel.host for channel in info.net_channels} == {
        "nccl-tests-efa-16-worker-0",
        "nccl-tests-efa-16-worker-1",
    }
    assert info.socket_channels == ()
    log = parse_nccl_tests(text)
    assert (log.counts_wrong, wrong_data(log), data_checked(log, collective="all_reduce")) == (
        False,
        (),
        True,
    )


def test_dcgm_of_version_3_is_read(samples: Path) -> None:
    """Nine deployment tests; one fail and two warnings where the fixtures have them."""
    good = parse_dcgm_diag(_text(samples, "d-diag-pass"))
    assert (good.generation, len(good.results), {r.status for r in good.results}) == (3, 9, {"pass"})
    bad = {
        r.test: r.status for r in parse_dcgm_diag(_text(samples, "d-diag-fail")).results if r.status != "pass"
    }
    assert bad == {"Persistence Mode": "fail", "Environment Variables": "warn"}
    warned = [r.status for r in parse_dcgm_diag(_text(samples, "d-diag-warn")).results if r.status != "pass"]
    assert warned == ["warn"]


def test_dcgm_verdicts_on_the_fixtures(samples: Path, p5en: InstanceType) -> None:
    """Pass; a fail of configuration, not of hardware; a warning that rides on a pass; and a bad status is
    no pass.
    """

    def verdict(stem: str, problem: str = "") -> tuple[Outcome, str | None, int]:
        reading = Reading(parse_dcgm_diag(_text(samples, stem)), problem)
        found = check_level(
            level=1, asked=1, check_id="DCG-001", node="i-1", diag=reading, instance_type=p5en
        )
        return found.outcome, found.cause, len(found.findings)

    assert verdict("d-diag-pass") == (Outcome.PASS, None, 0)
    assert verdict("d-diag-fail") == (Outcome.FAIL, "dcgm-configuration", 1)
    assert verdict("d-diag-warn") == (Outcome.PASS, None, 1)
    assert verdict("d-non-fatal-error-code", "ended with status 205")[0] is Outcome.ERROR


def test_nvlink_tables(samples: Path) -> None:
    """12 links a GPU; GPU 0 has one down, GPU 1 one down and two disabled."""
    good = parse_dcgmi_nvlink(_text(samples, "d-nvlink-status-pass"))
    assert [(gpu.id, gpu.up) for gpu in good.gpus] == [(0, 12), (1, 12)]
    bad = parse_dcgmi_nvlink(_text(samples, "d-nvlink-status-fail"))
    assert [(gpu.down, gpu.disabled) for gpu in bad.gpus] == [((3,), ()), ((6,), (10, 11))]
    verdict = nvlink_status.check(
        node="i-1",
        links=Reading(bad),
        speeds=Reading(None, "not asked"),
        instance_type=instance_type("p5.48xlarge"),
    )
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "nvlink-down")


def test_links_that_are_all_inactive_are_no_table_of_dcgmi(samples: Path) -> None:
    """nvidia-smi says so of GPU 6; dcgmi's parser refuses the text, and neither makes a pass of it."""
    with pytest.raises(ParseError):
        parse_dcgmi_nvlink(_text(samples, "d-nvlink-all-inactive"))
    links = parse_nvidia_smi_nvlink(_text(samples, "d-nvlink-all-inactive"))
    assert [(each.gpu, each.active, each.all_inactive) for each in links] == [(6, 0, True)]


def test_nvlink_error_counters_are_read(samples: Path) -> None:
    """Values are strings; the bad one has 12 CRC data errors on link 0."""
    assert parse_dcgmi_nvlink_errors(_text(samples, "d-nvlink-error-pass")).above_zero == ()
    bad = parse_dcgmi_nvlink_errors(_text(samples, "d-nvlink-error-fail"))
    assert (bad.gpu, bad.above_zero) == (0, (("Link 0", "CRC Data Error", 12.0),))


def test_retired_pages_are_read_by_bus(samples: Path) -> None:
    """Pending on GPUs 2, 4, 6 and 8; more than 60 pages on 1, 2, 6 and 8."""
    gpus = parse_nvidia_smi_q(_text(samples, "d-nvidia-smi-q-retired-pages-8gpu")).gpus
    pending = [number for number, gpu in enumerate(gpus, start=1) if gpu.flag("retirement_pending")]
    retired = {
        number: (gpu.number("retired_single_bit") or 0) + (gpu.number("retired_double_bit") or 0)
        for number, gpu in enumerate(gpus, start=1)
    }
    assert pending == [2, 4, 6, 8]
    assert {number: pages for number, pages in retired.items() if pages > 60} == {1: 65, 2: 63, 6: 65, 8: 64}


def test_remapped_rows_of_nvidia_smi_q(samples: Path) -> None:
    """One row pending, no failure, and 639 banks with all their spare rows."""
    (gpu,) = parse_nvidia_smi_q(_text(samples, "d-xid63-and-nvidia-smi-q")).gpus
    assert (gpu.flag("remap_pending"), gpu.flag("remap_failure")) == (True, False)
    assert (gpu.number("remap_banks_max"), gpu.number("retired_single_bit")) == (639, None)


def test_dcgm_3_in_a_table_fails_gpu_0_for_heat(samples: Path) -> None:
    """A fragment: GPU 0 failed memory, with its words joined again, and 1 to 7 passed."""
    results = parse_dcgm_diag(_text(samples, "d-dcgmi-r2-text")).results
    assert {each.gpu: each.status for each in results} == {0: "fail", **dict.fromkeys(range(1, 8), "pass")}
    (failed,) = [each for each in results if each.status == "fail"]
    assert failed.warnings[0].text.startswith("GPU 0 Thermal violations totaling 13.3 seconds started at 9.7")
    assert "any other components." in failed.warnings[0].text


def test_xid_64_is_a_remapping_failure_and_94_stands_beside_it(samples: Path) -> None:
    """XID 64 fails the node, 94 and a non-fatal SXid are findings."""
    log = parse_kernel_log(_text(samples, "d-dmesg-xid64-and-94"))
    assert [(event.kind, event.device, event.code) for event in log.events] == [
        ("xid", "0000:0f:00", 64),
        ("xid", "0000:0f:00", 94),
        ("sxid", "0000:85:00", 12028),
    ]
    assert log.events[2].fatal is False
    verdict = gpu_xid.check(node="i-1", log=Reading(log))
    assert (verdict.outcome, verdict.cause, len(verdict.findings)) == (Outcome.FAIL, "xid-64", 2)


def test_xid_119_is_one_event(samples: Path) -> None:
    """Two dozen lines of one GSP timeout are one event on one GPU."""
    log = parse_kernel_log(_text(samples, "d-dmesg-xid119"))
    assert [(event.device, event.code, event.count) for event in log.events] == [("0000:9b:00", 119, 1)]
    assert gpu_xid.check(node="i-1", log=Reading(log)).cause == "xid-119"


def test_the_blackwell_burst_ends_at_its_last_actions(samples: Path) -> None:
    """XID 149 sub-code 33 suspects the peer; each GPU's last XID 154 is what it asks for."""
    log = parse_kernel_log(_text(samples, "d-dmesg-blackwell"))
    assert {event.subcode for event in log.events if event.code == 149} == {33}
    assert {event.device: event.action for event in log.events if event.code == 154} == {
        "0009:01:00": "Drain and Reset",
        "0019:01:00": "GPU Reset Required",
        "0018:01:00": "GPU Reset Required",
        "0008:01:00": "GPU Reset Required",
    }
    verdict = gpu_xid.check(node="i-1", log=Reading(log))
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "xid-149")
    assert "other end of the link" in verdict.remedy


def test_xid_63_is_a_success_that_waits_for_a_reset(samples: Path, p5en: InstanceType) -> None:
    """A row marked for remapping is a finding; pending without failure does not fail the node."""
    log = parse_kernel_log(_text(samples, "d-xid63"))
    assert [(event.device, event.code) for event in log.events] == [("0000:10:1c", 63)]
    whole = [*texts.BOOT, _text(samples, "d-xid63").rstrip(), texts.CURSOR]
    boot = parse_kernel_log("\n".join(whole))
    verdict = gpu_xid.check(node="i-1", log=Reading(boot))
    assert (verdict.outcome, [finding.severity.value for finding in verdict.findings]) == (
        Outcome.PASS,
        ["warning"],
    )
    pending = parse_nvidia_smi_csv(texts.gpu_table(changes={0: {"remapped_rows.pending": "Yes"}}))
    verdict = gpu_row_remap.check(node="i-1", gpus=Reading(pending), instance_type=p5en)
    assert (verdict.outcome, len(verdict.findings)) == (Outcome.PASS, 1)


def test_a_kernel_log_without_xids_has_no_event(samples: Path) -> None:
    """An InfiniBand port that lost its carrier six times is told, is no XID, and without its boot the log
    proves nothing.
    """
    log = parse_kernel_log(_text(samples, "d-syslog-ib-link-flap"))
    assert log.events == ()
    assert log.carrier_lost == (("ib6", 6),)
    assert gpu_xid.check(node="i-1", log=Reading(log)).outcome is Outcome.ERROR


def test_a_ragged_sinfo_table_counts_each_node_once(samples: Path) -> None:
    """The first two rows are one node in two partitions, drained and not answering."""
    nodes = parse_sinfo(_text(samples, "d-sinfo-pipe"))
    assert [(node.name, node.state, node.answers) for node in nodes] == [
        ("node0201", "drained", False),
        ("node1537", "allocated", True),
        ("node4180", "allocated", True),
    ]
