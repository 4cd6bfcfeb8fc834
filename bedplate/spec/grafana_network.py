"""The network of a Grafana workspace: who reaches it, and what it reaches."""

from __future__ import annotations

from typing import Annotated

from pydantic import StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.network import SubnetId

PrefixListId = Annotated[
    StrictStr,
    about(
        "A prefix list id",
        update="in-place",
        pattern=r"^pl-([0-9a-f]{8}|[0-9a-f]{17})$",
        remedy="Give a prefix list's id: `pl-` and 17 (or 8) hexadecimal digits.",
    ),
]
EndpointId = Annotated[
    StrictStr,
    about(
        "A VPC endpoint id",
        update="in-place",
        pattern=r"^vpce-([0-9a-f]{8}|[0-9a-f]{17})$",
        remedy="Give the id of an interface endpoint to `grafana-workspace`: `vpce-` and 17 (or 8) "
        "hexadecimal digits.",
    ),
]
GroupId = Annotated[
    StrictStr,
    about(
        "A security group id",
        update="in-place",
        pattern=r"^sg-([0-9a-f]{8}|[0-9a-f]{17})$",
        remedy="Give a security group's id: `sg-` and 17 (or 8) hexadecimal digits.",
    ),
]


class GrafanaAccess(Section):
    """From where the workspace is reached, by either list; people must still log in.

    The function that puts dashboards into the workspace then stands in the control subnets, with an endpoint
    of its own, which is let in too.
    """

    prefix_lists: Annotated[
        tuple[PrefixListId, ...],
        about(
            "Managed prefix lists of the addresses that people come from.",
            update="in-place",
            examples=[["pl-0123456789abcdef0"]],
            max_length=5,
        ),
    ] = ()
    vpc_endpoints: Annotated[
        tuple[EndpointId, ...],
        about(
            "Interface endpoints to `grafana-workspace` that people come through. AWS takes five, and one is "
            "the function's.",
            update="in-place",
            examples=[["vpce-0123456789abcdef0"]],
            max_length=4,
        ),
    ] = ()


class GrafanaVpc(Section):
    """Where the workspace's own interfaces stand. All its requests go through there, to AWS too."""

    subnets: Annotated[
        tuple[SubnetId, ...],
        about(
            "Subnets in two zones at least, of one VPC.",
            update="in-place",
            examples=[["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]],
            min_length=2,
            max_length=6,
        ),
    ]
    security_groups: Annotated[
        tuple[GroupId, ...],
        about(
            "Security groups of the interfaces, of the same VPC.",
            update="in-place",
            examples=[["sg-0123456789abcdef0"]],
            min_length=1,
            max_length=5,
        ),
    ]
