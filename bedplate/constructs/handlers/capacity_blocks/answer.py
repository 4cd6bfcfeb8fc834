"""Answer CloudFormation, whatever happens: an unanswered event would hold the stack for an hour."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any

RESPONSE_SECONDS = 30
REASON_LIMIT = 1000


def answered(
    event: dict[str, Any], act: Callable[[dict[str, Any]], dict[str, str]], *, physical_id: str
) -> None:
    """Do what CloudFormation asks and tell it the data, or the reason why not; a delete asks nothing."""
    answer: dict[str, Any] = {
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
        "PhysicalResourceId": event.get("PhysicalResourceId", physical_id),
    }
    try:
        data = {} if event["RequestType"] == "Delete" else act(event["ResourceProperties"])
        answer.update(Status="SUCCESS", Data=data)
    except Exception as error:  # noqa: BLE001 - the answer has to be given
        log(error=repr(error))
        answer.update(Status="FAILED", Reason=f"{type(error).__name__}: {error}"[:REASON_LIMIT])
    respond(event["ResponseURL"], answer)


def respond(url: str, answer: dict[str, Any]) -> None:
    """Send the answer; S3's signed URL wants an empty content type."""
    request = urllib.request.Request(  # noqa: S310 - CloudFormation's own URL
        url, data=json.dumps(answer).encode(), method="PUT", headers={"content-type": ""}
    )
    with urllib.request.urlopen(request, timeout=RESPONSE_SECONDS):  # noqa: S310
        pass


def log(**values: object) -> None:
    """One line in the function's log."""
    print(json.dumps(values, default=str))  # noqa: T201
