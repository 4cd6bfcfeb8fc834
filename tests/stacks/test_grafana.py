"""What the file says of Grafana, in the observability stack and in the manifest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bedplate.constructs.grafana_content import CLOUDWATCH_UID, PROMETHEUS_UID
from bedplate.spec import load_environment
from bedplate.spec.grafana import ManagedGrafana
from bedplate.telemetry.dashboards import sources
from bedplate.telemetry.dashboards.catalogue import all_dashboards

PROD = Path(__file__).resolve().parents[2] / "environments" / "prod-slurm.yaml"
TYPES = ("AWS::Grafana::Workspace", "Custom::BedplateGrafana")


@pytest.fixture
def prod(assembly_of: Callable[[Path], Any]) -> Any:
    """The example with Identity Center."""
    return assembly_of(PROD)


@pytest.fixture
def closed(case: Callable[[str], Any]) -> Any:
    """The case with SAML, bounded access and a VPC."""
    return case("existing-vpc")


def _one(assembly: Any, type_: str) -> dict[str, Any]:
    (found,) = assembly.resources("observability", type_).values()
    properties: dict[str, Any] = found["Properties"]
    return properties


def test_without_a_word_there_is_no_workspace(demo: Any) -> None:
    """Neither workspace nor function nor output, and the manifest says so."""
    assert not any(demo.resources("observability", each) for each in TYPES)
    assert "GrafanaUrl" not in demo.templates["observability"].get("Outputs", {})
    assert _manifest(demo)["observability"]["grafana_workspace_id"] is None


def test_people_of_identity_center(prod: Any) -> None:
    """By their groups, each with its role; roles that nobody has are not told."""
    wanted = load_environment(PROD).observability.grafana
    assert isinstance(wanted, ManagedGrafana)
    assert wanted.identity_center is not None
    workspace, content = (_one(prod, each) for each in TYPES)
    assert workspace["AuthenticationProviders"] == ["AWS_SSO"]
    assert workspace["Name"] == "bedplate-prod"
    assert json.loads(content["Permissions"]) == {
        "ADMIN": {"SSO_GROUP": list(wanted.identity_center.admin_groups)},
        "VIEWER": {"SSO_GROUP": list(wanted.identity_center.viewer_groups)},
    }


def test_every_dashboard_is_deployed(prod: Any) -> None:
    """Those of the catalogue, all of them, under the uids of data sources that they name."""
    assert _one(prod, "Custom::BedplateGrafana")["Uids"] == sorted(all_dashboards())
    assert (sources.PROMETHEUS_UID, sources.CLOUDWATCH_UID) == (PROMETHEUS_UID, CLOUDWATCH_UID)


def test_people_and_validation_hear_where_it_is(prod: Any) -> None:
    """Outputs of the stack, and the manifest."""
    outputs = prod.templates["observability"]["Outputs"]
    assert outputs["GrafanaUrl"]["Value"]["Fn::GetAtt"][1] == "Url"
    assert outputs["GrafanaWorkspaceId"]["Value"] == {"Ref": _id(prod)}
    told = _manifest(prod)["observability"]
    assert told["grafana_url"]
    assert told["grafana_workspace_id"]


def test_saml_with_bounded_access(closed: Any) -> None:
    """The endpoint of what fills the workspace is let in beside those of people; nobody is assigned."""
    workspace, content = (_one(closed, each) for each in TYPES)
    assert workspace["AuthenticationProviders"] == ["SAML"]
    assert workspace["SamlConfiguration"]["LoginValidityDuration"] == 480
    assert workspace["SamlConfiguration"]["RoleValues"] == {"Admin": ["gpu-platform"], "Editor": ["research"]}
    (endpoint,) = closed.resources("observability", "AWS::EC2::VPCEndpoint")
    assert workspace["NetworkAccessControl"] == {
        "PrefixListIds": ["pl-0123456789abcdef0"],
        "VpceIds": [{"Ref": endpoint}, "vpce-0123456789abcdef0"],
    }
    assert len(workspace["VpcConfiguration"]["SubnetIds"]) == 2
    assert json.loads(content["Permissions"]) == {}
    functions = closed.resources("observability", "AWS::Lambda::Function").values()
    (filler,) = [each for each in functions if "Grafana" in each["Properties"]["Description"]]
    assert len(filler["Properties"]["VpcConfig"]["SubnetIds"]) == 2


def _id(assembly: Any) -> str:
    (found,) = assembly.resources("observability", "AWS::Grafana::Workspace")
    return str(found)


def _manifest(assembly: Any) -> dict[str, Any]:
    """The manifest with what is filled in at the deploy as a word."""
    (found,) = [
        each["Properties"]["Manifest"]
        for each in assembly.templates["validation"]["Resources"].values()
        if "Manifest" in each.get("Properties", {})
    ]
    pieces = [found] if isinstance(found, str) else found["Fn::Join"][1]
    manifest: dict[str, Any] = json.loads(
        "".join(piece if isinstance(piece, str) else "filled-in" for piece in pieces)
    )
    return manifest
