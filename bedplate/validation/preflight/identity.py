"""PRE-001: the credentials are good, and of the environment's account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-001",
    title="the credentials are good, and of the environment's account",
    what="Who AWS says the caller is (STS GetCallerIdentity), and the account in the environment file.",
    why="A deploy into the wrong account makes everything where nobody looks for it.",
    fix="Sign in to the account that the file names, or correct `account` in the file.",
    by_hand="`aws sts get-caller-identity`",
)


def applies(environment: Environment) -> bool:  # noqa: ARG001 - one signature for all checks
    """Always."""
    return True


def check(preflight: Preflight) -> list[Verdict]:
    """Compare the caller's account with the file's. Raises ``AwsRefused``."""
    from bedplate.validation.aws import aws_errors

    writer, wanted = Writer(ROW.id), preflight.environment.account
    with aws_errors("asking who the caller is"):
        caller = preflight.clients.sts.get_caller_identity()
    account = caller.get("Account", "")
    if account != wanted:
        return [
            writer.failed(
                f"the credentials are of account {account or 'nobody'}, the environment is of {wanted}",
                measured=account,
                expected=wanted,
                remedy=f"Sign in to {wanted}, or correct `account` in the environment file.",
            )
        ]
    return [writer.passed(f"signed in as {caller['Arn']}", measured=account, expected=wanted)]
