"""Which jobs have this node: joins a job to its GPUs and EFA devices.

A prolog is told no job's name. It is asked for once a job, here and not there: a job does not wait for it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import List

from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.job_marks import JobMark, marks, rename_job
from bedplate.node.metrics.collector import Collector, Surroundings
from bedplate.node.metrics.exposition import GAUGE, Family, sample
from bedplate.node.slurm_client import SlurmClient

_MOST_ASKED = 8
"""In one run: each is a call to slurmctld."""
UNKNOWN = "-"
"""The name of a job that slurmctld did not tell: it is not asked again."""
_NAME_CHARACTERS = 64
_FIELD = re.compile(r"(?:^|\s)(JobName|Account|Partition)=(\S*)")


def _applies(settings: NodeSettings) -> bool:
    return settings.role == "compute"


def _collect(around: Surroundings) -> List[Family]:
    slurm = SlurmClient(version=around.settings.slurm_version)
    found = []
    asked = 0
    for mark in marks():
        if not mark.name and asked < _MOST_ASKED:
            asked += 1
            mark = _asked(mark, slurm)
            rename_job(mark)
        found.append(mark)
    samples = [
        sample(
            1,
            {
                "hpc_job": mark.job_id,
                "job_name": "" if mark.name == UNKNOWN else mark.name,
                "account": mark.account,
                "partition": mark.partition,
                "gpus": ",".join(str(each) for each in mark.gpus),
            },
        )
        for mark in found
    ]
    return [Family("bedplate_job_node", GAUGE, tuple(samples))]


def _asked(mark: JobMark, slurm: SlurmClient) -> JobMark:
    run = slurm.scontrol("show", "job", "-o", mark.job_id, quiet=True)
    told = dict(_FIELD.findall(run.stdout)) if run.rc == 0 else {}
    return replace(
        mark,
        name=told.get("JobName", "")[:_NAME_CHARACTERS] or UNKNOWN,
        account=mark.account or told.get("Account", "").replace("(null)", ""),
        partition=mark.partition or told.get("Partition", ""),
    )


COLLECTOR = Collector("jobs", _applies, _collect)
