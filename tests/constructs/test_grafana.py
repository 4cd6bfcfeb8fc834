"""A Grafana workspace, what it may read, and what fills it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Template = dict[str, Any]
Synthesise = Callable[[Callable[[Any], object]], Template]
METRICS = "arn:aws:aps:us-west-2:111122223333:workspace/ws-1"
GROUP = "a1b2c3d4e5-01234567-89ab-cdef-0123-456789abcdef"
FLEET = json.dumps({"uid": "bedplate-fleet", "title": "Fleet"})


def _workspace(**changes: Any) -> Callable[[Any], object]:
    def build(stack: Any) -> object:
        from bedplate.constructs.grafana_workspace import GrafanaWorkspace

        props = {"name": "proof", "version": "12.4", "metrics_arn": METRICS, "identity_center": True}
        return GrafanaWorkspace(stack, "Grafana", **{**props, **changes})

    return build


def _content(dashboards: dict[str, str] | None = None, **changes: Any) -> Callable[[Any], object]:
    def build(stack: Any) -> object:
        from bedplate.constructs.grafana_content import GrafanaContent

        return GrafanaContent(
            stack,
            "Content",
            workspace_id="g-0123456789",
            metrics_endpoint="https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-1/",
            dashboards={"bedplate-fleet": FLEET} if dashboards is None else dashboards,
            **changes,
        )

    return build


def _of(template: Template, type_: str) -> list[dict[str, Any]]:
    return [each["Properties"] for each in template["Resources"].values() if each["Type"] == type_]


def _statements(template: Template) -> dict[str, dict[str, Any]]:
    return {
        statement["Sid"]: statement
        for policy in _of(template, "AWS::IAM::ManagedPolicy")
        for statement in policy["PolicyDocument"]["Statement"]
    }


def test_a_workspace_by_identity_center(synthesise: Synthesise) -> None:
    """In this account, with a role of ours, of the version that is asked for, open to whoever can log in."""
    (made,) = _of(synthesise(_workspace()), "AWS::Grafana::Workspace")
    assert made["AuthenticationProviders"] == ["AWS_SSO"]
    assert (made["AccountAccessType"], made["PermissionType"]) == ("CURRENT_ACCOUNT", "CUSTOMER_MANAGED")
    assert (made["GrafanaVersion"], made["PluginAdminEnabled"]) == ("12.4", False)
    assert not {"SamlConfiguration", "NetworkAccessControl", "VpcConfiguration"} & set(made)


def test_a_workspace_by_saml(synthesise: Synthesise) -> None:
    """What the identity provider calls things, and whose roles are what."""

    def build(stack: Any) -> object:
        from bedplate.constructs.grafana_saml import GrafanaSaml

        saml = GrafanaSaml(
            metadata_url="https://idp.example.com/metadata",
            attributes={"role": "memberOf", "login": "mail"},
            admin_roles=["platform"],
            login_minutes=480,
        )
        return _workspace(identity_center=False, saml=saml)(stack)

    (made,) = _of(synthesise(build), "AWS::Grafana::Workspace")
    assert made["AuthenticationProviders"] == ["SAML"]
    assert made["SamlConfiguration"] == {
        "IdpMetadata": {"Url": "https://idp.example.com/metadata"},
        "AssertionAttributes": {"Role": "memberOf", "Login": "mail"},
        "RoleValues": {"Admin": ["platform"]},
        "LoginValidityDuration": 480,
    }


def test_bounded_access_and_a_vpc(synthesise: Synthesise) -> None:
    """Both lists are told where one is given, for AWS needs both; empty ones let nobody in."""
    build = _workspace(endpoint_ids=["vpce-1"], subnet_ids=["subnet-1", "subnet-2"], group_ids=["sg-1"])
    (made,) = _of(synthesise(build), "AWS::Grafana::Workspace")
    assert made["NetworkAccessControl"] == {"PrefixListIds": [], "VpceIds": ["vpce-1"]}
    assert made["VpcConfiguration"] == {
        "SubnetIds": ["subnet-1", "subnet-2"],
        "SecurityGroupIds": ["sg-1"],
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"identity_center": False}, "no users of its own"), ({"subnet_ids": ["subnet-1"]}, "go together")],
)
def test_what_makes_no_sense_is_refused(synthesise: Synthesise, changes: Any, words: str) -> None:
    """A workspace without a way in, and interfaces without a group."""
    with pytest.raises(ValueError, match=words):
        synthesise(_workspace(**changes))


@pytest.mark.parametrize("given", [{}, {"metadata_url": "https://x", "metadata_xml": "<x/>"}])
def test_saml_has_one_provider(given: dict[str, str]) -> None:
    """Neither none nor two."""
    from bedplate.constructs.grafana_saml import GrafanaSaml

    with pytest.raises(ValueError, match="one of metadata_url and metadata_xml"):
        GrafanaSaml(**given)


def test_the_role_reads_and_changes_nothing(synthesise: Synthesise) -> None:
    """One Prometheus workspace, and CloudWatch; for workspaces of this account and Region alone."""
    template = synthesise(_workspace())
    statements = _statements(template)
    assert set(statements) == {"QueryMetrics", "ShowAlerts", "ReadCloudWatch"}
    assert {statements[sid]["Resource"] for sid in ("QueryMetrics", "ShowAlerts")} == {METRICS}
    for statement in statements.values():
        for action in statement["Action"]:
            assert action.split(":")[1].startswith(("Get", "List", "Describe", "QueryMetrics")), action
    (role,) = _of(template, "AWS::IAM::Role")
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Condition"] == {
        "StringEquals": {"aws:SourceAccount": "111122223333"},
        "StringLike": {"aws:SourceArn": "arn:aws:grafana:us-west-2:111122223333:/workspaces/*"},
    }


def test_the_workspace_waits_for_its_rights(synthesise: Synthesise) -> None:
    """A workspace of a role without rights would show errors until the next request."""
    resources = synthesise(_workspace())["Resources"]
    (policy,) = [name for name, each in resources.items() if each["Type"] == "AWS::IAM::ManagedPolicy"]
    (made,) = [each for each in resources.values() if each["Type"] == "AWS::Grafana::Workspace"]
    assert policy in made["DependsOn"]


def test_content_is_told_with_its_digest(synthesise: Synthesise) -> None:
    """Data sources by their uids with the workspace's role, and dashboards by an asset of that digest."""
    (made,) = _of(
        synthesise(_content(permissions={"ADMIN": {"SSO_GROUP": (GROUP,)}}, plugin_admin=True)),
        "Custom::BedplateGrafana",
    )
    prometheus, cloudwatch = json.loads(made["Sources"])
    assert (prometheus["uid"], cloudwatch["uid"]) == ("bedplate-prometheus", "bedplate-cloudwatch")
    assert prometheus["jsonData"]["sigV4AuthType"] == "ec2_iam_role"
    assert prometheus["url"].endswith("/workspaces/ws-1/")
    assert json.loads(made["Permissions"]) == {"ADMIN": {"SSO_GROUP": [GROUP]}}
    assert json.loads(made["Configuration"]) == {
        "plugins": {"pluginAdminEnabled": True},
        "unifiedAlerting": {"enabled": True},
    }
    assert made["Uids"] == ["bedplate-fleet"]
    assert len(made["ContentSha256"]) == 64


