"""Denials in bucket policies, as they touch the deploying role."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bedplate.validation.preflight.bucket_policy import Denials, denials

ROLE = "arn:aws:iam::123456789012:role/deploy"
OBJECT = "arn:aws:s3:::data/v3/probe"


def _denials(*statements: dict[str, Any]) -> Denials:
    policy = json.dumps({"Version": "2012-10-17", "Statement": list(statements)})
    return denials(
        policy,
        principal=ROLE,
        resources=["arn:aws:s3:::data", OBJECT],
        actions=("s3:GetObject", "s3:PutObject"),
    )


def _deny(**changes: Any) -> dict[str, Any]:
    return {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": "arn:aws:s3:::data/*",
        **changes,
    }


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"Principal": {"AWS": "*"}},
        {"Principal": {"AWS": [ROLE]}},
        {"Principal": {"AWS": "123456789012"}},
        {"Principal": {"AWS": "arn:aws:iam::123456789012:root"}},
        {"Action": ["S3:putobject"]},
        {"Resource": "arn:aws:s3:::data/v?/*"},
    ],
)
def test_a_denial_without_condition_is_certain(changes: dict[str, Any]) -> None:
    """Everybody, the account or the role itself; patterns as IAM reads them."""
    found = _denials(_deny(**changes))
    assert len(found.certain) == 1
    assert "s3:PutObject" in found.certain[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"Effect": "Allow"},
        {"Principal": {"AWS": "arn:aws:iam::123456789012:role/other"}},
        {"Principal": {"Service": "logging.s3.amazonaws.com"}},
        {"Action": "s3:DeleteObject"},
        {"Resource": "arn:aws:s3:::data/v4/*"},
        {"Condition": {"Bool": {"aws:SecureTransport": "false"}}},
        {"Condition": {"Bool": {"aws:SecureTransport": False}}},
        {"Condition": {"NumericLessThan": {"s3:TlsVersion": "1.2"}}},
    ],
)
def test_a_denial_of_others_or_of_clear_text_is_none(changes: dict[str, Any]) -> None:
    """Other principals, actions and prefixes, and conditions that AWS's clients never meet."""
    assert _denials(_deny(**changes)) == Denials()


@pytest.mark.parametrize(
    "statement",
    [
        {"Effect": "Deny", "NotPrincipal": {"AWS": "arn:aws:iam::1:role/x"}, "Action": "*", "Resource": "*"},
        {"Effect": "Deny", "Principal": "*", "NotAction": "s3:ListBucket", "Resource": "*"},
        {"Effect": "Deny", "Principal": "*", "Action": "*", "NotResource": "arn:aws:s3:::data/v4/*"},
    ],
)
def test_negated_elements_are_read_as_all_others(statement: dict[str, Any]) -> None:
    """Everybody, everything or everywhere but what is named."""
    assert len(_denials(statement).certain) == 1


def test_any_other_condition_is_for_a_person_to_judge() -> None:
    """A denial that depends on something is told apart from one that holds."""
    found = _denials(_deny(Condition={"StringNotEquals": {"aws:SourceVpce": "vpce-1"}}))
    assert not found.certain
    assert "under a condition" in found.conditional[0]


def test_no_policy_denies_nothing_and_a_broken_one_is_certain() -> None:
    """What cannot be read is not taken for harmless."""
    arguments: dict[str, Any] = {
        "principal": ROLE,
        "resources": [OBJECT],
        "actions": ("s3:GetObject",),
    }
    assert denials(None, **arguments) == Denials()
    assert denials("{", **arguments).certain == ["the bucket's policy cannot be read"]
