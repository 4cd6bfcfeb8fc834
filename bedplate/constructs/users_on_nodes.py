"""Running nodes follow the list of users."""

from __future__ import annotations

from collections.abc import Mapping

from constructs import Construct

from bedplate.constructs.l1 import aws_ssm as ssm
from bedplate.constructs.slurm_accounts import EVERY
from bedplate.constructs.user_list_object import UserList, digest_of

TIMEOUT_SECONDS = 300
AT_ONCE = "10%"
"""Each asks S3 for one small object, and the file system for homes."""


class UsersOnNodes(Construct):
    """State Manager has every node that carries ``tags`` run ``make-users`` of the node program: at once
    where the list changed or the node is new, and every half hour. One node that fails stops no other.

    What the nodes make is in the object that they were launched with (``user_list_object``); ``users`` is
    here so that a change of it is a change of the association, and has to be the same.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        document_name: str,
        tags: Mapping[str, str],
        users: UserList,
    ) -> None:
        super().__init__(scope, id)
        association = ssm.CfnAssociation(
            self,
            "Association",
            name=document_name,
            targets=[
                ssm.CfnAssociation.TargetProperty(key=f"tag:{key}", values=[value])
                for key, value in tags.items()
            ],
            parameters={
                "Arguments": [f"make-users --list {digest_of(users)}"],
                "TimeoutSeconds": [str(TIMEOUT_SECONDS)],
            },
            schedule_expression=EVERY,
            max_concurrency=AT_ONCE,
            max_errors="100%",
        )
        self.association_id: str = association.attr_association_id
        """Id of the association; its executions say what became of it on each node."""
