"""Whatever the environment file allows can be synthesised."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from bedplate.spec.loader import parse_environment
from tests.support.legal_environments import environments
from tests.support.locks import lock_for

EXPECTED = {"network", "storage", "orchestration", "observability", "validation"}


@pytest.mark.slow
@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(environments())
def test_legal_environments_always_synthesise(data: dict[str, Any]) -> None:
    """No environment that passes every rule is refused, or fails, while its stacks are made."""
    from aws_cdk import App

    from bedplate.stacks.environment_app import build_stacks

    environment = parse_environment(yaml.safe_dump(data), file="any.yaml")
    with TemporaryDirectory() as folder:
        app = App(outdir=folder)
        build_stacks(app, environment=environment, lock=lock_for(environment))
        stacks = [stack.stack_name for stack in app.synth().stacks]
    assert sorted(stacks) == sorted(f"bedplate-{environment.name}-{role}" for role in EXPECTED)
