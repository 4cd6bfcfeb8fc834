"""A run's outcome as CloudWatch metrics: few, each a count that can be alarmed on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from bedplate.diagnosis.verdict import Outcome
from bedplate.validation.aws import AwsClients, aws_errors
from bedplate.validation.judgement import judge
from bedplate.validation.result import RunResult

NAMESPACE = "Bedplate/Validation"
"""The runner's role may put metrics into this namespace and no other."""


@dataclass(frozen=True)
class Metric:
    """One figure; ``unit`` is CloudWatch's own word."""

    name: str
    value: float
    unit: str


def metrics_of(result: RunResult) -> tuple[Metric, ...]:
    """The figures of one run. ``Passed`` is 1 for a pass and 0 for anything else."""
    judgement = judge(result=result)
    outcomes = Counter(verdict.outcome for verdict in result.verdicts)
    begun, ended = datetime.fromisoformat(result.started_at), datetime.fromisoformat(result.finished_at)
    return (
        Metric("Passed", float(judgement.passed), "Count"),
        Metric("Nodes", len(result.nodes), "Count"),
        Metric("Faults", len(judgement.faults), "Count"),
        Metric("FailedChecks", outcomes[Outcome.FAIL], "Count"),
        Metric("ErrorChecks", outcomes[Outcome.ERROR], "Count"),
        Metric("NotTestedChecks", outcomes[Outcome.NOT_TESTED], "Count"),
        Metric("Duration", max((ended - begun).total_seconds(), 0.0), "Seconds"),
    )


def put_metrics(*, clients: AwsClients, result: RunResult) -> None:
    """Put the run's figures. Raises ``AwsRefused`` where CloudWatch does not take them."""
    with aws_errors(f"putting metrics into {NAMESPACE}"):
        clients.cloudwatch.put_metric_data(
            Namespace=NAMESPACE,
            MetricData=[
                {
                    "MetricName": one.name,
                    "Dimensions": [{"Name": "Environment", "Value": result.environment}],
                    "Timestamp": datetime.fromisoformat(result.finished_at),
                    "Value": one.value,
                    "Unit": one.unit,
                }
                for one in metrics_of(result)
            ],
        )
