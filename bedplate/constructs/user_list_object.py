"""The list of a cluster's users, where its nodes find it."""

from __future__ import annotations

import hashlib

from constructs import Construct

from bedplate.constructs.list_object import add_list_object
from bedplate.node.users.listed import ListedUser, UserList, list_key

__all__ = ["ListedUser", "UserList", "UserListObject"]


class UserListObject(Construct):
    """Writes the list into the result bucket, under a key that stays when the list changes: nodes are
    launched with the key, so that nobody who joins or leaves launches them anew. It has to be there before
    the first node boots.
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
        add_list_object(
            self,
            what="users",
            sid="WriteUserList",
            resource_type="Custom::BedplateUsers",
            key=self.key,
            body=users.to_json(),
            bucket_name=bucket_name,
            bucket_arn=bucket_arn,
        )


def digest_of(users: UserList) -> str:
    """A word that changes when the list does."""
    return hashlib.sha256(users.to_json().encode("ascii")).hexdigest()[:16]
