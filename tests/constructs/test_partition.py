"""The partition in ARNs is the Region's."""

from __future__ import annotations

import pytest


@pytest.mark.usefixtures("_cdk")
@pytest.mark.parametrize(
    ("region", "partition"),
    [("us-west-2", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")],
)
def test_the_partition_is_that_of_the_region(region: str, partition: str) -> None:
    """Our own answer for a commercial Region and the CDK's for the others are the Region's partition."""
    from aws_cdk import App, Environment, Stack

    from bedplate.constructs.partition import partition_of

    app = App(context={"@aws-cdk/core:enablePartitionLiterals": True})
    assert partition_of(Stack(app, "stack", env=Environment(region=region))) == partition


@pytest.mark.usefixtures("_cdk")
def test_a_stack_of_no_region_keeps_the_token() -> None:
    """Where the Region is known at deploy time only, the partition is too."""
    from aws_cdk import App, Stack, Token

    from bedplate.constructs.partition import partition_of

    assert Token.is_unresolved(partition_of(Stack(App(), "stack")))
