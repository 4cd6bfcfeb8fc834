"""The parameters that a cluster and its partitions get in slurm.conf: ours, and the user's over them."""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.slurm.cluster_shape import cluster_shape
from bedplate.slurm.our_settings import OUR_SETTINGS
from bedplate.spec.orchestrator import Partition, SlurmCommon
from bedplate.spec.slurm_parameters import Scope, settable
from bedplate.spec.slurm_parameters.known import spelled

SCALE_DOWN_IDLE_SECONDS = 1800
"""An elastic node is kept half an hour after its last job: a GPU node takes many minutes to boot."""
VALIDATION_ACCOUNT = "root"
"""The account that the validation's jobs run in; Slurm has it from its beginning."""


def cluster_settings(slurm: SlurmCommon, *, kind: str, tree: bool = True) -> dict[str, str]:
    """Return the parameters of the whole cluster that the orchestrator takes; ``tree`` says whether its nodes
    are below a tree of switches.
    """
    shape = cluster_shape(slurm, tree=tree)
    ours = {
        each.parameter: value
        for each in OUR_SETTINGS
        if kind not in each.not_on
        and (value := each.value(shape)) is not None
        and settable(each.parameter, scope="cluster", kind=kind)
    }
    return {**ours, **_own(slurm.settings, scope="cluster")}


def queue_settings(partition: Partition, *, kind: str) -> dict[str, str]:
    """Return the parameters of one partition, empty where it has none of its own."""
    ours: dict[str, str] = {}
    if partition.default:
        ours["Default"] = "YES"
    if partition.max_time_hours is not None:
        days, hours = divmod(partition.max_time_hours, 24)
        ours["MaxTime"] = f"{days}-{hours}"
    if partition.teams:
        ours["AllowAccounts"] = ",".join([*partition.teams, VALIDATION_ACCOUNT])
    taken = {name: ours[name] for name in ours if settable(name, scope="queue", kind=kind)}
    return {**taken, **_own(partition.settings, scope="queue")}


def _own(settings: Mapping[str, str], *, scope: Scope) -> dict[str, str]:
    return {spelled(name, scope=scope) or name: value for name, value in settings.items()}
