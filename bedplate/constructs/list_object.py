"""A list that nodes follow, in the result bucket, under a key that stays when the list changes."""

from __future__ import annotations

from aws_cdk import CustomResource, Duration, RemovalPolicy
from constructs import Construct

from bedplate.constructs.handler_function import HandlerFunction

TIMEOUT_SECONDS = 60


def add_list_object(
    scope: Construct,
    *,
    what: str,
    sid: str,
    resource_type: str,
    key: str,
    body: str,
    bucket_name: str,
    bucket_arn: str,
) -> None:
    """Write ``body`` (JSON) under ``key``, and take it away with the stack.

    The function is ``Writer`` below ``scope``, and the object ``Object``. It may write that one key and
    nothing else. ``what`` the list is of stands in its description, ``sid`` in its policy.
    """
    function = HandlerFunction(
        scope,
        "Writer",
        folder="manifest_writer",
        handler="index.handler",
        description=f"Writes the list of {what} to the result bucket",
        timeout_seconds=TIMEOUT_SECONDS,
        statements=[
            {
                "Sid": sid,
                "Effect": "Allow",
                "Action": ["s3:PutObject", "s3:DeleteObject"],
                "Resource": f"{bucket_arn}/{key}",
            }
        ],
    )
    CustomResource(
        scope,
        "Object",
        resource_type=resource_type,
        service_token=function.function_arn,
        removal_policy=RemovalPolicy.DESTROY,
        service_timeout=Duration.seconds(TIMEOUT_SECONDS * 2),
        properties={"Bucket": bucket_name, "Key": key, "Manifest": body},
    )
