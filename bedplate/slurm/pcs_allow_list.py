"""Which Slurm parameters AWS PCS lets one set, and where (PCS User Guide, "Slurm custom settings")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Scope = Literal["cluster", "queue", "node-group"]

_PRIORITY_WEIGHTS = ("Age", "Assoc", "Fairshare", "JobSize", "Partition", "QOS", "TRES")

ALLOWED: Mapping[Scope, frozenset[str]] = {
    "cluster": frozenset(
        [
            "AccountingStorageEnforce",
            "AccountingStorageTRES",
            "AccountingStoreFlags",
            "AuthAltParameters",
            "CliFilterParameters",
            "CliFilterPlugins",
            "CommunicationParameters",
            "DefMemPerCPU",
            "Epilog",
            "EnforcePartLimits",
            "FairShareDampeningFactor",
            "FirstJobId",
            "HealthCheckInterval",
            "HealthCheckNodeState",
            "HealthCheckProgram",
            "JobRequeue",
            "LaunchParameters",
            "Licenses",
            "MetricsType",
            "MinJobAge",
            "OverTimeLimit",
            "PreemptExemptTime",
            "PreemptMode",
            "PreemptParameters",
            "PreemptType",
            "PriorityCalcPeriod",
            "PriorityDecayHalfLife",
            "PriorityFavorSmall",
            "PriorityFlags",
            "PriorityMaxAge",
            "PriorityUsageResetPeriod",
            "Prolog",
            "PrologFlags",
            "RequeueExit",
            "RequeueExitHold",
            "SchedulerParameters",
            "SelectTypeParameters",
            "SrunPortRange",
            "TaskEpilog",
            "TaskPluginParam",
            "TaskProlog",
            "TrackWCKey",
            "UnkillableStepProgram",
            "UnkillableStepTimeout",
        ]
        + [f"PriorityWeight{part}" for part in _PRIORITY_WEIGHTS]
    ),
    "queue": frozenset(
        [
            "AllowAccounts",
            "AllowQos",
            "Default",
            "DefaultTime",
            "DenyAccounts",
            "DenyQos",
            "ExclusiveUser",
            "GraceTime",
            "MaxTime",
            "OverSubscribe",
            "OverTimeLimit",
            "PowerDownOnIdle",
            "PreemptMode",
            "PriorityJobFactor",
            "PriorityTier",
            "QOS",
            "TRESBillingWeights",
        ]
    ),
    "node-group": frozenset(
        ["CpuSpecList", "Features", "Gres", "MemSpecLimit", "Parameters", "RealMemory", "Sockets", "Weight"]
    ),
}
"""Parameter names by the place they may stand in."""


class SettingNotAllowedError(ValueError):
    """PCS would refuse the parameter at this place, after minutes of deploying."""


def checked(settings: Mapping[str, str], *, scope: Scope) -> Mapping[str, str]:
    """Return ``settings`` if PCS takes all of them at ``scope``; the error names those that it does not."""
    refused = sorted(set(settings) - ALLOWED[scope])
    if refused:
        raise SettingNotAllowedError(f"PCS does not let one set {', '.join(refused)} on a {scope}")
    return settings
