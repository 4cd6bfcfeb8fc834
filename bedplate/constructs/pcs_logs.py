"""Where a PCS cluster writes what slurmctld and slurmdbd say, and what became of each job."""

from __future__ import annotations

import re

from aws_cdk import RemovalPolicy
from constructs import Construct

from bedplate.constructs.l1 import aws_logs as logs
from bedplate.constructs.pcs_cluster import PcsCluster

RETENTION_DAYS = 90
LOG_TYPES = {"scheduler": "PCS_SCHEDULER_LOGS", "jobs": "PCS_JOBCOMP_LOGS"}
"""What the log is called here → what PCS calls it (AWS PCS User Guide, "Scheduler logs in AWS PCS" and "Job
completion logs in AWS PCS")."""
NAME_PREFIX = "/aws/vendedlogs/pcs/"
"""CloudWatch Logs keeps one policy for all groups below ``/aws/vendedlogs/``, which does not grow with them
(CloudWatch Logs User Guide, "Enable logging from AWS services")."""
_MOST_CHARACTERS = 512
_LONGEST_NAME = 60


class PcsLogs(Construct):
    """A log group for both logs, which goes with the stack, and their delivery to it.

    ``name`` is the cluster's name: delivery sources are named for it, once in an account and Region. Whoever
    deploys needs ``pcs:AllowVendedLogDeliveryForResource``, and ``logs:PutResourcePolicy`` and
    ``logs:DescribeResourcePolicies`` so that CloudWatch Logs lets itself write.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        name: str,
        cluster: PcsCluster,
    ) -> None:
        super().__init__(scope, id)
        group = logs.CfnLogGroup(
            self,
            "Group",
            log_group_name=f"{NAME_PREFIX}{re.sub(r'[^A-Za-z0-9._/#-]', '-', name)}"[:_MOST_CHARACTERS],
            retention_in_days=RETENTION_DAYS,
        )
        group.apply_removal_policy(RemovalPolicy.DESTROY)
        destination = logs.CfnDeliveryDestination(
            self, "Destination", name=name[:_LONGEST_NAME], destination_resource_arn=group.attr_arn
        )
        earlier: logs.CfnDelivery | None = None
        for short, log_type in LOG_TYPES.items():
            source_name = f"{name[: _LONGEST_NAME - len(short) - 1]}-{short}"
            source = logs.CfnDeliverySource(
                self,
                f"{short.capitalize()}Source",
                name=source_name,
                log_type=log_type,
                resource_arn=cluster.resource.attr_arn,
            )
            delivery = logs.CfnDelivery(
                self,
                f"{short.capitalize()}Delivery",
                delivery_source_name=source_name,
                delivery_destination_arn=destination.attr_arn,
            )
            delivery.add_resource_dependency(source)
            if earlier is not None:
                # Both change the policy of CloudWatch Logs, which takes one change at a time.
                delivery.add_resource_dependency(earlier)
            earlier = delivery
        self.log_group_arn: str = group.attr_arn
        """The group's ARN."""
        self.log_group_name: str = group.ref
        """Its name."""
