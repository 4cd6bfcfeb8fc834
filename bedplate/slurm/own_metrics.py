"""slurmctld's own metrics, where Slurm has them and the service lets one switch them on.

From 25.11, in plain HTTP on slurmctld's port (SchedMD/slurm, ``doc/html/metrics.shtml``). PCS takes both
parameters, and refuses them below 25.11 (PCS User Guide, "Slurm custom settings"). Whoever reaches the port
may read them: names of partitions, counts of jobs and nodes; the path with users and accounts is served too,
and is not scraped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_SINCE = (25, 11)
_SWITCH = "enable_http"
_TYPE, _COMMUNICATION = "MetricsType", "CommunicationParameters"


def own_metrics(*, version: str, settings: Mapping[str, str], collects: bool) -> dict[str, str]:
    """The parameters to add to ``settings``, the cluster's; none where nothing is collected, where this Slurm
    has no metrics, or where the environment file says otherwise.
    """
    if not collects or tuple(int(part) for part in re.findall(r"\d+", version)[:2]) < _SINCE:
        return {}
    if settings.get(_TYPE, "metrics/openmetrics") != "metrics/openmetrics":
        return {}
    given = [word for word in settings.get(_COMMUNICATION, "").split(",") if word]
    words = given if _SWITCH in given else [*given, _SWITCH]
    return {_TYPE: "metrics/openmetrics", _COMMUNICATION: ",".join(words)}
