"""Runs, clusters and policies made for the tests of actions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.manifest import (
    ClusterManifest,
    LoginManifest,
    Orchestrator,
    PoolManifest,
    ValidationManifest,
)
from bedplate.validation.actions.live import Live
from bedplate.validation.actions.model import ActionPlan
from bedplate.validation.actions.plan import plan_actions
from bedplate.validation.actions.policy import ActionPolicy
from bedplate.validation.instance import Instance
from bedplate.validation.result import NodeResult, RunResult

NOW = datetime(2026, 2, 3, 10, 0, tzinfo=UTC)
PLAN_ID = "act-20260203T100000Z-0a1b2c3d"


def node(index: int) -> str:
    """The instance id of a node."""
    return f"i-{index:017x}"


def fail(
    index: int, cause: str | None, *, check: str = "EFA-001", confidence: float | None = None
) -> Verdict:
    """A check that failed on a node."""
    subject = Subject("node", (node(index),))
    return Verdict(check, subject, Outcome.FAIL, "seen", cause=cause, confidence=confidence, remedy="Look.")


def of_cluster(cause: str) -> Verdict:
    """A check that failed for the cluster."""
    return Verdict("FAB-002", CLUSTER, Outcome.FAIL, "seen", cause=cause)


def of_link(*indices: int) -> Verdict:
    """A link that failed."""
    subject = Subject("link", tuple(node(index) for index in indices))
    return Verdict("FAB-002", subject, Outcome.FAIL, "seen", cause="link-slow")


def run(*verdicts: Verdict, nodes: int = 20, **changes: Any) -> RunResult:
    """A run over nodes of one pool, ended ten minutes ago."""
    values: dict[str, Any] = {
        "kind": "validate",
        "environment": "demo",
        "account": "123456789012",
        "region": "us-west-2",
        "simulated": True,
        "started_at": (NOW - timedelta(minutes=20)).isoformat(),
        "finished_at": (NOW - timedelta(minutes=10)).isoformat(),
        "complete": True,
        "required_checks": ["EFA-001"],
        "nodes": [
            NodeResult(node=node(i), hostname=f"h200-{i}", pool="h200", instance_type="p5en.48xlarge")
            for i in range(nodes)
        ],
        "verdicts": list(verdicts),
        "bandwidths": [],
        "rounds": [],
        "waivers": [],
    }
    return RunResult(**{**values, **changes})


def pool(**changes: Any) -> PoolManifest:
    """The pool."""
    values: dict[str, Any] = {
        "name": "h200",
        "instance_type": "p5en.48xlarge",
        "node_count_min": 4,
        "node_count_max": 32,
        "node_group_id": "pcs_1",
        "selection_tags": {"group": "pool"},
        "partitions": ["train"],
        "expected_gpus_per_node": 8,
        "expected_efas_per_node": 16,
        "capacity_source": "on-demand",
    }
    return PoolManifest(**{**values, **changes})


def manifest(*pools: PoolManifest) -> ClusterManifest:
    """What the deploy left behind."""
    return ClusterManifest(
        environment="demo",
        account="123456789012",
        region="us-west-2",
        zone_id="usw2-az2",
        orchestrator=Orchestrator(kind="slurm-pcs", cluster_id="pcs_c", cluster_name="demo", version="25.11"),
        pools=list(pools) or [pool()],
        login=LoginManifest(node_group_id="pcs_l", selection_tags={"group": "login"}),
        file_systems=[],
        observability=None,
        validation=ValidationManifest(
            result_bucket="bucket",
            command_document="doc",
            dcgm_level=2,
            collectives=["all_reduce"],
            waivers={},
            on_failure="drain",
        ),
    )


def instance(index: int, *, launched_at: datetime | None = None) -> Instance:
    """A node as EC2 tells it."""
    moment = launched_at or NOW - timedelta(days=2)
    return Instance(node(index), "p5en.48xlarge", f"10.0.0.{index + 1}", "running", moment)


def slurm(
    index: int,
    *,
    state: str = "IDLE",
    flags: Sequence[str] = ("CLOUD",),
    reason: str = "",
    allocated: str = "",
) -> SlurmNode:
    """A node as Slurm tells it."""
    return SlurmNode(
        name=f"h200-{index}",
        address=f"10.0.0.{index + 1}",
        hostname=f"h200-{index}",
        state=state,
        flags=tuple(flags),
        partitions=("train",),
        gres="gpu:8",
        allocated=allocated,
        reason=reason,
    )


def live(*, nodes: int = 20, without: Sequence[int] = (), **changed: Any) -> Live:
    """How things stand: all idle, but ``n3=slurm(3, …)`` and ``i3=instance(3, …)`` for single nodes."""
    instances = {node(i): changed.get(f"i{i}", instance(i)) for i in range(nodes) if i not in without}
    states = {f"10.0.0.{i + 1}": changed.get(f"n{i}", slurm(i)) for i in range(nodes)}
    return Live({"h200": instances}, {key: value for key, value in states.items() if value is not None})


def plan(
    result: RunResult, *, on_failure: Any = "drain", now_live: Live | None = None, **policy: Any
) -> ActionPlan:
    """The plan for a run."""
    deployed = manifest(*policy.pop("pools", ()))
    own = policy.pop("xid_policies", [])
    told = deployed.validation.model_copy(update={"xid_policies": own})
    return plan_actions(
        result=result,
        manifest=deployed.model_copy(update={"validation": told}),
        live=now_live or live(nodes=len(result.nodes)),
        policy=ActionPolicy(on_failure=on_failure, **policy),
        plan_id=PLAN_ID,
        now=NOW,
    )