def test_the_asset_is_what_the_digest_names(synthesise: Synthesise, tmp_path: Path) -> None:
    """The function refuses other bytes; a dashboard more is another digest, the same ones are the same."""
    import hashlib

    (made,) = _of(synthesise(_content()), "Custom::BedplateGrafana")
    (asset,) = (tmp_path / "assembly").glob("asset.*.json")
    assert hashlib.sha256(asset.read_bytes()).hexdigest() == made["ContentSha256"]
    assert json.loads(asset.read_bytes()) == {"bedplate-fleet": json.loads(FLEET)}
    respelt = {"bedplate-fleet": json.dumps(json.loads(FLEET), indent=4, sort_keys=True)}
    (again,) = _of(synthesise(_content(respelt)), "Custom::BedplateGrafana")
    assert again["ContentSha256"] == made["ContentSha256"]
    (other,) = _of(
        synthesise(_content({"bedplate-fleet": json.dumps({"title": "Fleet", "refresh": "1m"})})),
        "Custom::BedplateGrafana",
    )
    assert other["ContentSha256"] != made["ContentSha256"]


@pytest.mark.parametrize(
    ("uid", "dashboard", "words"),
    [
        ("bedplate-fleet", {"uid": "other", "title": "Fleet"}, "calls itself other"),
        ("bedplate-fleet", {"title": ""}, "has no title"),
        ("x" * 41, {"title": "Fleet"}, "1 to 40 characters"),
        ("bedplate-fleet", {"title": "Fleet", "__inputs": []}, "placeholders"),
        ("bedplate-fleet", {"title": "Fleet", "panels": [{"datasource": "${DS_AMP}"}]}, "placeholders"),
    ],
)
def test_dashboards_that_would_show_nothing_are_refused(
    synthesise: Synthesise, uid: str, dashboard: dict[str, Any], words: str
) -> None:
    """Before anything is deployed."""
    with pytest.raises(ValueError, match=words):
        synthesise(_content({uid: json.dumps(dashboard)}))


