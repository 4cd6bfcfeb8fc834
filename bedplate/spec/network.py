"""The network section: where the capacity is, and the addresses around it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictStr

from bedplate.spec.base import Section, about

ZONE_ID_PATTERN = r"^[a-z]{2,5}[0-9]-([a-z]{3}[0-9]-)?az[0-9]$"
_ZONE_REMEDY = (
    "Give the zone's id, which is the same in every account; "
    "`aws ec2 describe-availability-zones --query 'AvailabilityZones[].[ZoneName,ZoneId]'` lists them."
)
_SUBNET_PATTERN = r"^subnet-([0-9a-f]{8}|[0-9a-f]{17})$"

ZoneId = Annotated[
    StrictStr, about("An AZ id", update="replaces", pattern=ZONE_ID_PATTERN, remedy=_ZONE_REMEDY)
]
SubnetId = Annotated[
    StrictStr,
    about(
        "A subnet id",
        update="replaces",
        pattern=_SUBNET_PATTERN,
        remedy="Give a subnet id: `subnet-` and 17 (or 8) hexadecimal digits.",
    ),
]


RouteTableId = Annotated[
    StrictStr,
    about(
        "A route table id",
        update="in-place",
        pattern=r"^rtb-([0-9a-f]{8}|[0-9a-f]{17})$",
        remedy="Give a route table id: `rtb-` and 17 (or 8) hexadecimal digits.",
    ),
]
ServiceName = Annotated[
    StrictStr,
    about(
        "The name of an AWS service, as its endpoint has it",
        update="in-place",
        pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$",
        remedy="Give what follows `com.amazonaws.REGION.` in the endpoint's service name, such as `ecr.api`; "
        "`aws ec2 describe-vpc-endpoint-services --query ServiceNames` lists them.",
    ),
]


class ExistingVpc(Section):
    """A VPC that is already there, instead of one that Bedplate makes."""

    id: Annotated[
        StrictStr,
        about(
            "The VPC's id.",
            update="not-possible",
            examples=["vpc-0123456789abcdef0"],
            pattern=r"^vpc-([0-9a-f]{8}|[0-9a-f]{17})$",
            remedy="Give a VPC id: `vpc-` and 17 (or 8) hexadecimal digits.",
        ),
    ]
    gpu_subnet: Annotated[
        SubnetId,
        about(
            "The private subnet in `network.zone` that the nodes and the file system live in.",
            update="replaces",
            examples=["subnet-0123456789abcdef0"],
        ),
    ]
    control_subnets: Annotated[
        tuple[SubnetId, ...],
        about(
            "Private subnets in `network.control_zones`, in the same order.",
            update="replaces",
            examples=[["subnet-0123456789abcdef1", "subnet-0123456789abcdef2"]],
            min_length=2,
        ),
    ]
    fabric_group: Annotated[
        StrictStr | None,
        about(
            "An existing security group for all nodes, which must admit itself by id both ways; Bedplate "
            "makes one where none is given.",
            update="stop-fleet",
            examples=["sg-0123456789abcdef0"],
            pattern=r"^sg-([0-9a-f]{8}|[0-9a-f]{17})$",
            remedy="Give a security group's id, `sg-` and 17 (or 8) hexadecimal digits.",
        ),
    ] = None
    endpoints: Annotated[
        Literal["existing", "create"],
        about(
            "Where the ways to AWS come from: `existing` leaves them to you (`bedplate preflight` looks "
            "whether they are there), `create` makes the gateway to S3 and, with `internet: none`, an "
            "interface endpoint for each service that the cluster calls.",
            update="in-place",
            examples=["existing"],
        ),
    ] = "existing"
    route_tables: Annotated[
        tuple[RouteTableId, ...],
        about(
            "Route tables of the GPU subnet and the control subnets, for the gateway to S3; with "
            "`endpoints: create` alone.",
            update="in-place",
            examples=[["rtb-0123456789abcdef0"]],
            max_length=20,
        ),
    ] = ()


class Network(Section):
    """Where the capacity is, and the addresses around it. Nodes and file system follow the zone."""

    zone: Annotated[
        ZoneId,
        about(
            "The AZ id that the capacity is in. Nodes and file system live here: EFA does not cross zones.",
            update="not-possible",
            examples=["usw2-az2"],
        ),
    ]
    control_zones: Annotated[
        tuple[ZoneId, ...],
        about(
            "Two AZ ids for what must survive the loss of a zone.",
            update="replaces",
            examples=[["usw2-az1", "usw2-az2"]],
        ),
    ]
    cidr: Annotated[
        StrictStr | None,
        about(
            "Private IPv4 range of the VPC that Bedplate makes, /16 to /25. Give this or `vpc`.",
            update="not-possible",
            examples=["10.40.0.0/16"],
        ),
    ] = None
    vpc: Annotated[
        ExistingVpc | None,
        about("An existing VPC to use. Give this or `cidr`.", update="not-possible"),
    ] = None
    internet: Annotated[
        Literal["nat", "none"],
        about(
            "How nodes reach the internet: `nat` by a NAT gateway, `none` not at all (VPC endpoints only).",
            update="in-place",
            examples=["nat"],
        ),
    ] = "nat"
    endpoint_services: Annotated[
        tuple[ServiceName, ...],
        about(
            "Further AWS services that jobs call, each with an interface endpoint; for `internet: none` "
            "alone. What the cluster itself calls has one in any case.",
            update="in-place",
            examples=[["ecr.api", "ecr.dkr", "logs"]],
            max_length=30,
        ),
    ] = ()
