"""Buckets, the alarm topic and the command document."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]


def _buckets(stack: Any) -> None:
    from bedplate.constructs.access_log_bucket import AccessLogBucket
    from bedplate.constructs.data_bucket import DataBucket

    DataBucket(stack, "Data", log_bucket_name=AccessLogBucket(stack, "Logs").bucket_name)


def _of(template: dict[str, Any], type_: str) -> list[dict[str, Any]]:
    return [each for each in template["Resources"].values() if each["Type"] == type_]


def test_buckets_are_private_versioned_encrypted_and_kept(synthesise: Synthesise) -> None:
    """Every bucket blocks the public, keeps versions, encrypts, and outlives the stack."""
    buckets = _of(synthesise(_buckets), "AWS::S3::Bucket")
    assert len(buckets) == 2
    for bucket in buckets:
        properties = bucket["Properties"]
        assert set(properties["PublicAccessBlockConfiguration"].values()) == {True}
        assert properties["VersioningConfiguration"] == {"Status": "Enabled"}
        assert properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        assert bucket["DeletionPolicy"] == bucket["UpdateReplacePolicy"] == "Retain"


def test_buckets_answer_tls_only(synthesise: Synthesise) -> None:
    """Each bucket has a policy that denies everything over plain HTTP and old TLS."""
    policies = _of(synthesise(_buckets), "AWS::S3::BucketPolicy")
    assert len(policies) == 2
    for policy in policies:
        conditions = [
            statement["Condition"]
            for statement in policy["Properties"]["PolicyDocument"]["Statement"]
            if statement["Effect"] == "Deny" and statement["Action"] == "s3:*"
        ]
        assert {"Bool": {"aws:SecureTransport": "false"}} in conditions
        assert {"NumericLessThan": {"s3:TlsVersion": "1.2"}} in conditions


def test_objects_and_versions_live_as_long_as_they_are_told(synthesise: Synthesise) -> None:
    """Old versions go after their days; objects move to Standard-IA only where days are given for it."""

    def build(stack: Any) -> None:
        from bedplate.constructs.data_bucket import DataBucket

        DataBucket(stack, "Moves", noncurrent_days=30, infrequent_access_days=90)
        DataBucket(stack, "Stays")

    moves, stays = (
        bucket["Properties"]["LifecycleConfiguration"]["Rules"][0]
        for bucket in _of(synthesise(build), "AWS::S3::Bucket")
    )
    assert moves["NoncurrentVersionExpiration"] == {"NoncurrentDays": 30}
    assert moves["Transitions"] == [{"StorageClass": "STANDARD_IA", "TransitionInDays": 90}]
    assert "Transitions" not in stays


def test_only_this_accounts_log_delivery_may_write_logs(synthesise: Synthesise) -> None:
    """The log bucket admits S3's log delivery, bound to the account."""
    allowed = [
        statement
        for policy in _of(synthesise(_buckets), "AWS::S3::BucketPolicy")
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow"
    ]
    (statement,) = allowed
    assert statement["Principal"] == {"Service": "logging.s3.amazonaws.com"}
    assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": "111122223333"}}


def _topic(stack: Any) -> None:
    from bedplate.constructs.alarm_topic import AlarmTopic

    topic = AlarmTopic(stack, "Alarms", emails=["a@example.com", "b@example.com"])
    topic.allow_publishers(workspace_arn="arn:aws:aps:us-west-2:111122223333:workspace/ws-1")


def test_alert_manager_may_publish_for_its_workspace_alone(synthesise: Synthesise) -> None:
    """The service's right is bound to the account and to the workspace's ARN."""
    (policy,) = _of(synthesise(_topic), "AWS::SNS::TopicPolicy")
    (statement,) = [
        each for each in policy["Properties"]["PolicyDocument"]["Statement"] if each["Effect"] == "Allow"
    ]
    assert statement["Principal"] == {"Service": "aps.amazonaws.com"}
    assert statement["Condition"] == {
        "StringEquals": {"aws:SourceAccount": "111122223333"},
        "ArnEquals": {"aws:SourceArn": "arn:aws:aps:us-west-2:111122223333:workspace/ws-1"},
    }


