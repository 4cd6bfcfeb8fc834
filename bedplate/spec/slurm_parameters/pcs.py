"""Which Slurm parameters AWS PCS lets one set, and where (PCS User Guide, "Slurm custom settings")."""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.spec.slurm_parameters.scope import Scope

_PRIORITY_WEIGHTS = ("Age", "Assoc", "Fairshare", "JobSize", "Partition", "QOS", "TRES")

PCS_ALLOWS: Mapping[Scope, frozenset[str]] = {
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
"""Parameter names by the place they may stand in; PCS refuses all others, after minutes of deploying."""
