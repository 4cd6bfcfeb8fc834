"""Statements of topics' policies that more than one topic has."""

from __future__ import annotations

ALERT_MANAGER = "aps.amazonaws.com"
"""Who publishes for an AMP workspace."""


def from_alert_manager(*, topic_arn: str, workspace_arn: str, account: str) -> dict[str, object]:
    """The alert manager of this workspace may publish (AMP User Guide, "Giving … permission")."""
    return {
        "Sid": "AlertManager",
        "Effect": "Allow",
        "Principal": {"Service": ALERT_MANAGER},
        "Action": ["sns:Publish", "sns:GetTopicAttributes"],
        "Resource": topic_arn,
        "Condition": {
            "StringEquals": {"aws:SourceAccount": account},
            "ArnEquals": {"aws:SourceArn": workspace_arn},
        },
    }


def tls_only(topic_arn: str) -> dict[str, object]:
    """Nobody publishes without TLS."""
    return {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "sns:Publish",
        "Resource": topic_arn,
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