def test_the_topic_is_encrypted_by_a_key_that_alert_manager_may_use(synthesise: Synthesise) -> None:
    """Without the right on the key an encrypted topic swallows every alert."""
    template = synthesise(_topic)
    (topic,) = _of(template, "AWS::SNS::Topic")
    (key_id,) = [key for key, each in template["Resources"].items() if each["Type"] == "AWS::KMS::Key"]
    assert topic["Properties"]["KmsMasterKeyId"] == {"Fn::GetAtt": [key_id, "KeyId"]}
    (key,) = _of(template, "AWS::KMS::Key")
    services = [
        each["Action"]
        for each in key["Properties"]["KeyPolicy"]["Statement"]
        if each["Principal"] == {"Service": "aps.amazonaws.com"}
    ]
    assert services == [["kms:GenerateDataKey*", "kms:Decrypt"]]
    assert key["Properties"]["EnableKeyRotation"] is True


def test_cloudwatch_may_publish_for_the_named_alarms_alone(synthesise: Synthesise) -> None:
    """Topic and key admit the service for this account, and the topic for alarms of these patterns."""
    alarm = "arn:aws:cloudwatch:us-west-2:111122223333:alarm:ours-*"

    def build(stack: Any) -> None:
        from bedplate.constructs.alarm_topic import AlarmTopic

        topic = AlarmTopic(stack, "Alarms", from_cloudwatch=True)
        topic.allow_publishers(workspace_arn="arn:aws:aps:us-west-2:111122223333:w/1", alarm_arns=[alarm])

    template = synthesise(build)
    (policy,) = _of(template, "AWS::SNS::TopicPolicy")
    (key,) = _of(template, "AWS::KMS::Key")
    account = {"StringEquals": {"aws:SourceAccount": "111122223333"}}
    conditions = [
        statement["Condition"]
        for document in (policy["Properties"]["PolicyDocument"], key["Properties"]["KeyPolicy"])
        for statement in document["Statement"]
        if statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    ]
    assert conditions == [{**account, "ArnLike": {"aws:SourceArn": [alarm]}}, account]


def test_alarms_that_the_key_would_drop_are_refused(synthesise: Synthesise) -> None:
    """An encrypted topic whose key does not admit CloudWatch loses every alarm in silence."""

    def build(stack: Any) -> None:
        from bedplate.constructs.alarm_topic import AlarmTopic

        AlarmTopic(stack, "Alarms").allow_publishers(workspace_arn="w", alarm_arns=["a"])

    with pytest.raises(ValueError, match="from_cloudwatch=True"):
        synthesise(build)


def test_every_address_is_subscribed(synthesise: Synthesise) -> None:
    """There is one e-mail subscription for each address."""
    found = _of(synthesise(_topic), "AWS::SNS::Subscription")
    assert [each["Properties"]["Endpoint"] for each in found] == ["a@example.com", "b@example.com"]


def _document(synthesise: Synthesise) -> dict[str, Any]:
    def build(stack: Any) -> None:
        from bedplate.constructs.node_command_document import NodeCommandDocument

        NodeCommandDocument(stack, "Command")

    (document,) = _of(synthesise(build), "AWS::SSM::Document")
    content: dict[str, Any] = document["Properties"]["Content"]
    return content


def test_the_document_runs_the_node_program_and_nothing_else(synthesise: Synthesise) -> None:
    """One step with the agreed name runs one command."""
    (step,) = _document(synthesise)["mainSteps"]
    assert step["action"] == "aws:runShellScript"
    assert step["name"] == "bedplateNode"
    assert step["inputs"]["runCommand"] == [
        'exec python3 "${BEDPLATE_ROOT:-}/opt/bedplate/bedplate-node.pyz" {{ Arguments }}'
    ]


@pytest.mark.parametrize(
    "text", ["probe; reboot", "probe `id`", "probe $(id)", "probe\nreboot", "a|b", "a>b", "'x"]
)
def test_arguments_cannot_leave_the_command(synthesise: Synthesise, text: str) -> None:
    """What a shell would read as more than words does not match the pattern."""
    pattern = _document(synthesise)["parameters"]["Arguments"]["allowedPattern"]
    assert re.fullmatch(pattern, text) is None
    assert re.fullmatch(pattern, "run-jobs --nonce ab-12 --jobs eyJhIjogMX0=") is not None
