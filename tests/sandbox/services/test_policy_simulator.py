"""IAM's policy simulator in the stand-in."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.stand_in import StandIn

TRUST = json.dumps({"Version": "2012-10-17", "Statement": []})


def _policy(*statements: dict[str, object]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def test_each_action_is_judged_on_each_resource(stand_in: StandIn) -> None:
    """Allowed, denied and not spoken of are told apart, by inline and by managed policies."""
    iam = stand_in.client("iam")
    arn = iam.create_role(RoleName="simulated", AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]
    allow = {"Effect": "Allow", "Action": "s3:Get*", "Resource": "arn:aws:s3:::a/*"}
    deny = {"Effect": "Deny", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::a/secret/*"}
    iam.put_role_policy(RoleName="simulated", PolicyName="reads", PolicyDocument=_policy(allow))
    managed = iam.create_policy(PolicyName="secrets", PolicyDocument=_policy(deny))["Policy"]["Arn"]
    iam.attach_role_policy(RoleName="simulated", PolicyArn=managed)
    results = iam.simulate_principal_policy(
        PolicySourceArn=arn,
        ActionNames=["s3:GetObject", "s3:PutObject"],
        ResourceArns=["arn:aws:s3:::a/x", "arn:aws:s3:::a/secret/x"],
    )["EvaluationResults"]
    assert {
        (each["EvalActionName"], each["EvalResourceName"][-8:]): each["EvalDecision"] for each in results
    } == {
        ("s3:GetObject", "s3:::a/x"): "allowed",
        ("s3:GetObject", "secret/x"): "explicitDeny",
        ("s3:PutObject", "s3:::a/x"): "implicitDeny",
        ("s3:PutObject", "secret/x"): "implicitDeny",
    }


def test_nobodys_rights_are_not_judged(stand_in: StandIn) -> None:
    """An unknown principal is refused, as at AWS."""
    with pytest.raises(ClientError, match="NoSuchEntity"):
        stand_in.client("iam").simulate_principal_policy(
            PolicySourceArn="arn:aws:iam::123456789012:role/nobody", ActionNames=["s3:GetObject"]
        )
