"""Custom resource: a workspace of Amazon Managed Grafana holds this content.

Properties: ``WorkspaceId``; ``Configuration`` (JSON), which is merged into the workspace's own;
``Permissions`` (JSON: role → type → ids); ``FolderUid``, ``FolderTitle``; ``Sources`` (JSON list of data
sources as Grafana takes them); ``Content`` (``Bucket`` and ``Key`` of an object: uid → dashboard), ``Uids``
of the dashboards in it, and ``ContentSha256``, so that other dashboards are an update. What an update no
longer names is deleted; what people made themselves stays. Data: ``Url``.

The physical id is ``workspace/folder``: another of either is a replacement, and the old one is cleared.
"""

from __future__ import annotations

import hashlib
import json
import urllib.request
from collections.abc import Mapping
from typing import Any

import boto3
import content  # type: ignore[import-not-found]  # these three lie beside this file in Lambda
import workspace  # type: ignore[import-not-found]
from grafana_http import Grafana, GrafanaError  # type: ignore[import-not-found]

RESPONSE_SECONDS = 30
REASON_LIMIT = 1000
PATIENCE_SECONDS = 180
"""For a workspace that starts anew: within the token's life."""
PATIENCE_AT_DELETE_SECONDS = 20


def handler(event: dict[str, Any], context: object) -> None:  # noqa: ARG001 - Lambda's signature
    """Entry point of the function; always answers CloudFormation, whatever happens."""
    answer = {
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
        # Told before anything is done, so that a create that fails half-way is cleared by its delete.
        "PhysicalResourceId": event.get("PhysicalResourceId") or physical_id(event["ResourceProperties"]),
    }
    try:
        answer.update(Status="SUCCESS", **act(event))
    except Exception as error:  # noqa: BLE001 - an unanswered event would hold the stack for an hour
        print(json.dumps({"error": repr(error)}))  # noqa: T201 - the function's log
        answer.update(Status="FAILED", Reason=f"{type(error).__name__}: {error}"[:REASON_LIMIT])
    respond(event["ResponseURL"], answer)


def physical_id(properties: Mapping[str, Any]) -> str:
    """Which workspace, and which folder of it."""
    return f"{properties['WorkspaceId']}/{properties['FolderUid']}"


def act(event: dict[str, Any]) -> dict[str, Any]:
    """Do what the event asks and return the physical id and the data of the answer."""
    properties, client = event["ResourceProperties"], boto3.client("grafana")
    if event["RequestType"] == "Delete":
        clear(client, properties)
        return {"PhysicalResourceId": event["PhysicalResourceId"]}
    before = event.get("OldResourceProperties") or {}
    if before and physical_id(before) != physical_id(properties):
        before = {}  # the old place is cleared by the delete that follows
    url = provide(client, properties, before=before, dashboards=read_content(properties))
    return {"PhysicalResourceId": physical_id(properties), "Data": {"Url": url}}


def provide(
    client: Any,
    properties: Mapping[str, Any],
    *,
    before: Mapping[str, Any],
    dashboards: Mapping[str, Mapping[str, Any]],
) -> str:
    """Bring the workspace to the content that is wanted; returns its URL."""
    workspace_id, folder = properties["WorkspaceId"], properties["FolderUid"]
    described = workspace.active(client, workspace_id)
    if workspace.configure(client, workspace_id, json.loads(properties["Configuration"])):
        described = workspace.active(client, workspace_id)
    workspace.permit(
        client,
        workspace_id,
        wanted=json.loads(properties["Permissions"]),
        before=json.loads(before.get("Permissions", "{}")),
    )
    sources = json.loads(properties["Sources"])
    with workspace.short_token(client, workspace_id) as token:
        grafana = Grafana(endpoint=described["endpoint"], token=token, patience_seconds=PATIENCE_SECONDS)
        content.put_folder(grafana, uid=folder, title=properties["FolderTitle"])
        for source in sources:
            content.put_source(grafana, source)
        message = f"bedplate {properties['ContentSha256'][:12]}"
        for uid, dashboard in sorted(dashboards.items()):
            content.put_dashboard(grafana, uid=uid, dashboard=dashboard, folder_uid=folder, message=message)
        for uid in sorted({*before.get("Uids", [])} - {*dashboards}):
            content.remove_dashboard(grafana, uid)
        kept = {each["uid"] for each in sources}
        for source in json.loads(before.get("Sources", "[]")):
            if source["uid"] not in kept:
                content.remove_source(grafana, source["uid"])
        return str(grafana.url)


def clear(client: Any, properties: Mapping[str, Any]) -> None:
    """Take away what was put there. A workspace that is gone has taken it along already.

    A Grafana that does not answer holds no stack: the workspace, which is deleted next, takes it along.
    """
    workspace_id = properties["WorkspaceId"]
    try:
        described = workspace.active(client, workspace_id)
        permissions = json.loads(properties["Permissions"])
        workspace.permit(client, workspace_id, wanted={}, before=permissions)
        with workspace.short_token(client, workspace_id) as token:
            grafana = Grafana(
                endpoint=described["endpoint"], token=token, patience_seconds=PATIENCE_AT_DELETE_SECONDS
            )
            for uid in properties["Uids"]:
                content.remove_dashboard(grafana, uid)
            for source in json.loads(properties["Sources"]):
                content.remove_source(grafana, source["uid"])
            content.remove_folder(grafana, properties["FolderUid"])
    except client.exceptions.ResourceNotFoundException:
        print(json.dumps({"gone_already": workspace_id}))  # noqa: T201
    except (GrafanaError, workspace.WorkspaceError) as error:
        print(json.dumps({"left_in": workspace_id, "error": str(error)}))  # noqa: T201


def read_content(properties: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The dashboards by uid, as the template says that they are."""
    place = properties["Content"]
    body = boto3.client("s3").get_object(Bucket=place["Bucket"], Key=place["Key"])["Body"].read()
    found = hashlib.sha256(body).hexdigest()
    if found != properties["ContentSha256"]:
        raise ValueError(f"s3://{place['Bucket']}/{place['Key']} is not what the template names: {found}")
    dashboards: dict[str, dict[str, Any]] = json.loads(body)
    return dashboards


def respond(url: str, answer: dict[str, Any]) -> None:
    """Send the answer; S3's signed URL wants an empty content type."""
    request = urllib.request.Request(  # noqa: S310 - CloudFormation's own URL
        url, data=json.dumps(answer).encode(), method="PUT", headers={"content-type": ""}
    )
    with urllib.request.urlopen(request, timeout=RESPONSE_SECONDS):  # noqa: S310
        pass
