"""Where FSx for Lustre writes its log."""

from __future__ import annotations

import re

from aws_cdk import RemovalPolicy
from constructs import Construct

from bedplate.constructs.l1 import aws_logs as logs

LOG_RETENTION_DAYS = 90
NAME_PREFIX = "/aws/fsx/"
"""FSx writes only to groups whose name starts so (FSx API, LustreLogCreateConfiguration)."""
_MOST_CHARACTERS = 512
"""Of a log group's name (CloudWatch Logs API)."""


class LustreLogGroup(Construct):
    """A log group for warnings and errors of data repositories; it goes with the stack.

    ``name`` is what stands after ``/aws/fsx/``; without it the construct's own path does.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        group = logs.CfnLogGroup(
            self,
            "Group",
            log_group_name=lustre_log_group_name(name or self.node.path),
            retention_in_days=LOG_RETENTION_DAYS,
        )
        group.apply_removal_policy(RemovalPolicy.DESTROY)
        self.log_group_arn: str = group.attr_arn
        """The group's ARN."""


def lustre_log_group_name(name: str) -> str:
    """The whole name, for ``name`` after ``/aws/fsx/``."""
    own = re.sub(r"[^A-Za-z0-9._/#-]", "-", name)
    return f"{NAME_PREFIX}{own}"[:_MOST_CHARACTERS]
