"""Custom resource: keep one JSON object in a bucket equal to the ``Manifest`` property.

Properties: ``Bucket``, ``Key``, ``Manifest`` (JSON text). Data: ``Location`` (``s3://bucket/key``),
``Sha256``. The physical id is the location, so that another bucket or key is a replacement and the old object
is then deleted.
"""

from __future__ import annotations

import hashlib
import json
import urllib.request
from typing import Any

import boto3

RESPONSE_SECONDS = 30
REASON_LIMIT = 1000


def handler(event: dict[str, Any], context: object) -> None:  # noqa: ARG001 - Lambda's signature
    """Entry point of the function; always answers CloudFormation, whatever happens."""
    answer = {
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
        "PhysicalResourceId": event.get("PhysicalResourceId", "bedplate-manifest-not-written"),
    }
    try:
        answer.update(Status="SUCCESS", **act(event))
    except Exception as error:  # noqa: BLE001 - an unanswered event would hold the stack for an hour
        print(json.dumps({"error": repr(error)}))  # noqa: T201 - the function's log
        answer.update(Status="FAILED", Reason=f"{type(error).__name__}: {error}"[:REASON_LIMIT])
    respond(event["ResponseURL"], answer)


def act(event: dict[str, Any]) -> dict[str, Any]:
    """Do what the event asks and return the physical id and the data of the answer."""
    properties = event["ResourceProperties"]
    s3 = boto3.client("s3")
    if event["RequestType"] == "Delete":
        bucket, key = location_parts(event["PhysicalResourceId"])
        if bucket:
            s3.delete_object(Bucket=bucket, Key=key)
        return {"PhysicalResourceId": event["PhysicalResourceId"]}
    body = canonical(properties["Manifest"])
    s3.put_object(
        Bucket=properties["Bucket"], Key=properties["Key"], Body=body, ContentType="application/json"
    )
    location = f"s3://{properties['Bucket']}/{properties['Key']}"
    return {
        "PhysicalResourceId": location,
        "Data": {"Location": location, "Sha256": hashlib.sha256(body).hexdigest()},
    }


def canonical(text: str) -> bytes:
    """The manifest with sorted keys; text that is no JSON object is refused."""
    manifest = json.loads(text)
    if not isinstance(manifest, dict):
        raise ValueError("Manifest is not a JSON object")
    return json.dumps(manifest, indent=2, sort_keys=True).encode() + b"\n"


def location_parts(physical_id: str) -> tuple[str, str]:
    """Bucket and key of a location; two empty strings if nothing was ever written."""
    if not physical_id.startswith("s3://"):
        return "", ""
    bucket, _, key = physical_id[len("s3://") :].partition("/")
    return bucket, key


def respond(url: str, answer: dict[str, Any]) -> None:
    """Send the answer; S3's signed URL wants an empty content type."""
    request = urllib.request.Request(  # noqa: S310 - CloudFormation's own URL
        url, data=json.dumps(answer).encode(), method="PUT", headers={"content-type": ""}
    )
    with urllib.request.urlopen(request, timeout=RESPONSE_SECONDS):  # noqa: S310
        pass
