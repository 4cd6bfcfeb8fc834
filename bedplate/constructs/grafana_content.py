"""What lies in a Grafana workspace: data sources, dashboards, and who may do what."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aws_cdk import CustomResource, Duration, RemovalPolicy, Stack, Token
from constructs import Construct

from bedplate.constructs.file_asset import FileAsset
from bedplate.constructs.handler_function import HandlerFunction
from bedplate.constructs.partition import partition_of

TIMEOUT_SECONDS = 720
"""Longer than the function waits: 240 s twice for the workspace, 180 s for Grafana."""
PROMETHEUS_UID = "bedplate-prometheus"
CLOUDWATCH_UID = "bedplate-cloudwatch"
"""What dashboards name their data sources by."""
LONGEST_UID = 40
"""Grafana's HTTP API, dashboards and folders."""

# No public page says which of these UpdatePermissions uses: they are those of AWS's own policy for it,
# AWSGrafanaWorkspacePermissionManagementV2, and of application assignments, which a workspace's users are.
IDENTITY_CENTER = (
    "sso-directory:DescribeGroup",
    "sso-directory:DescribeUser",
    "sso:CreateApplicationAssignment",
    "sso:DeleteApplicationAssignment",
    "sso:DescribeRegisteredRegions",
    "sso:GetManagedApplicationInstance",
    "sso:GetProfile",
    "sso:GetSharedSsoConfiguration",
    "sso:ListDirectoryAssociations",
    "sso:ListProfileAssociations",
    "sso:ListProfiles",
)
PROVISION = (
    "grafana:CreateWorkspaceServiceAccount",
    "grafana:CreateWorkspaceServiceAccountToken",
    "grafana:DeleteWorkspaceServiceAccount",
    "grafana:DeleteWorkspaceServiceAccountToken",
    "grafana:DescribeWorkspace",
    "grafana:DescribeWorkspaceConfiguration",
    "grafana:ListPermissions",
    "grafana:ListWorkspaceServiceAccountTokens",
    "grafana:ListWorkspaceServiceAccounts",
    "grafana:UpdatePermissions",
    "grafana:UpdateWorkspaceConfiguration",
)


