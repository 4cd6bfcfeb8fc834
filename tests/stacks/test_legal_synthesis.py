"""Whatever the environment file allows can be synthesised, by the CDK as people run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from bedplate.spec.loader import parse_environment
from tests.support.legal_environments import environments

EXPECTED = {"network", "storage", "orchestration", "observability", "validation"}
WORKER = Path(__file__).parent / "legal_synthesis_worker.py"
Synthesise = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture
def synthesise(tmp_path: Path) -> Iterator[Synthesise]:
    """Send an environment to the worker, and get its answer."""
    told = tmp_path / "stderr"
    with (
        told.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(
            [sys.executable, str(WORKER)],
            env={name: value for name, value in os.environ.items() if name != "CDK_VALIDATION"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(data: dict[str, Any]) -> dict[str, Any]:
            process.stdin.write(json.dumps(data) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
            assert line, told.read_text(encoding="utf-8")[-2000:]
            answer: dict[str, Any] = json.loads(line)
            if "raised" in answer:  # the CDK prints what its validation finds
                answer["printed"] = told.read_text(encoding="utf-8")[-4000:]
            return answer

        yield ask


@pytest.mark.slow
def test_legal_environments_always_synthesise(synthesise: Synthesise) -> None:
    """No environment that passes every rule is refused, or fails, while its stacks are made and validated."""

    @settings(
        max_examples=50,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(environments())
    def hold(data: dict[str, Any]) -> None:
        environment = parse_environment(yaml.safe_dump(data), file="any.yaml")
        answer = synthesise(data)
        assert "raised" not in answer, f"{answer['raised']}\n{answer['printed']}"
        assert sorted(answer["stacks"]) == sorted(f"bedplate-{environment.name}-{role}" for role in EXPECTED)

    hold()


@pytest.mark.slow
def test_the_worker_has_the_cdk_validate(synthesise: Synthesise) -> None:
    """What a rule refuses because of the CDK's validation is refused by the worker, so validation is on."""
    pool = {
        "name": "h200",
        "instance_type": "p5en.48xlarge",
        "nodes": 2,
        "capacity": {"source": "on-demand"},
    }
    answer = synthesise(
        {
            "name": "refused",
            "account": "123456789012",
            "region": "us-west-1",
            "network": {
                "zone": "usw1-az1",
                "control_zones": ["usw1-az1", "usw1-az3"],
                "cidr": "10.40.0.0/16",
            },
            "pools": [pool],
            "orchestrator": {"kind": "slurm-pcs", "partitions": [{"name": "train", "pools": ["h200"]}]},
        }
    )
    assert "ValidationFailed" in answer["raised"]


@pytest.mark.slow
def test_what_training_plans_sell_passes_the_cdk(synthesise: Synthesise) -> None:
    """The CDK's table of HyperPod's types is made of on-demand prices, and knows none of these anywhere."""
    answer = synthesise(
        {
            "name": "planned",
            "account": "123456789012",
            "region": "us-west-2",
            "network": {
                "zone": "usw2-az2",
                "control_zones": ["usw2-az1", "usw2-az2"],
                "cidr": "10.40.0.0/16",
            },
            "pools": [
                {
                    "name": "h200",
                    "instance_type": "p5e.48xlarge",
                    "nodes": 2,
                    "capacity": {
                        "source": "training-plan",
                        "plan": "arn:aws:sagemaker:us-west-2:123456789012:training-plan/planned",
                    },
                }
            ],
            "orchestrator": {"kind": "slurm-hyperpod", "partitions": [{"name": "train", "pools": ["h200"]}]},
        }
    )
    assert "raised" not in answer, answer["raised"]
