"""PRE-004: the CDK's bootstrap stack is there, and new enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

LEAST_VERSION = 6
"""What the CDK's default synthesizer asks for (aws-cdk-lib, ``DefaultStackSynthesizer``)."""
PARAMETER = "/cdk-bootstrap/hnb659fds/version"
ROW = CheckRow(
    id="PRE-004",
    title="the CDK's bootstrap stack is there, and new enough",
    what=f"The SSM parameter `{PARAMETER}`; at least {LEAST_VERSION}.",
    why="Without the bucket and the roles of the bootstrap stack `cdk deploy` stops at its first step.",
    fix="Run `cdk bootstrap aws://ACCOUNT/REGION`; it also brings an old bootstrap stack up to date.",
    by_hand=f"`aws ssm get-parameter --name {PARAMETER}`",
)


def applies(environment: Environment) -> bool:  # noqa: ARG001 - one signature for all checks
    """Always."""
    return True


def check(preflight: Preflight) -> list[Verdict]:
    """Read the version that bootstrapping left."""
    from bedplate.validation.aws import aws_errors

    writer, wanted = Writer(ROW.id), preflight.environment
    remedy = f"Run `cdk bootstrap aws://{wanted.account}/{wanted.region}`."
    ssm = preflight.clients.ssm
    with aws_errors(f"reading {PARAMETER}"):
        try:
            value = ssm.get_parameter(Name=PARAMETER)["Parameter"]["Value"]
        except ssm.exceptions.ParameterNotFound:
            where = f"{wanted.account}/{wanted.region}"
            return [writer.failed(f"{where} is not bootstrapped", expected=LEAST_VERSION, remedy=remedy)]
    if not value.isdigit():
        return [writer.not_made(f"{PARAMETER} holds {value!r}, not a number", remedy=remedy)]
    if int(value) < LEAST_VERSION:
        summary = f"the bootstrap stack has version {value}, {LEAST_VERSION} is needed"
        return [writer.failed(summary, measured=int(value), expected=LEAST_VERSION, remedy=remedy)]
    return [writer.passed(f"bootstrap version {value}", measured=int(value), expected=LEAST_VERSION)]
