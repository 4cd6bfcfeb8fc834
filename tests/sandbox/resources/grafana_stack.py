"""A Grafana workspace as a template, with the real handler that fills it and dashboards in a bucket."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.sandbox.stand_in import StandIn

HANDLER = Path(__file__).parents[3] / "bedplate/constructs/handlers/grafana_content"
BUCKET = "grafana-assets"
GROUP = "a1b2c3d4e5-01234567-89ab-cdef-0123-456789abcdef"
SOURCE = {"uid": "bedplate-prometheus", "name": "Prometheus", "type": "prometheus", "access": "proxy"}
OTHER_SOURCE = {"uid": "bedplate-cloudwatch", "name": "CloudWatch", "type": "cloudwatch", "access": "proxy"}
ROLE = {
    "Type": "AWS::IAM::Role",
    "Properties": {"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": []}},
}


def dashboard(uid: str, title: str) -> dict[str, Any]:
    """A dashboard that shows nothing."""
    return {"uid": uid, "title": title, "schemaVersion": 41, "panels": []}


def upload_handler(stand_in: StandIn) -> None:
    """Put the handler, zipped as the CDK does it, into a bucket."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for each in HANDLER.glob("*.py"):
            archive.write(each, each.name)
    s3 = stand_in.client("s3")
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    s3.put_object(Bucket=BUCKET, Key="code.zip", Body=buffer.getvalue())


def workspace(**changes: Any) -> dict[str, Any]:
    """The workspace's resource."""
    return {
        "Type": "AWS::Grafana::Workspace",
        "Properties": {
            "Name": "proof",
            "AccountAccessType": "CURRENT_ACCOUNT",
            "PermissionType": "CUSTOMER_MANAGED",
            "AuthenticationProviders": ["AWS_SSO"],
            "GrafanaVersion": "12.4",
            "RoleArn": {"Fn::GetAtt": ["Role", "Arn"]},
            **changes,
        },
    }


def filled(
    stand_in: StandIn,
    dashboards: Mapping[str, Mapping[str, Any]],
    *,
    sources: Sequence[Mapping[str, Any]] = (SOURCE, OTHER_SOURCE),
    permissions: Mapping[str, Any] | None = None,
    title: str = "Bedplate",
) -> dict[str, Any]:
    """A workspace with this content."""
    body = json.dumps(dashboards, sort_keys=True).encode()
    digest = hashlib.sha256(body).hexdigest()
    stand_in.client("s3").put_object(Bucket=BUCKET, Key=f"{digest}.json", Body=body)
    return {
        "Role": ROLE,
        "Workspace": workspace(),
        "Function": {
            "Type": "AWS::Lambda::Function",
            "Properties": {
                "Code": {"S3Bucket": BUCKET, "S3Key": "code.zip"},
                "Handler": "index.handler",
                "Runtime": "python3.14",
                "Timeout": 60,
                "Role": {"Fn::GetAtt": ["Role", "Arn"]},
            },
        },
        "Content": {
            "Type": "Custom::BedplateGrafana",
            "Properties": {
                "ServiceToken": {"Fn::GetAtt": ["Function", "Arn"]},
                "WorkspaceId": {"Ref": "Workspace"},
                "Configuration": json.dumps(
                    {"plugins": {"pluginAdminEnabled": True}, "unifiedAlerting": {"enabled": True}}
                ),
                "Permissions": json.dumps(
                    {"ADMIN": {"SSO_GROUP": [GROUP]}} if permissions is None else permissions
                ),
                "FolderUid": "bedplate",
                "FolderTitle": title,
                "Sources": json.dumps(sources),
                "Content": {"Bucket": BUCKET, "Key": f"{digest}.json"},
                "ContentSha256": digest,
                "Uids": sorted(dashboards),
            },
        },
    }
