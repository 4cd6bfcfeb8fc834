"""What a pair's log comes to: passed, failed, or not run."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.hardware import InstanceType, instance_type
from bedplate.node.gate.judge import FAILED, NOT_RUN, PASSED, PairVerdict, judge_pair, path_of
from bedplate.node.process import ToolRun
from tests.diagnosis import texts

HOSTS = ("ip-10-1-0-11", "ip-10-1-0-12")
P5EN = instance_type("p5en.48xlarge")


def _judge(log: str, *, kind: InstanceType = P5EN, **changes: Any) -> PairVerdict:
    values: dict[str, Any] = {"rc": 0, "timed_out": False, "truncated": False, **changes}
    run = ToolRun("srun", ("srun",), seconds=1.0, stdout=log, stderr="", **values)
    return judge_pair(run, names=("gpu-1", "gpu-2"), hosts=HOSTS, kind=kind)


def test_a_pair_at_its_published_figure_passes() -> None:
    """Over EFA, data right, above the floor of two nodes of the type."""
    assert _judge(texts.between_log()).outcome == PASSED


def test_a_slow_pair_fails_by_the_same_floor_as_the_validation() -> None:
    """Named by the check, with the figure and the floor."""
    verdict = _judge(texts.between_log(peak=200.0))
    assert (verdict.outcome, verdict.check_id) == (FAILED, "NCL-003")
    assert "200 GB/s at 16 GiB is below the floor of 332.4 GB/s" in verdict.told


def test_a_hang_fails() -> None:
    """What ran past its deadline proves nothing good."""
    verdict = _judge(texts.between_log(), rc=None, timed_out=True)
    assert (verdict.outcome, verdict.check_id) == (FAILED, "NCL-003")


def test_a_log_of_other_hosts_is_no_pass() -> None:
    """It would prove another pair."""
    log = texts.between_log(hosts=("ip-10-1-0-98", "ip-10-1-0-99"))
    assert _judge(log).outcome != PASSED


@pytest.mark.parametrize(
    ("log", "rc"),
    [
        ("", 0),
        ("srun: error: Unable to allocate resources: Requested nodes are busy\n", 1),
        ("0: slurmstepd: error: execve(): all_reduce_perf: No such file or directory\n", 2),
    ],
)
def test_what_did_not_run_blames_nobody(log: str, rc: int) -> None:
    """Neither passed nor failed: it is tried again."""
    assert _judge(log, rc=rc).outcome == NOT_RUN


def test_a_log_that_was_cut_is_never_a_pass() -> None:
    """Whatever stands in the part that is left."""
    assert _judge(texts.between_log(), truncated=True).outcome == NOT_RUN


def test_without_a_published_figure_three_fifths_of_the_wires_are_asked() -> None:
    """As of whatever has nothing else to be compared with; and the pass says so."""
    kind = instance_type("p5e.48xlarge")
    info = {"nics": dict.fromkeys(HOSTS, kind.efa_count)}
    slow = _judge(texts.between_log(peak=200.0, info=info), kind=kind)
    assert slow.outcome == FAILED
    assert "three fifths of what the wires carry" in slow.told
    well = _judge(texts.between_log(peak=300.0, info=info), kind=kind)
    assert well.outcome == PASSED
    assert "no figure is published" in well.told


def test_where_nodes_share_nvlink_efa_is_what_is_tried() -> None:
    """NVLink between them would hide it."""
    assert path_of(instance_type("p6e-gb200.36xlarge")) == "efa"
    assert path_of(P5EN) == ""
