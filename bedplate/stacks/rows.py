"""What ``bedplate explain`` says about errors of the CDK app."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.explanation import CheckRow

_ROWS = (
    CheckRow(
        id="APP-001",
        title="the CDK app is told which environment to build",
        what="The context holds `env`, the name of a file in environments/.",
        why="No environment would be right for everybody; a default could deploy the wrong one.",
        fix="Name it: `cdk synth -c env=demo` reads environments/demo.yaml.",
        by_hand="`ls environments/`",
    ),
    CheckRow(
        id="APP-002",
        title="the stacks can be synthesised",
        what="Constructs, the CDK's own validation and its policy packs accept the environment's stacks.",
        why="What they refuse would fail in AWS, or stand open there.",
        fix="Read the message; set BEDPLATE_DEBUG=1 to see where it comes from. `bedplate check` first.",
        by_hand="`BEDPLATE_DEBUG=1 cdk synth -c env=NAME`",
    ),
    CheckRow(
        id="APP-003",
        title="cdk-nag is installed where its rules are asked for",
        what="With `-c policy=true`, the cdk-nag distribution is there.",
        why="Rules that are asked for and not applied would look like rules that were kept.",
        fix="Install it with `pip install cdk-nag`, or leave policy=true out.",
        by_hand="`python3 -c 'import cdk_nag'`",
    ),
    CheckRow(
        id="IMG-001",
        title="an AMI id is written as one",
        what="An AMI given by context is `ami-` and hexadecimal digits.",
        why="CloudFormation would refuse it when the launch template is made, minutes into the deploy.",
        fix="Give an id such as ami-0123456789abcdef0.",
        by_hand="`aws ec2 describe-images --image-ids ami-…`",
    ),
)

ROWS: Mapping[str, CheckRow] = MappingProxyType({row.id: row for row in _ROWS})
