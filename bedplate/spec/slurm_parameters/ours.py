"""Slurm parameters that the environment file has a field for, or that follow from it: not set by name."""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.spec.slurm_parameters.scope import Scope

OURS: Mapping[Scope, Mapping[str, str]] = {
    "cluster": {
        "AccountingStorageTRES": "GPUs are counted wherever `accounting: true` records jobs",
        "AccountingStorageEnforce": "`teams` says who is held to what",
        "GresTypes": "the GPUs of a node are known from its instance type",
    },
    "queue": {
        "AllowAccounts": "the partition's `teams` says it",
        "Default": "the partition's `default` says it",
        "MaxTime": "the partition's `max_time_hours` says it",
        "Nodes": "the partition's `pools` says it",
        "PartitionName": "the partition's `name` says it",
    },
    "node-group": {"Gres": "the GPUs of a node are known from its instance type"},
}
"""Parameter → where it comes from instead."""
