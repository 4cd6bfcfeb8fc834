"""The partition of a stack, for ARNs."""

from __future__ import annotations

from aws_cdk import Stack

from bedplate.spec.regions import ZONE_PREFIXES

_OTHER_PARTITIONS = ("cn-", "us-gov-")


def partition_of(stack: Stack) -> str:
    """``aws`` where the Region says so, else what the CDK makes of it, which may be a token.

    The CDK's own answer loads its whole table of Regions' facts, a twentieth of a synthesis.
    """
    region = stack.region
    if region in ZONE_PREFIXES and not region.startswith(_OTHER_PARTITIONS):
        return "aws"
    return stack.partition
