"""The list of a cluster's teams, where a node that keeps Slurm's accounts by itself finds it."""

from __future__ import annotations

from collections.abc import Sequence

from constructs import Construct

from bedplate.constructs.list_object import add_list_object
from bedplate.node.account import Account
from bedplate.node.listed_accounts import accounts_json, accounts_key

__all__ = ["Account", "AccountListObject"]


class AccountListObject(Construct):
    """Writes the teams into the result bucket, for HyperPod's controller, which State Manager does not reach.

    Elsewhere ``slurm_accounts`` has a login node told at once. The controller looks every few minutes.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        environment: str,
        teams: Sequence[Account],
        bucket_name: str,
        bucket_arn: str,
    ) -> None:
        super().__init__(scope, id)
        self.key: str = accounts_key(environment)
        """The object's key in the bucket."""
        add_list_object(
            self,
            what="teams",
            sid="WriteTeams",
            resource_type="Custom::BedplateTeams",
            key=self.key,
            body=accounts_json(teams),
            bucket_name=bucket_name,
            bucket_arn=bucket_arn,
        )
