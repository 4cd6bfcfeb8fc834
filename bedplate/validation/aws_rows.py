"""What ``bedplate explain`` says about AWS errors."""

from __future__ import annotations

from bedplate.explanation import CheckRow

_ROWS = (
    CheckRow(
        id="AWS-001",
        title="AWS cannot be reached",
        what="A request to AWS got no answer, or the connection broke in the middle of a run.",
        why="What was not asked is not known; a run that is cut off never counts as passed.",
        fix="Look at network, proxy, Region and `AWS_ENDPOINT_URL`, then run the command again.",
        by_hand="`aws sts get-caller-identity --region REGION`",
    ),
    CheckRow(
        id="AWS-002",
        title="There are no credentials, or they are refused",
        what="Whether a request can be signed with credentials that AWS accepts.",
        why="Without them nothing can be asked.",
        fix="Sign in again, for example `aws sso login --profile NAME`, and set `AWS_PROFILE`.",
        by_hand="`aws sts get-caller-identity`",
    ),
    CheckRow(
        id="AWS-003",
        title="The caller is not allowed to do this",
        what="Whether the identity that runs the command has the permission that the message names.",
        why="A question that may not be asked is a check that could not be made, not a pass.",
        fix="Attach the managed policy named by the stack output `OperatorPolicyArn` to the identity.",
        by_hand="`aws iam simulate-principal-policy --policy-source-arn ARN --action-names ACTION`",
    ),
    CheckRow(
        id="AWS-004",
        title="AWS refused the request",
        what="AWS understood the request and refused it for the reason in the message.",
        why="The command cannot go on with what AWS refuses.",
        fix="Mend what the message names, then run the command again.",
        by_hand="Repeat the call that the message names with the AWS CLI.",
    ),
    CheckRow(
        id="AWS-005",
        title="There is no manifest of this environment",
        what="Whether the SSM parameter `/bedplate/ENV/manifest` leads to a manifest that can be read.",
        why="Validation knows a cluster by what its deploy has left behind, and by nothing else.",
        fix="Deploy all stacks with this version of Bedplate: `cdk deploy -c env=ENV --all`.",
        by_hand="`aws ssm get-parameter --name /bedplate/ENV/manifest`",
    ),
)

ROWS = {row.id: row for row in _ROWS}
"""Id → row."""
