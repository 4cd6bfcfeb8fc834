"""What an instance group of SageMaker HyperPod has of its pool, whoever orchestrates it (SageMaker API,
ClusterInstanceGroupSpecification).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bedplate.spec.capacity_sources import OnDemand, Spot, TrainingPlan
from bedplate.spec.orchestrator.hyperpod import DeepHealthCheck
from bedplate.spec.pools import Pool

RECOVERY = {"automatic": "Automatic", "none": "None"}
"""``node_recovery`` → NodeRecovery."""
_CHECKS: Mapping[DeepHealthCheck, str] = {"stress": "InstanceStress", "connectivity": "InstanceConnectivity"}


def capacity_words(pool: Pool) -> Mapping[str, Any]:
    """By what the group says how its nodes are bought. ``ValueError`` for a way that HyperPod has not."""
    source = pool.capacity
    if isinstance(source, TrainingPlan):
        return {"TrainingPlanArn": source.plan}
    if isinstance(source, OnDemand):
        return {"CapacityRequirements": {"OnDemand": {}}}
    if isinstance(source, Spot):
        return {"CapacityRequirements": {"Spot": {}}}
    raise ValueError(f"pool {pool.name}: HyperPod cannot launch from a {source.source}")


def check_words(wanted: Iterable[DeepHealthCheck]) -> list[str]:
    """OnStartDeepHealthChecks: each that is wanted, once, in the order of the file."""
    return [_CHECKS[each] for each in dict.fromkeys(wanted)]
