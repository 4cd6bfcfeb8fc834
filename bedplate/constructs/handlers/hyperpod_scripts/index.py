"""Custom resource: a folder of a bucket holds these files.

Properties: ``Bucket``, ``Prefix``, ``Files`` (name → text) and ``Copies`` (name → ``Bucket`` and ``Key`` of
an object). Data: ``Uri`` (``s3://bucket/prefix``), which is the physical id too, so that another folder is a
replacement, and the old one is emptied once nothing points to it any more.
"""

from __future__ import annotations

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
        "PhysicalResourceId": event.get("PhysicalResourceId", "bedplate-scripts-not-written"),
    }
    try:
        answer.update(Status="SUCCESS", **act(event))
    except Exception as error:  # noqa: BLE001 - an unanswered event would hold the stack for an hour
        print(json.dumps({"error": repr(error)}))  # noqa: T201 - the function's log
        answer.update(Status="FAILED", Reason=f"{type(error).__name__}: {error}"[:REASON_LIMIT])
    respond(event["ResponseURL"], answer)


def act(event: dict[str, Any]) -> dict[str, Any]:
    """Do what the event asks and return the physical id and the data of the answer."""
    s3 = boto3.client("s3")
    if event["RequestType"] == "Delete":
        empty(s3, event["PhysicalResourceId"])
        return {"PhysicalResourceId": event["PhysicalResourceId"]}
    properties = event["ResourceProperties"]
    bucket, prefix = properties["Bucket"], properties["Prefix"]
    for name, source in properties["Copies"].items():
        s3.copy_object(
            Bucket=bucket,
            Key=f"{prefix}/{name}",
            CopySource={"Bucket": source["Bucket"], "Key": source["Key"]},
        )
    for name, text in properties["Files"].items():
        s3.put_object(Bucket=bucket, Key=f"{prefix}/{name}", Body=text.encode())
    uri = f"s3://{bucket}/{prefix}"
    return {"PhysicalResourceId": uri, "Data": {"Uri": uri}}


def empty(s3: Any, uri: str) -> None:
    """Delete every object of the folder; nothing where none was ever written."""
    if not uri.startswith("s3://"):
        return
    bucket, _, prefix = uri[len("s3://") :].partition("/")
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{prefix}/"):
        for each in page.get("Contents", []):
            s3.delete_object(Bucket=bucket, Key=each["Key"])


def respond(url: str, answer: dict[str, Any]) -> None:
    """Send the answer; S3's signed URL wants an empty content type."""
    request = urllib.request.Request(  # noqa: S310 - CloudFormation's own URL
        url, data=json.dumps(answer).encode(), method="PUT", headers={"content-type": ""}
    )
    with urllib.request.urlopen(request, timeout=RESPONSE_SECONDS):  # noqa: S310
        pass
