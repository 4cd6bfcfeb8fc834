"""A Grafana workspace and its content: the real handler, run in a child process, against a played Grafana."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.resources.grafana_stack import (
    GROUP,
    OTHER_SOURCE,
    ROLE,
    SOURCE,
    dashboard,
    filled,
    upload_handler,
    workspace,
)
from tests.sandbox.stand_in import StandIn, outputs

FLEET, GPUS = dashboard("bedplate-fleet", "Fleet"), dashboard("bedplate-gpus", "GPUs")
BOTH = {"bedplate-fleet": FLEET, "bedplate-gpus": GPUS}
URL = {"Url": {"Value": {"Fn::GetAtt": ["Content", "Url"]}}}
PUSH = "POST /api/dashboards/db"
pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module", autouse=True)
def _handler(stand_in_server: StandIn) -> None:
    upload_handler(stand_in_server)


class Grafana:
    """What the played workspace of a stack holds, as AWS's API and Grafana's own tell it."""

    def __init__(self, stand_in: StandIn, stack: str) -> None:
        self.client = stand_in.client("grafana")
        self.id = stand_in.physical_id(stack, "Workspace")
        self.ids = {"workspaceId": self.id}

    def permissions(self) -> dict[str, str]:
        """Principal → role."""
        found = self.client.list_permissions(**self.ids)["permissions"]
        return {each["user"]["id"]: each["role"] for each in found}

    def accounts(self) -> list[str]:
        """Names of service accounts, each of which could have tokens."""
        found = self.client.list_workspace_service_accounts(**self.ids)["serviceAccounts"]
        return [each["name"] for each in found]

    def page(self, path: str, body: object = None) -> Any:
        """A page of Grafana's HTTP API, or its status where that is no 200; what is sent is posted. The token
        is deleted again.
        """
        account = self.client.create_workspace_service_account(**self.ids, name="test", grafanaRole="ADMIN")
        of_account = {**self.ids, "serviceAccountId": account["id"]}
        key = self.client.create_workspace_service_account_token(**of_account, name="test", secondsToLive=60)
        endpoint = self.client.describe_workspace(**self.ids)["workspace"]["endpoint"]
        request = urllib.request.Request(
            f"{endpoint}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {key['serviceAccountToken']['key']}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code
        finally:
            self.client.delete_workspace_service_account(**of_account)

    def versions(self) -> dict[str, int]:
        """Uid → how often the dashboard was saved."""
        return {
            each["uid"]: self.page(f"/api/dashboards/uid/{each['uid']}")["dashboard"]["version"]
            for each in self.page("/api/search?folderUIDs=bedplate")
        }


@pytest.fixture
def made(stand_in: StandIn) -> Iterator[tuple[str, Grafana]]:
    """A stack with a filled workspace, and what is in it; deleted afterwards."""
    stack = stand_in.create(filled(stand_in, BOTH), Outputs=URL)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    grafana = Grafana(stand_in, stack["StackName"])
    assert outputs(stack)["Url"].endswith(grafana.id)
    yield stack["StackName"], grafana
    stand_in.options()
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"


def test_a_workspace_is_filled(made: tuple[str, Grafana]) -> None:
    """Configuration, people, folder, data sources and dashboards are there, and no token is left."""
    _, grafana = made
    told = grafana.client.describe_workspace_configuration(**grafana.ids)["configuration"]
    assert '"unifiedAlerting": {"enabled": true}' in told
    assert '"pluginAdminEnabled": true' in told
    assert grafana.permissions() == {GROUP: "ADMIN"}
    assert grafana.accounts() == []
    assert grafana.page("/api/folders/bedplate")["title"] == "Bedplate"
    for source in (SOURCE, OTHER_SOURCE):
        assert grafana.page(f"/api/datasources/uid/{source['uid']}")["type"] == source["type"]
    assert grafana.versions() == {"bedplate-fleet": 1, "bedplate-gpus": 1}


def test_an_update_changes_adds_and_removes(stand_in: StandIn, made: tuple[str, Grafana]) -> None:
    """A changed dashboard has a new version, one that is no longer named is gone, and so is a data source;
    people and titles follow.
    """
    stack, grafana = made
    user = "01234567-89ab-cdef-0123-456789abcdef"
    changed = {"bedplate-fleet": dashboard("bedplate-fleet", "The fleet")}
    resources = filled(
        stand_in,
        changed,
        sources=[SOURCE],
        permissions={"ADMIN": {"SSO_USER": [user]}, "VIEWER": {"SSO_GROUP": [GROUP]}},
        title="Cluster",
    )
    assert stand_in.update(stack, resources, Outputs=URL)["StackStatus"] == "UPDATE_COMPLETE"
    assert grafana.versions() == {"bedplate-fleet": 2}
    assert grafana.page("/api/dashboards/uid/bedplate-fleet")["dashboard"]["title"] == "The fleet"
    assert grafana.page("/api/dashboards/uid/bedplate-gpus") == 404
    assert grafana.page("/api/datasources/uid/bedplate-cloudwatch") == 404
    assert grafana.page("/api/folders/bedplate")["title"] == "Cluster"
    assert grafana.permissions() == {user: "ADMIN", GROUP: "VIEWER"}
    assert grafana.accounts() == []


def test_the_same_again_asks_nothing(stand_in: StandIn, made: tuple[str, Grafana]) -> None:
    """An update without a change does not save dashboards anew."""
    stack, grafana = made
    with pytest.raises(ClientError, match="No updates are to be performed"):
        stand_in.update(stack, filled(stand_in, BOTH), Outputs=URL)
    assert grafana.versions() == {"bedplate-fleet": 1, "bedplate-gpus": 1}


@pytest.mark.parametrize(
    ("status", "message"), [(500, "database is locked"), (400, "bad request data"), (403, "no right")]
)
def test_a_refused_push_fails_the_deploy_with_the_reason(
    stand_in: StandIn, status: int, message: str
) -> None:
    """Grafana's words are the stack's reason, the roll-back ends, and nothing is left of the token."""
    stand_in.options(grafana_answers={PUSH: {"status": status, "message": message}})
    stack = stand_in.create(filled(stand_in, BOTH), options={"OnFailure": "ROLLBACK"})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert f"Grafana answered {status} to {PUSH}: {message}" in stand_in.reasons(stack["StackName"])
    assert stand_in.client("grafana").list_workspaces()["workspaces"] == []


def test_a_refused_push_of_an_update_leaves_what_was_there(
    stand_in: StandIn, made: tuple[str, Grafana]
) -> None:
    """The update fails with the reason; the token is gone and the old dashboards are there."""
    stack, grafana = made
    stand_in.options(grafana_answers={PUSH: {"status": 500, "message": "disk full"}})
    new = {**BOTH, "bedplate-jobs": dashboard("bedplate-jobs", "Jobs")}
    status = stand_in.update(stack, filled(stand_in, new), Outputs=URL)["StackStatus"]
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert "disk full" in stand_in.reasons(stack)
    assert grafana.accounts() == []
    assert set(grafana.versions()) == set(BOTH)


def test_a_stranger_among_the_admins_fails_the_deploy(stand_in: StandIn) -> None:
    """UpdatePermissions answers well and tells errors beside; they are read."""
    stand_in.options(identity_center_unknown=[GROUP])
    stack = stand_in.create(filled(stand_in, BOTH))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert f"ADD ADMIN for SSO_GROUP {GROUP}: 404 User or group was not found" in stand_in.reasons(
        stack["StackName"]
    )


def test_without_content_the_workspace_is_empty(stand_in: StandIn, made: tuple[str, Grafana]) -> None:
    """Folder, data sources, dashboards and people go with the content, the workspace does not."""
    stack, grafana = made
    resources = filled(stand_in, BOTH)
    del resources["Content"]
    assert stand_in.update(stack, resources)["StackStatus"] == "UPDATE_COMPLETE"
    assert grafana.page("/api/search") == []
    assert grafana.page("/api/folders/bedplate") == 404
    assert grafana.page("/api/datasources/uid/bedplate-prometheus") == 404
    assert grafana.permissions() == {}
    assert grafana.accounts() == []


def test_what_people_made_in_the_folder_stays(stand_in: StandIn, made: tuple[str, Grafana]) -> None:
    """Somebody's own dashboard and somebody's right survive our content, and keep the folder."""
    stack, grafana = made
    own = {"dashboard": dashboard("somebodys", "My own"), "folderUid": "bedplate"}
    assert grafana.page("/api/dashboards/db", own)["status"] == "success"
    guest = {"type": "SSO_USER", "id": "01234567-89ab-cdef-0123-456789abcdef"}
    by_hand = [{"action": "ADD", "role": "VIEWER", "users": [guest]}]
    grafana.client.update_permissions(**grafana.ids, updateInstructionBatch=by_hand)
    resources = filled(stand_in, {"bedplate-fleet": FLEET})
    stand_in.update(stack, resources, Outputs=URL)
    assert set(grafana.versions()) == {"bedplate-fleet", "somebodys"}
    del resources["Content"]
    assert stand_in.update(stack, resources)["StackStatus"] == "UPDATE_COMPLETE"
    assert grafana.versions() == {"somebodys": 1}
    assert grafana.permissions() == {guest["id"]: "VIEWER"}


def test_a_workspace_with_bounded_access_is_filled_from_the_vpc(stand_in: StandIn) -> None:
    """The endpoint is let in, and the function stands behind it; both are told as AWS tells them."""
    resources = filled(stand_in, BOTH)
    resources.update(_network())
    resources["Workspace"] = workspace(
        NetworkAccessControl={"PrefixListIds": ["pl-0123456789abcdef0"], "VpceIds": [{"Ref": "Endpoint"}]},
        VpcConfiguration={
            "SubnetIds": [{"Ref": "SubnetA"}, {"Ref": "SubnetB"}],
            "SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}],
        },
    )
    resources["Function"]["Properties"]["VpcConfig"] = {
        "SubnetIds": [{"Ref": "SubnetA"}, {"Ref": "SubnetB"}],
        "SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}],
    }
    stack = stand_in.create(resources, Outputs=URL)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    grafana = Grafana(stand_in, stack["StackName"])
    told = grafana.client.describe_workspace(**grafana.ids)["workspace"]
    assert told["networkAccessControl"] == {
        "prefixListIds": ["pl-0123456789abcdef0"],
        "vpceIds": [stand_in.physical_id(stack["StackName"], "Endpoint")],
    }
    assert len(told["vpcConfiguration"]["subnetIds"]) == 2
    assert set(grafana.versions()) == set(BOTH)
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"


def _network() -> dict[str, Any]:
    vpc = {"VpcId": {"Ref": "Vpc"}}
    subnets = {
        f"Subnet{letter}": {
            "Type": "AWS::EC2::Subnet",
            "Properties": {
                **vpc,
                "CidrBlock": f"10.0.{number}.0/24",
                "AvailabilityZoneId": f"usw2-az{number}",
            },
        }
        for number, letter in enumerate("AB", start=1)
    }
    return {
        "Vpc": {
            "Type": "AWS::EC2::VPC",
            "Properties": {"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": True, "EnableDnsHostnames": True},
        },
        **subnets,
        "Group": {
            "Type": "AWS::EC2::SecurityGroup",
            "Properties": {**vpc, "GroupDescription": "what fills the workspace"},
        },
        "Endpoint": {
            "Type": "AWS::EC2::VPCEndpoint",
            "Properties": {
                **vpc,
                "ServiceName": "com.amazonaws.us-west-2.grafana-workspace",
                "VpcEndpointType": "Interface",
                "PrivateDnsEnabled": True,
                "SubnetIds": [{"Ref": "SubnetA"}, {"Ref": "SubnetB"}],
                "SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}],
            },
        },
    }


@pytest.mark.parametrize(
    ("changes", "options", "word"),
    [
        ({}, {"identity_center": "none"}, "SSO is not enabled in any region"),
        ({"GrafanaVersion": "11.6"}, {}, "Grafana version 11.6 is not supported"),
        ({"PermissionType": "SERVICE_MANAGED"}, {}, "a Workspace Role ARN should be provided"),
        (
            {
                "AuthenticationProviders": ["SAML"],
                "SamlConfiguration": {"IdpMetadata": {"Url": "https://x", "Xml": "<x/>"}},
            },
            {},
            "IdpMetadata is a Url or an Xml",
        ),
    ],
)
def test_what_aws_refuses_of_a_workspace(
    stand_in: StandIn, changes: dict[str, Any], options: dict[str, Any], word: str
) -> None:
    """No Identity Center, a version that AWS skipped, a role of AWS's own, and metadata from two places."""
    stand_in.options(**options)
    stack = stand_in.create({"Role": ROLE, "Workspace": workspace(**changes)})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])


def test_a_workspace_is_never_downgraded(stand_in: StandIn) -> None:
    """From 10.4 to 12.4 it goes in place, and back it does not."""
    stack = stand_in.create({"Role": ROLE, "Workspace": workspace(GrafanaVersion="10.4")})
    name = stack["StackName"]
    before = stand_in.physical_id(name, "Workspace")
    assert stand_in.update(name, {"Role": ROLE, "Workspace": workspace()})["StackStatus"] == "UPDATE_COMPLETE"
    assert stand_in.physical_id(name, "Workspace") == before
    stand_in.update(name, {"Role": ROLE, "Workspace": workspace(GrafanaVersion="10.4")})
    assert "cannot be downgraded" in stand_in.reasons(name)
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
