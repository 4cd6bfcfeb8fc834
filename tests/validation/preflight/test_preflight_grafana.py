"""PRE-041 and PRE-042: what a Grafana workspace needs of the account."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.spec.grafana import ManagedGrafana
from bedplate.spec.grafana_login import IdentityCenter, Saml
from bedplate.spec.observability import Observability
from bedplate.validation.preflight.run import run_preflight
from tests.validation.preflight.fake_aws import FakeAws, preflight_of, quota, refusal

INSTANCE = {
    "InstanceArn": "arn:aws:sso:::instance/ssoins-0123456789abcdef",
    "OwnerAccountId": "999999999999",
    "Status": "ACTIVE",
}
GROUP = "01234567-89ab-cdef-0123-456789abcdef"
BY_CENTER = ManagedGrafana(kind="managed", identity_center=IdentityCenter(admin_groups=(GROUP,)))
BY_SAML = ManagedGrafana(kind="managed", saml=Saml(metadata_url="https://idp.example.com/metadata"))


def _workspace(**tags: str) -> dict[str, Any]:
    return {"id": "g-0123456789", "tags": tags}


@pytest.fixture
def aws() -> FakeAws:
    """An account that sees an instance, with two workspaces of others."""
    fake = FakeAws()
    fake.tables["sso_admin"] = {"list_instances": {"Instances": [INSTANCE]}}
    fake.tables["grafana"] = {"list_workspaces": {"workspaces": [_workspace(), _workspace(team="a")]}}
    fake.limits["L-2C2D5119"] = ("Number of workspaces", 5.0)
    return fake


def _verdicts(aws: FakeAws, grafana: ManagedGrafana | None) -> dict[str, Verdict]:
    changes = {"observability": Observability(grafana=grafana)} if grafana else {}
    verdicts = run_preflight(preflight_of(aws, **changes)).verdicts
    return {each.check_id: each for each in verdicts if each.check_id in ("PRE-041", "PRE-042")}


def test_an_account_with_all_that_it_takes_passes(aws: FakeAws) -> None:
    """The instance is named, and so is what the quota holds."""
    verdicts = _verdicts(aws, BY_CENTER)
    assert {each.outcome for each in verdicts.values()} == {Outcome.PASS}
    assert "ssoins-0123456789abcdef of account 999999999999" in verdicts["PRE-041"].summary
    assert "1 asked for + 2 in use = 3 of 5 workspaces" in verdicts["PRE-042"].summary


def test_who_has_no_grafana_is_not_asked(aws: FakeAws) -> None:
    """Nor is Identity Center looked for where people come in by SAML."""
    assert _verdicts(aws, None) == {}
    assert set(_verdicts(aws, BY_SAML)) == {"PRE-042"}


@pytest.mark.parametrize(
    ("instances", "words"),
    [
        ([], "the account sees no instance"),
        ([{**INSTANCE, "Status": "CREATE_IN_PROGRESS"}], "is CREATE_IN_PROGRESS, not ACTIVE"),
        ([{"InstanceArn": INSTANCE["InstanceArn"]}], "is of no known status, not ACTIVE"),
    ],
)
def test_without_identity_center_the_ways_on_are_told(
    aws: FakeAws, instances: list[dict[str, str]], words: str
) -> None:
    """Enable it, come in by SAML, or do without; what AWS does not say is no pass."""
    aws.tables["sso_admin"]["list_instances"] = {"Instances": instances}
    verdict = _verdicts(aws, BY_CENTER)["PRE-041"]
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary
    for way in ("management account", "`saml:`", "`grafana: {kind: none}`"):
        assert way in verdict.remedy


def test_one_active_instance_is_enough(aws: FakeAws) -> None:
    """An account may see one of its own, half made, beside the organisation's."""
    half_made = {**INSTANCE, "Status": "CREATE_FAILED"}
    aws.tables["sso_admin"]["list_instances"] = {"Instances": [half_made, INSTANCE]}
    assert _verdicts(aws, BY_CENTER)["PRE-041"].outcome is Outcome.PASS


def test_all_regions_are_asked(aws: FakeAws) -> None:
    """Identity Center is in one Region, which need not be the cluster's."""
    asked: list[dict[str, Any]] = []

    def listed(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request)
        return {"Instances": [INSTANCE]}

    aws.tables["sso_admin"]["list_instances"] = listed
    assert _verdicts(aws, BY_CENTER)["PRE-041"].outcome is Outcome.PASS
    assert asked == [{"RegionScope": "ALL_REGIONS"}]


def test_a_full_account_fails(aws: FakeAws) -> None:
    """The remedy is the command that asks for more; the environment's own workspace is not counted twice."""
    aws.tables["grafana"]["list_workspaces"] = {"workspaces": [_workspace()] * 5}
    verdict = _verdicts(aws, BY_SAML)["PRE-042"]
    assert verdict.outcome is Outcome.FAIL
    assert "--service-code grafana --quota-code L-2C2D5119 --desired-value 6" in verdict.remedy
    mine = _workspace(**{"bedplate:environment": "demo"})
    aws.tables["grafana"]["list_workspaces"] = {"workspaces": [*[_workspace()] * 4, mine]}
    assert _verdicts(aws, BY_SAML)["PRE-042"].outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("service", "operation"), [("sso_admin", "list_instances"), ("grafana", "list_workspaces")]
)
def test_what_aws_does_not_let_us_ask_is_an_error(aws: FakeAws, service: str, operation: str) -> None:
    """A denial is neither a pass nor a fail."""
    aws.tables[service][operation] = refusal("AccessDeniedException")
    verdict = _verdicts(aws, BY_CENTER)[{"sso_admin": "PRE-041", "grafana": "PRE-042"}[service]]
    assert verdict.outcome is Outcome.ERROR


def test_the_quota_of_the_account_counts(aws: FakeAws) -> None:
    """A raised quota is the one that is held."""
    aws.tables["grafana"]["list_workspaces"] = {"workspaces": [_workspace()] * 5}
    aws.tables["quotas"]["get_service_quota"] = lambda request: quota(
        request["QuotaCode"], *aws.limits.get(request["QuotaCode"], ("x", 1e9))
    )
    aws.limits["L-2C2D5119"] = ("Number of workspaces", 10.0)
    assert _verdicts(aws, BY_SAML)["PRE-042"].outcome is Outcome.PASS
