"""The topic that alerts reach people by."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_kms as kms
from bedplate.constructs.l1 import aws_sns as sns
from bedplate.constructs.partition import partition_of
from bedplate.constructs.topic_statements import ALERT_MANAGER, from_alert_manager, tls_only

EVENTBRIDGE = "events.amazonaws.com"
CLOUDWATCH = "cloudwatch.amazonaws.com"


class AlarmTopic(Construct):
    """An encrypted SNS topic with e-mail subscriptions.

    A subscription works once its owner has confirmed it. ``allow_publishers`` lets the alert manager of one
    AMP workspace publish, and these alarms of CloudWatch, by ARN or by a pattern of ARNs; it is apart because
    workspace and alarms name the topic, and the policy names them. The key admits CloudWatch, for alarms of
    the account alone, where ``from_cloudwatch`` is given. ``from_eventbridge`` lets the account's EventBridge
    rules publish too, once that policy is made. Their statements have no condition: the SNS Developer Guide
    ("Key management") says that source conditions are not supported for EventBridge and encrypted topics; the
    loss would be silent.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        emails: Sequence[str] = (),
        from_eventbridge: bool = False,
        from_cloudwatch: bool = False,
    ) -> None:
        super().__init__(scope, id)
        self._from_eventbridge = from_eventbridge
        self._from_cloudwatch = from_cloudwatch
        stack = Stack.of(self)
        self._account = stack.account
        key = kms.CfnKey(
            self,
            "Key",
            description=f"Alerts of {stack.stack_name}",
            enable_key_rotation=True,
            pending_window_in_days=7,
            key_policy=self._key_policy(partition_of(stack)),
        )
        key.apply_removal_policy(RemovalPolicy.DESTROY)
        self.key_arn: str = key.attr_arn
        """The key's ARN."""
        self.resource = sns.CfnTopic(self, "Topic", kms_master_key_id=key.attr_key_id)
        """The topic."""
        self.topic_arn: str = self.resource.attr_topic_arn
        """The topic's ARN."""
        for index, email in enumerate(emails):
            sns.CfnSubscription(
                self, f"Email{index + 1}", topic_arn=self.topic_arn, protocol="email", endpoint=email
            )

    def allow_publishers(self, *, workspace_arn: str | None = None, alarm_arns: Sequence[str] = ()) -> None:
        """Let the alert manager of this workspace, these alarms and (``from_eventbridge``) rules publish, and
        insist on TLS for everyone.

        ``ValueError`` for alarms where the key does not admit CloudWatch: they would be lost in silence.
        """
        if alarm_arns and not self._from_cloudwatch:
            raise ValueError("alarm_arns: the topic's key admits CloudWatch with from_cloudwatch=True only")
        sns.CfnTopicPolicy(
            self,
            "Policy",
            topics=[self.topic_arn],
            policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    *self._alert_manager(workspace_arn),
                    *self._alarms(alarm_arns),
                    *self._eventbridge(["sns:Publish"], self.topic_arn),
                    tls_only(self.topic_arn),
                ],
            },
        )

    def _alert_manager(self, workspace_arn: str | None) -> list[dict[str, object]]:
        if workspace_arn is None:
            return []
        return [
            from_alert_manager(topic_arn=self.topic_arn, workspace_arn=workspace_arn, account=self._account)
        ]

    def _alarms(self, alarm_arns: Sequence[str]) -> list[dict[str, object]]:
        if not alarm_arns:
            return []
        return [
            {
                "Sid": "CloudWatch",
                "Effect": "Allow",
                "Principal": {"Service": CLOUDWATCH},
                "Action": "sns:Publish",
                "Resource": self.topic_arn,
                "Condition": {
                    "StringEquals": {"aws:SourceAccount": self._account},
                    "ArnLike": {"aws:SourceArn": list(alarm_arns)},
                },
            }
        ]

    def _eventbridge(self, actions: list[str], resource: str) -> list[dict[str, object]]:
        if not self._from_eventbridge:
            return []
        return [
            {
                "Sid": "EventBridge",
                "Effect": "Allow",
                "Principal": {"Service": EVENTBRIDGE},
                "Action": actions,
                "Resource": resource,
            }
        ]

    def _key_policy(self, partition: str) -> dict[str, object]:
        root = f"arn:{partition}:iam::{self._account}:root"
        services = {"AlertManager": ALERT_MANAGER}
        if self._from_cloudwatch:
            services["CloudWatch"] = CLOUDWATCH
        return {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Sid": "Account",
                    "Effect": "Allow",
                    "Principal": {"AWS": root},
                    "Action": "kms:*",
                    "Resource": "*",
                },
                *(
                    {
                        "Sid": sid,
                        "Effect": "Allow",
                        "Principal": {"Service": service},
                        "Action": ["kms:GenerateDataKey*", "kms:Decrypt"],
                        "Resource": "*",
                        "Condition": {"StringEquals": {"aws:SourceAccount": self._account}},
                    }
                    for sid, service in services.items()
                ),
                *self._eventbridge(["kms:GenerateDataKey*", "kms:Decrypt"], "*"),
            ],
        }
