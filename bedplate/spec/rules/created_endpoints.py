"""NET-010: route tables are given exactly where endpoints are made in an existing VPC."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse made endpoints without route tables, route tables without them, and a table named twice."""
    vpc = draft.network.vpc if draft.network else None
    if vpc is None:
        return
    path = ("network", "vpc", "route_tables")
    given = f"[{', '.join(vpc.route_tables)}]"
    if vpc.endpoints == "create" and not vpc.route_tables:
        yield Violation(
            path=("network", "vpc", "endpoints"),
            message="endpoints are to be made, and no route table is given for the gateway to S3",
            allowed="`endpoints: create` with `route_tables`",
            remedy="Add `route_tables: [rtb-…]`, those of the GPU subnet and of the control subnets.",
        )
    elif vpc.endpoints == "existing" and vpc.route_tables:
        yield Violation(
            path=path,
            message="route tables are given, and no endpoint is made that would use them",
            given=given,
            allowed="`route_tables` with `endpoints: create`",
            remedy="Remove `route_tables`, or set `endpoints: create`.",
        )
    elif len(set(vpc.route_tables)) < len(vpc.route_tables):
        yield Violation(
            path=path,
            message="a route table is named twice",
            given=given,
            allowed="route tables that all differ",
            remedy="Name each route table once; subnets may share one.",
        )


RULE = Rule(
    row=CheckRow(
        id="NET-010",
        title="route tables are given where endpoints are made",
        what=(
            "`network.vpc.route_tables` lists route tables, each once, where `network.vpc.endpoints` is "
            "`create`, and is left out where it is `existing`."
        ),
        why=(
            "The gateway endpoint for S3 is a route in the route tables of the subnets that use it. Without "
            "one, nodes in a closed network cannot fetch the node program, and none of them comes up."
        ),
        fix="List the route tables of the GPU subnet and of the control subnets.",
        by_hand=(
            "`aws ec2 describe-route-tables --filters Name=association.subnet-id,Values=subnet-… --query "
            "'RouteTables[].RouteTableId'`; a subnet without an entry uses the VPC's main table."
        ),
    ),
    check=check,
)