def test_a_dashboard_that_is_known_at_the_deploy_only_is_refused(synthesise: Synthesise) -> None:
    """Its digest would stay while it changes, and the change would never be shown."""

    def build(stack: Any) -> object:
        from aws_cdk import Fn

        return _content({"bedplate-fleet": Fn.import_value("x")})(stack)

    with pytest.raises(ValueError, match="is a token"):
        synthesise(build)


def test_the_function_may_fill_one_workspace(synthesise: Synthesise) -> None:
    """And reads its own asset; of Identity Center it may nothing where nobody is let in by it."""
    statements = _statements(synthesise(_content()))
    assert set(statements) == {"ReadDashboards", "FillWorkspace", "WriteOwnLog"}
    assert statements["FillWorkspace"]["Resource"].endswith(":/workspaces/g-0123456789")
    assert not any("*" in action for action in statements["FillWorkspace"]["Action"])
    people = _statements(synthesise(_content(permissions={"ADMIN": {"SSO_GROUP": [GROUP]}})))
    assert "AssignPeople" in people


def test_the_function_outlives_what_it_waits_for(synthesise: Synthesise) -> None:
    """Lambda's limit is over the waits of the handler, and CloudFormation's over Lambda's."""
    template = synthesise(_content())
    (function,) = _of(template, "AWS::Lambda::Function")
    (made,) = _of(template, "Custom::BedplateGrafana")
    assert 2 * 240 + 180 < function["Timeout"] <= 900
    assert int(made["ServiceTimeout"]) > function["Timeout"]


def test_a_function_in_a_vpc_has_its_own_way_in(synthesise: Synthesise) -> None:
    """It stands behind a group that admits nobody, and the endpoint answers that group alone."""

    def build(stack: Any) -> object:
        from bedplate.constructs.grafana_way_in import GrafanaWayIn

        way = GrafanaWayIn(stack, "Way", vpc_id="vpc-1", subnet_ids=["subnet-1", "subnet-2"])
        return _content(subnet_ids=["subnet-1", "subnet-2"], group_ids=[way.group_id])(stack)

    template = synthesise(build)
    (endpoint,) = _of(template, "AWS::EC2::VPCEndpoint")
    assert endpoint["ServiceName"] == "com.amazonaws.us-west-2.grafana-workspace"
    assert endpoint["PrivateDnsEnabled"] is True
    client, server = _of(template, "AWS::EC2::SecurityGroup")
    assert "SecurityGroupIngress" not in client
    (rule,) = server["SecurityGroupIngress"]
    assert (rule["FromPort"], rule["ToPort"]) == (443, 443)
    (function,) = _of(template, "AWS::Lambda::Function")
    assert function["VpcConfig"]["SecurityGroupIds"] == [rule["SourceSecurityGroupId"]]
    assert "StandInVpc" in _statements(template)
