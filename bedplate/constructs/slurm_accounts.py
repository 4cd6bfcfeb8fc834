"""Slurm's accounts are kept as the teams are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constructs import Construct

from bedplate.constructs.l1 import aws_ssm as ssm
from bedplate.node.account import Account
from bedplate.node.set_accounts import encode_teams

__all__ = ["Account", "SlurmAccounts"]

EVERY = "rate(30 minutes)"
"""The shortest interval of State Manager (Systems Manager User Guide, "Cron and rate expressions for
associations"). A login node that is not set up when it is first asked is asked again then.
"""
TIMEOUT_SECONDS = 300


class SlurmAccounts(Construct):
    """State Manager has a login node run ``set-accounts`` of the node program: at once where the arguments
    changed or a node is new, and every half hour. Where several login nodes carry ``tags`` they take turns.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        document_name: str,
        tags: Mapping[str, str],
        teams: Sequence[Account],
        slurm_version: str,
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
                "Arguments": [f"set-accounts --teams {encode_teams(teams)} --slurm {slurm_version}"],
                "TimeoutSeconds": [str(TIMEOUT_SECONDS)],
            },
            schedule_expression=EVERY,
            max_concurrency="1",
            max_errors="0",
        )
        self.association_id: str = association.attr_association_id
        """Id of the association; its executions say what became of it."""
