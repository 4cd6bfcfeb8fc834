"""Whose rights a deploy has: FSx and others look at them, not at those of who typed the command."""

from __future__ import annotations

import re

from bedplate.validation.preflight.context import Preflight

BOOTSTRAP_QUALIFIER = "hnb659fds"
"""The CDK's own; ``bedplate preflight`` looks for the same bootstrap (PRE-004)."""
_ASSUMED = re.compile(r"^arn:(aws[a-z-]*):sts::(\d{12}):assumed-role/([^/]+)/.+$")


def deploying_principal(preflight: Preflight) -> str:
    """The ARN of the role that CloudFormation works by after ``cdk bootstrap``; without it, of the caller.

    A role's ARN for a caller who has assumed it. Raises ``AwsRefused`` where AWS cannot be asked.
    """
    wanted = preflight.environment
    name = f"cdk-{BOOTSTRAP_QUALIFIER}-cfn-exec-role-{wanted.account}-{wanted.region}"
    return _role_arn(preflight, name) or _caller(preflight)


def _caller(preflight: Preflight) -> str:
    from bedplate.validation.aws import aws_errors

    with aws_errors("asking who the caller is"):
        arn = preflight.clients.sts.get_caller_identity()["Arn"]
    assumed = _ASSUMED.match(arn)
    if assumed is None:
        return arn
    partition, account, name = assumed.groups()
    # The session's ARN leaves the role's path out, and the simulator wants the whole ARN.
    return _role_arn(preflight, name) or f"arn:{partition}:iam::{account}:role/{name}"


def _role_arn(preflight: Preflight, name: str) -> str | None:
    from bedplate.validation.aws import aws_errors

    iam = preflight.clients.iam
    with aws_errors(f"looking for the role {name}"):
        try:
            return iam.get_role(RoleName=name)["Role"].get("Arn") or None
        except iam.exceptions.NoSuchEntityException:
            return None
