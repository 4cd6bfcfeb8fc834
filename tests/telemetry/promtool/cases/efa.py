"""EFA."""

from __future__ import annotations

from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import Series, both, gpu, node

_DEVICE = {"device": "rdmap79s0", "port": "1"}
_AT = "train-1 (i-0a1), EFA device rdmap79s0,"


def _rate(counter: str, a_second: float) -> tuple[Series, ...]:
    return (node(f"node_amazonefa_{counter}", 0, f"0+{a_second * 60:.0f}", **_DEVICE),)


def _bad(alert: str, counter: str, limit: float, words: str) -> Case:
    return Case(
        alert=alert,
        faulty=_rate(counter, limit * 20),
        after_minutes=6,
        summary=f"{_AT} {words}",
        labels={"device": "rdmap79s0"},
        silent={"nine tenths of AWS's threshold": _rate(counter, limit * 0.9)},
    )


_JOB = tuple(
    both(
        "bedplate_job_node",
        1,
        hpc_job="77",
        job_name="train",
        account="a",
        partition="p",
        gpus="0,1",
        node=f"train-{each}",
    )
    for each in (1, 2)
)
_TRAFFIC = node("node_amazonefa_tx_bytes", "0+60000000000", "0+0", **_DEVICE)
_BUSY = gpu("DCGM_FI_DEV_GPU_UTIL", 98, 100)

CASES = (
    _bad("EfaRetransmits", "retrans_pkts", 1_000, "sends much again."),
    _bad("EfaRetransmits", "retrans_bytes", 1_000_000, "sends much again."),
    *(
        _bad("EfaTimeouts", counter, 100, "waits for others in vain.")
        for counter in ("retrans_timeout_events", "impaired_remote_conn_events", "unresponsive_remote_events")
    ),
    *(
        _bad("EfaErrors", counter, 100, "drops packets or fails requests.")
        for counter in ("rx_drops", "rdma_read_wr_err", "rdma_write_wr_err")
    ),
    Case(
        alert="EfaSilent",
        faulty=(_TRAFFIC, _BUSY, *_JOB),
        after_minutes=19,
        summary="train-1 (i-0a1) sends nothing over EFA, though its GPUs work for a job of several nodes.",
        silent={
            "a job of one node": (_TRAFFIC, _BUSY, _JOB[0]),
            "no job": (_TRAFFIC, gpu("DCGM_FI_DEV_GPU_UTIL", 98, 0)),
        },
    ),
)
