"""NCL-002 and NCL-004: a log of other hosts than those that were asked for proves nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bedplate.diagnosis.collective import CollectiveJudgement, judge_collective
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import InstanceType
from tests.diagnosis import texts

HOSTS = ("ip-10-1-0-11", "ip-10-1-0-12")
LONG = tuple(f"gpu-{letter}-of-a-pool-with-a-long-name" for letter in "ab")


def _judge(
    kind: InstanceType, *, log: str = "", told: Sequence[str] = HOSTS, asked: Sequence[str]
) -> CollectiveJudgement:
    changes: dict[str, Any] = {"rc": 0, "timed_out": False, "nodes": [f"i-{index}" for index in range(2)]}
    return judge_collective(
        log=log or texts.between_log(hosts=told), instance_type=kind, hosts=asked, **changes
    )


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (HOSTS, HOSTS),
        (HOSTS, tuple(reversed(HOSTS))),
        (HOSTS, tuple(f"{host}.us-west-2.compute.internal" for host in HOSTS)),
        (tuple(f"{host}.ec2.internal" for host in HOSTS), HOSTS),
        (HOSTS, tuple(host.upper() for host in HOSTS)),
        (tuple(host[:20] for host in LONG), LONG),
        (HOSTS, ()),
        (HOSTS, (HOSTS[0], "")),
    ],
)
def test_the_hosts_that_were_asked_for_pass(
    told: Sequence[str], asked: Sequence[str], p5en: InstanceType
) -> None:
    """In any order, case and length of name; where a name is not known, hosts are counted as before."""
    judged = _judge(p5en, told=told, asked=asked)
    assert [verdict.outcome for verdict in judged.verdicts] == [Outcome.PASS] * 2, judged.transport.summary


@pytest.mark.parametrize(
    ("told", "asked", "words"),
    [
        (HOSTS, (HOSTS[0], "ip-10-1-0-13"), "on ip-10-1-0-12, which was not asked, and none on ip-10-1-0-13"),
        (HOSTS, ("ip-10-1-0-11", "ip-10-1-0-1"), "and none on ip-10-1-0-1"),
        # The beginning of a name is not the name: another host may have it.
        (("gpu-1", "gpu-2"), ("gpu-10", "gpu-20"), "ranks ran on gpu-1, gpu-2"),
        (("ip-10-100-100-1", "ip-10-100-100-2"), ("ip-10-100-100-100", "ip-10-100-100-200"), "none on"),
        ((LONG[0][:20], LONG[1]), LONG, f"ranks ran on {LONG[0][:20]}, "),
        (("gpu-a-of-a-pool-x", "gpu-a-of-a-pool-y"), LONG, "ranks ran on gpu-a-of-a-pool-x"),
    ],
)
def test_a_log_of_other_hosts_is_no_pass(
    told: Sequence[str], asked: Sequence[str], words: str, p5en: InstanceType
) -> None:
    """As many hosts, all well, and not the ones that were asked for: an error that names both."""
    judged = _judge(p5en, told=told, asked=asked)
    assert [verdict.outcome for verdict in judged.verdicts] == [Outcome.ERROR] * 2
    assert words in judged.transport.summary


def test_a_table_of_other_hosts_under_nccls_lines_of_the_right_ones_is_no_pass(p5en: InstanceType) -> None:
    """The tool's list of ranks belongs to the table: whose it is must be the hosts that were asked for."""
    lines = texts.between_log().splitlines()
    others = [line.replace(HOSTS[1], "ip-10-9-9-9") if "#  Rank" in line else line for line in lines]
    judged = _judge(p5en, log="\n".join(others), asked=HOSTS)
    assert judged.transport.outcome is Outcome.ERROR
    assert "nccl-tests lists ranks on ip-10-9-9-9, which was not asked" in judged.transport.summary


def test_a_list_of_ranks_that_the_tool_cut_short_is_no_doubt(p5en: InstanceType) -> None:
    """The list holds 2048 bytes: hosts that it lacks are told by NCCL."""
    lines = [line for line in texts.between_log().splitlines() if "#  Rank" not in line or HOSTS[0] in line]
    assert _judge(p5en, log="\n".join(lines), asked=HOSTS).transport.outcome is Outcome.PASS


def test_many_hosts_are_named_in_part(p5en: InstanceType) -> None:
    """Eight of a long list, and how many more."""
    told, asked = ([f"ip-10-{net}-0-{index}" for index in range(12)] for net in (1, 2))
    judged = judge_collective(
        log=texts.between_log(hosts=told),
        rc=0,
        timed_out=False,
        nodes=[f"i-{index}" for index in range(12)],
        instance_type=p5en,
        hosts=asked,
    )
    assert judged.transport.summary.count(" and 4 more") == 2