class GrafanaContent(Construct):
    """Fills a workspace by one function, at each deploy that changes what is wanted.

    ``dashboards`` maps a uid to a dashboard's JSON text, without placeholders for data sources: they name
    ``bedplate-prometheus`` and ``bedplate-cloudwatch``, which are made here, with the workspace's role.
    ``permissions`` maps ADMIN, EDITOR and VIEWER to SSO_GROUP and SSO_USER to ids of IAM Identity Center.

    The function makes a service account and a token of five minutes, and deletes both whatever happens. A
    dashboard that Grafana refuses fails the deploy with Grafana's words. What people made in the workspace
    stays. For a workspace with bounded access ``subnet_ids`` and ``group_ids`` put the function into a VPC
    that is let in (``GrafanaWayIn``); else they are left out.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        workspace_id: str,
        metrics_endpoint: str,
        dashboards: Mapping[str, str],
        folder_uid: str = "bedplate",
        folder_title: str = "Bedplate",
        permissions: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
        plugin_admin: bool = False,
        subnet_ids: Sequence[str] = (),
        group_ids: Sequence[str] = (),
    ) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        text = content_text(dashboards)
        with tempfile.TemporaryDirectory(prefix="bedplate-dashboards-") as folder:
            path = Path(folder) / "dashboards.json"
            path.write_text(text, encoding="utf-8")
            # The asset is copied into the cloud assembly at once, so the folder may go.
            asset = FileAsset(self, "Dashboards", path=path, kind="file")
        partition = partition_of(stack)
        home = f"arn:{partition}:grafana:{stack.region}:{stack.account}:/workspaces/"
        statements: list[dict[str, Any]] = [
            {
                "Sid": "ReadDashboards",
                "Effect": "Allow",
                "Action": "s3:GetObject",
                "Resource": f"arn:{partition}:s3:::{asset.bucket_name}/{asset.key}",
            },
            {
                "Sid": "FillWorkspace",
                "Effect": "Allow",
                "Action": list(PROVISION),
                "Resource": f"{home}{workspace_id}",
            },
        ]
        if permissions:
            statements.append(
                {
                    "Sid": "AssignPeople",
                    "Effect": "Allow",
                    "Action": list(IDENTITY_CENTER),
                    "Resource": "*",
                }
            )
        function = HandlerFunction(
            self,
            "Provisioner",
            folder="grafana_content",
            handler="index.handler",
            description="Puts data sources and dashboards into a Grafana workspace",
            timeout_seconds=TIMEOUT_SECONDS,
            statements=statements,
            subnet_ids=subnet_ids,
            group_ids=group_ids,
        )
        self.function_name: str = function.function_name
        """The function that fills the workspace."""
        self.resource = CustomResource(
            self,
            "Content",
            resource_type="Custom::BedplateGrafana",
            service_token=function.function_arn,
            removal_policy=RemovalPolicy.DESTROY,
            service_timeout=Duration.seconds(TIMEOUT_SECONDS + 60),
            properties={
                "WorkspaceId": workspace_id,
                # AWS has classic alerts switched on where this says nothing; they show none of Prometheus's.
                "Configuration": json.dumps(
                    {"plugins": {"pluginAdminEnabled": plugin_admin}, "unifiedAlerting": {"enabled": True}}
                ),
                "Permissions": json.dumps(permissions or {}, sort_keys=True, default=list),
                "FolderUid": folder_uid,
                "FolderTitle": folder_title,
                "Sources": stack.to_json_string(
                    data_sources(metrics_endpoint=metrics_endpoint, region=stack.region)
                ),
                "Content": {"Bucket": asset.bucket_name, "Key": asset.key},
                "ContentSha256": hashlib.sha256(text.encode()).hexdigest(),
                "Uids": sorted(dashboards),
            },
        )
        """The content; whatever people need first is made before it."""
        self.url: str = self.resource.get_att_string("Url")
        """Where people open it."""


def content_text(dashboards: Mapping[str, str]) -> str:
    """One JSON object of all dashboards, the same for the same dashboards. Refuses what Grafana would not
    take, or would take and then show nothing by.
    """
    content = {}
    for uid, text in sorted(dashboards.items()):
        if Token.is_unresolved(text):
            raise ValueError(f"dashboard {uid} is a token: its digest would not follow it")
        if not 0 < len(uid) <= LONGEST_UID:
            raise ValueError(f"dashboard {uid}: a uid has 1 to {LONGEST_UID} characters")
        dashboard = json.loads(text)
        if dashboard.get("uid", uid) != uid:
            raise ValueError(f"dashboard {uid} calls itself {dashboard['uid']}")
        if not dashboard.get("title"):
            raise ValueError(f"dashboard {uid} has no title")
        # The HTTP API fills no placeholder of an export (grafana/grafana #10786).
        if "__inputs" in dashboard or "${DS_" in text:
            raise ValueError(f"dashboard {uid} is an export with placeholders for data sources")
        content[uid] = dashboard
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def data_sources(*, metrics_endpoint: str, region: str) -> list[dict[str, Any]]:
    """The data sources as Grafana's HTTP API takes them; both sign with the workspace's own role."""
    return [
        {
            "uid": PROMETHEUS_UID,
            "name": "Bedplate Prometheus",
            "type": "prometheus",
            "access": "proxy",
            "url": metrics_endpoint,
            "isDefault": True,
            "jsonData": {
                "httpMethod": "POST",
                "sigV4Auth": True,
                "sigV4AuthType": "ec2_iam_role",
                "sigV4Region": region,
                "manageAlerts": True,
            },
        },
        {
            "uid": CLOUDWATCH_UID,
            "name": "Bedplate CloudWatch",
            "type": "cloudwatch",
            "access": "proxy",
            "isDefault": False,
            "jsonData": {"authType": "ec2_iam_role", "defaultRegion": region},
        },
    ]
