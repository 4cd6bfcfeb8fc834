"""Preflight's questions about Grafana, asked of the stand-in through boto3."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.spec.loader import load_environment
from tests.sandbox.resources.grafana_stack import ROLE, workspace
from tests.sandbox.stand_in import REGION, StandIn

PROD = Path(__file__).parents[3] / "environments" / "prod-slurm.yaml"


@pytest.fixture(autouse=True)
def _pointed(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")


def _asked(check_id: str) -> Verdict:
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.preflight import CHECKS
    from bedplate.validation.preflight.context import Preflight

    (module,) = [each for each in CHECKS if each.ROW.id == check_id]
    environment = load_environment(PROD)
    assert module.applies(environment)
    verdicts: list[Verdict] = module.check(Preflight(environment, AwsClients(region=REGION)))
    (verdict,) = verdicts
    return verdict


def test_identity_center_is_found_and_missed(stand_in: StandIn) -> None:
    """The request is one that AWS's model knows, and an account without it fails."""
    assert _asked("PRE-041").outcome is Outcome.PASS
    stand_in.options(identity_center="none")
    assert _asked("PRE-041").outcome is Outcome.FAIL


def test_workspaces_are_counted_against_the_quota(stand_in: StandIn) -> None:
    """One that is there counts, also one of another stack."""
    stack = stand_in.create({"Role": ROLE, "Workspace": workspace()})
    stand_in.options(quotas={"L-2C2D5119": 2})
    assert _asked("PRE-042").outcome is Outcome.PASS
    stand_in.options(quotas={"L-2C2D5119": 1})
    verdict = _asked("PRE-042")
    assert verdict.outcome is Outcome.FAIL
    assert "1 asked for + 1 in use" in verdict.summary
    stand_in.delete(stack)
