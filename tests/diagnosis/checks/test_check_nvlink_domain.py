"""NCL-004: what proves that NVLink carried a collective between nodes, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.collective import CollectiveJudgement, judge_collective
from bedplate.diagnosis.verdict import CLUSTER, Outcome
from bedplate.hardware import instance_type
from tests.diagnosis import texts

GB200 = instance_type("p6e-gb200.36xlarge")
HOSTS = tuple(f"ip-10-1-0-{index}" for index in range(4))


def _log(*, peak: float = 880.0, drop: str = "", add: str = "", rank_count: int = 16) -> str:
    """Four nodes of 4 GPUs over NVLink."""
    lines = texts.preamble(hosts=HOSTS, ranks_per_host=4, gpus_per_thread=1)
    for rank in range(rank_count):
        start = f"{HOSTS[rank // 4]}:41:{42 + rank} [{rank % 4}] NCCL INFO "
        lines += [
            start + f"Channel 00/0 : {rank}[{rank % 4}] -> {(rank + 1) % 16}[{(rank + 1) % 4}] via P2P/MNNVL",
            start + f"ncclCommInitRank comm 0x55d0{rank:04x} rank {rank} nranks 16 cudaDev 0 - Init COMPLETE",
        ]
    lines += texts.table(peak=peak, ranks=16, ramp=texts.IN_NODE_RAMP_BYTES)
    kept = [line for line in lines if not drop or drop not in line]
    return "\n".join([*kept, add]) + "\n"


def _judge(log: str, *, rc: int = 0, **changes: Any) -> CollectiveJudgement:
    return judge_collective(
        log=log,
        rc=rc,
        timed_out=False,
        nodes=[f"i-{index}" for index in range(4)],
        instance_type=GB200,
        scope="nvlink-domain",
        path="nvlink",
        **changes,
    )


def test_a_domain_that_nvlink_carries_passes_its_own_floor() -> None:
    """Held to the figure published over NVLink, not to that over EFA."""
    judged = _judge(_log())
    assert [each.check_id for each in judged.verdicts] == ["NCL-004", "NCL-004"]
    assert {each.outcome for each in judged.verdicts} == {Outcome.PASS}
    assert judged.bandwidth.subject == CLUSTER
    assert judged.bandwidth.expected == pytest.approx(794.2)
    assert {each.path for each in judged.measurements} == {"nvlink"}


def test_what_is_enough_for_efa_is_not_enough_for_nvlink() -> None:
    """190 GB/s are a healthy EFA, and a sick NVLink domain."""
    assert _judge(_log(peak=190.0)).bandwidth.outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("log", "outcome", "words"),
    [
        (
            _log(
                add=f"{HOSTS[0]}:41:42 [0] NCCL INFO Channel 00/0 : 3[3] -> 4[0] [send] via NET/Libfabric/0"
            ),
            Outcome.FAIL,
            "over the network",
        ),
        (_log(drop="via P2P/MNNVL"), Outcome.ERROR, "no connection by multi-node NVLink"),
        (_log(drop=f"{HOSTS[2]}:41"), Outcome.ERROR, "do not both prove 16 ranks"),
        (_log(drop="rank 7 nranks"), Outcome.ERROR, "do not both prove 16 ranks"),
        (_log(drop="NCCL INFO"), Outcome.ERROR, "no NCCL message"),
    ],
)
def test_what_the_log_does_not_prove_is_no_pass(log: str, outcome: Outcome, words: str) -> None:
    """A fast number over something else, or over nobody knows what."""
    judged = _judge(log)
    assert judged.transport.outcome is outcome
    assert words in judged.transport.summary
    assert judged.bandwidth.outcome is not Outcome.PASS


def test_an_imex_domain_that_is_down_is_told_by_nccl_and_fails() -> None:
    """NCCL sees NVLink between nodes and cannot use it: the host that says so is named."""
    warning = (
        f"{HOSTS[1]}:41:42 [0] mnnvl.cc:85 NCCL WARN MNNVL (cliqueSize 16) is available but not working on "
        f"this system.\n{HOSTS[1]}: Test NCCL failure common.cu:1279 'unhandled system error'"
    )
    judged = _judge(warning, rc=3)
    assert (judged.transport.outcome, judged.transport.cause) == (Outcome.FAIL, "nvlink-domain-off")
    assert HOSTS[1] in judged.transport.summary
    assert judged.busbw_gb_per_s is None
