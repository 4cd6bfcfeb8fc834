"""The end of a block reaches people: schedules, EC2's events, and the rights for both."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bedplate.constructs.block_reminders import BlockTimes, reminder_text, reminder_times

END = datetime(2026, 7, 15, 11, 30, tzinfo=UTC)
TOPIC, KEY = "arn:aws:sns:us-west-2:111122223333:alarms", "arn:aws:kms:us-west-2:111122223333:key/k"
Template = dict[str, Any]
Synthesise = Callable[[Callable[[Any], object]], Template]


def _block(reservation: str = "cr-0123456789abcdef0", *, days: int = 14) -> BlockTimes:
    return BlockTimes(
        reservation_id=reservation,
        used_by="pool h200",
        start=END - timedelta(days=days),
        warning=END - timedelta(minutes=40),
        taken=END - timedelta(minutes=30),
        end=END,
    )


def _build(*blocks: BlockTimes) -> Callable[[Any], object]:
    def build(stack: Any) -> object:
        from bedplate.constructs.block_reminders import BlockReminders

        return BlockReminders(stack, "Blocks", blocks=blocks, topic_arn=TOPIC, key_arn=KEY)

    return build


@pytest.fixture
def template(synthesise: Synthesise) -> Template:
    """Two blocks."""
    return synthesise(_build(_block(), _block("cr-0123456789abcdef1")))


def _of(template: Template, type_: str) -> list[dict[str, Any]]:
    return [each for each in template["Resources"].values() if each["Type"] == type_]


def test_each_block_has_three_schedules(template: Template) -> None:
    """A day and an hour before EC2 takes the instances, and at the warning; all say when that is."""
    schedules = _of(template, "AWS::Scheduler::Schedule")
    assert len(schedules) == 6
    for each in schedules:
        target = each["Properties"]["Target"]
        assert target["Arn"] == TOPIC
        assert "from 11:00 UTC on" in target["Input"]
        assert "2026-07-15 11:30 UTC" in target["Input"]
        assert each["Properties"]["FlexibleTimeWindow"] == {"Mode": "OFF"}
        assert each["Properties"]["ScheduleExpressionTimezone"] == "UTC"
        assert "ActionAfterCompletion" not in each["Properties"]


def test_the_deploy_decides_what_is_still_to_come(template: Template) -> None:
    """Expression and state of each schedule are the clock's answer; the template holds no decision."""
    resources = template["Resources"]
    for each in _of(template, "AWS::Scheduler::Schedule"):
        asked = [each["Properties"][name]["Fn::GetAtt"] for name in ("ScheduleExpression", "State")]
        clocks = {resources[logical]["Type"] for logical, _ in asked}
        assert clocks == {"Custom::BedplateReminders"}
        assert asked[0][1].removesuffix("At") == asked[1][1].removesuffix("State")
    for clock in _of(template, "Custom::BedplateReminders"):
        assert clock["Properties"]["Times"] == {
            "DayBefore": "2026-07-14T11:00:00",
            "HourBefore": "2026-07-15T10:00:00",
            "Warning": "2026-07-15T10:50:00",
        }


def test_whatever_changes_a_schedule_asks_the_clock_again(synthesise: Synthesise) -> None:
    """The clock's properties hold text, target and role: no schedule is updated into the past."""
    template = synthesise(_build(_block()))
    (clock,) = _of(template, "Custom::BedplateReminders")
    text, topic, role, version = clock["Properties"]["Schedule"]
    for each in _of(template, "AWS::Scheduler::Schedule"):
        target = each["Properties"]["Target"]
        assert (target["Input"], target["Arn"], target["RoleArn"]) == (text, topic, role)
    assert version


def test_the_schedules_role_may_only_publish_there(template: Template) -> None:
    """Scheduler of this account assumes it; it may publish to the topic and use the topic's key."""
    roles = {
        key: each
        for key, each in template["Resources"].items()
        if each["Type"] == "AWS::IAM::Role"
        and "scheduler.amazonaws.com" in json.dumps(each["Properties"]["AssumeRolePolicyDocument"])
    }
    ((name, role),) = roles.items()
    (trust,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": "111122223333"}}
    (policy,) = [
        each
        for each in _of(template, "AWS::IAM::ManagedPolicy")
        if each["Properties"]["Roles"] == [{"Ref": name}]
    ]
    allowed = {
        action: statement["Resource"]
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        for action in statement["Action"]
    }
    assert allowed == {"sns:Publish": TOPIC, "kms:GenerateDataKey": KEY, "kms:Decrypt": KEY}


def test_the_clock_may_do_nothing_but_log(template: Template) -> None:
    """The function that tells the time writes its own log and no more."""
    (policy,) = [
        each
        for each in _of(template, "AWS::IAM::ManagedPolicy")
        if "logs:PutLogEvents" in json.dumps(each["Properties"]["PolicyDocument"])
    ]
    (statement,) = policy["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Sid"] == "WriteOwnLog"


def test_ec2s_own_events_reach_the_topic(template: Template) -> None:
    """Both spellings of delivery and warning, for these blocks alone."""
    (rule,) = _of(template, "AWS::Events::Rule")
    pattern = rule["Properties"]["EventPattern"]
    assert pattern["source"] == ["aws.ec2"]
    assert set(pattern["detail-type"]) == {
        "Capacity Block Delivered",
        "Capacity Block Reservation Delivered",
        "Capacity Block Expiration Warning",
        "Capacity Block Reservation Expiration Warning",
    }
    assert pattern["detail"]["capacity-reservation-id"] == ["cr-0123456789abcdef0", "cr-0123456789abcdef1"]
    (target,) = rule["Properties"]["Targets"]
    assert target["Arn"] == TOPIC
    words = target["InputTransformer"]
    assert {f"<{name}>" for name in words["InputPathsMap"]} == set(
        re.findall("<[a-z]+>", words["InputTemplate"])
    )


def test_no_reminder_comes_before_the_block() -> None:
    """A block of one day has no reminder a day before its instances go, for that is before its start."""
    assert list(reminder_times(_block(days=1))) == ["HourBefore", "Warning"]
    assert list(reminder_times(_block(days=2))) == ["DayBefore", "HourBefore", "Warning"]


def test_the_text_says_what_to_do() -> None:
    """People read which block, whose, until when, and what they can do."""
    text = reminder_text(_block())
    for words in ("cr-0123456789abcdef0", "pool h200", "extend the block", "bedplate lock"):
        assert words in text
