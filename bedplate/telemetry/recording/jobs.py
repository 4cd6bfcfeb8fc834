"""What is recorded of each job."""

from __future__ import annotations

from bedplate.telemetry.alerts.xids import RECORDED as RECORDED_XIDS
from bedplate.telemetry.alerts.xids import codes
from bedplate.telemetry.recording.recorded import Recorded

JOB = ("environment", "cluster", "hpc_job")
_BY = f"by ({', '.join(JOB)})"
_GPU = (*JOB, "node", "gpu")
_OF_PROGRAMS = f'xid=~"{"|".join(str(code) for code in codes(RECORDED_XIDS))}"'
_FOLLOWS, _OTHERS = 'xid="45"', 'xid!="45"'
_XID = (*JOB, "node", "gpu", "xid")


def _job(name: str, expression: str, *, unit: str, text: str, labels: tuple[str, ...] = JOB) -> Recorded:
    return Recorded(name=f"bedplate:{name}", expression=expression, labels=labels, unit=unit, help=text)


def _xids(selector: str) -> str:
    return f'max by ({", ".join(_XID)}) (DCGM_EXP_XID_ERRORS_COUNT{{hpc_job!="",{selector}}} > 0)'


RECORDED = (
    _job(
        "job_gpus",
        f'count {_BY} (DCGM_FI_DEV_GPU_UTIL{{hpc_job!=""}})',
        unit="1",
        text="GPUs of a job",
    ),
    _job(
        "job_sm_active",
        f'avg {_BY} (DCGM_FI_PROF_SM_ACTIVE{{hpc_job!=""}})',
        unit="ratio",
        text="share of SM cycles with a warp at work, over the GPUs of a job",
    ),
    _job(
        "job_slowest_sm_clock",
        f'bottomk {_BY} (1, max by ({", ".join(_GPU)}) (DCGM_FI_DEV_SM_CLOCK{{hpc_job!=""}}))',
        unit="MHz",
        text="SM clock of a job's slowest GPU, and which it is",
        labels=_GPU,
    ),
    _job(
        "job_efa_tx_bytes:rate5m",
        f"sum {_BY} (max by ({', '.join(JOB)}, node) (bedplate_job_node) "
        "* on (environment, cluster, node) group_left max by (environment, cluster, node) "
        "(bedplate:node_efa_tx_bytes:rate5m))",
        unit="bytes/s",
        text="sent over EFA by the nodes of a job",
    ),
    _job(
        "job_xids",
        f"{_xids(_OF_PROGRAMS)} or ({_xids(_FOLLOWS)} unless on (environment, cluster, node, gpu) "
        f"{_xids(_OTHERS)})",
        unit="1",
        text="Xids of a job's own making in the last five minutes; 45 where no other explains it",
        labels=_XID,
    ),
)
