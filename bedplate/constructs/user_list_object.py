"""The list of a cluster's users, where its nodes find it."""

from __future__ import annotations

import hashlib

from aws_cdk import CustomResource, Duration, RemovalPolicy
from constructs import Construct

from bedplate.constructs.handler_function import HandlerFunction
from bedplate.node.users.listed import ListedUser, UserList, list_key

__all__ = ["ListedUser", "UserList", "UserListObject"]

TIMEOUT_SECONDS = 60


class UserListObject(Construct):
    """Writes the list into the result bucket, under a key that stays when the list changes: nodes are
    launched with the key, so that nobody who joins or leaves launches them anew.

    The function may write that one key and nothing else. It has to be there before the first node boots.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        environment: str,
        users: UserList,
        bucket_name: str,
        bucket_arn: str,
    ) -> None:
        super().__init__(scope, id)
        self.key: str = list_key(environment)
        """The object's key in the bucket."""
        function = HandlerFunction(
            self,
            "Writer",
            folder="manifest_writer",
            handler="index.handler",
            description="Writes the list of users to the result bucket",
            timeout_seconds=TIMEOUT_SECONDS,
            statements=[
                {
                    "Sid": "WriteUserList",
                    "Effect": "Allow",
                    "Action": ["s3:PutObject", "s3:DeleteObject"],
                    "Resource": f"{bucket_arn}/{self.key}",
                }
            ],
        )
        CustomResource(
            self,
            "Object",
            resource_type="Custom::BedplateUsers",
            service_token=function.function_arn,
            removal_policy=RemovalPolicy.DESTROY,
            service_timeout=Duration.seconds(TIMEOUT_SECONDS * 2),
            properties={"Bucket": bucket_name, "Key": self.key, "Manifest": users.to_json()},
        )


def digest_of(users: UserList) -> str:
    """A word that changes when the list does."""
    return hashlib.sha256(users.to_json().encode("ascii")).hexdigest()[:16]
