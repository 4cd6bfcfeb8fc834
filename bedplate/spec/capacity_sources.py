"""Where a pool's nodes come from: a tagged union that alone decides market type, placement group and limits.

Facts: EC2 User Guide on Capacity Reservations and Capacity Blocks; schema of AWS::EC2::LaunchTemplate.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StrictStr

from bedplate.spec.base import Section, about

CREATE = "create"
"""The word for a reservation that the stack makes itself."""

ReservationId = Annotated[
    StrictStr,
    about(
        "A capacity reservation's id",
        update="stop-fleet",
        pattern=r"^cr-[0-9a-f]{17}$",
        remedy="Give the reservation's id, `cr-` and 17 hexadecimal digits; "
        "`aws ec2 describe-capacity-reservations` lists yours.",
    ),
]


def _source(description: str) -> Any:
    return about(description, update="stop-fleet")


class OnDemand(Section):
    """Nodes bought by the second; no reservation is touched."""

    source: Annotated[
        Literal["on-demand"], _source("On-Demand, in a cluster placement group, no reservation used.")
    ]


PlacementGroupName = Annotated[
    StrictStr | None,
    about(
        "The existing cluster placement group that the reservation was made in; leave it out where it was "
        "made in none. An open reservation in a group is used by the group's name only; by a targeted one's "
        "name the nodes become members of the group.",
        update="stop-fleet",
        examples=["research-1"],
        pattern=r"^[A-Za-z0-9 _.:/=+@-]{1,255}$",
        remedy="`aws ec2 describe-capacity-reservations --query "
        "'CapacityReservations[].[CapacityReservationId,PlacementGroupArn]'` tells.",
    ),
]


class OpenReservation(Section):
    """On-Demand nodes that fall into any open reservation that matches, and spill over beyond it."""

    source: Annotated[
        Literal["open-reservation"], _source("Any open On-Demand Capacity Reservation that matches.")
    ]
    placement_group: PlacementGroupName = None


class TargetedReservation(Section):
    """On-Demand nodes from one reservation, or one group of them, only; launches fail rather than spill over.

    Exactly one of ``reservation`` and ``resource_group`` is given (CAP-009).
    """

    source: Annotated[
        Literal["targeted-reservation"], _source("On-Demand Capacity Reservations, and nothing else.")
    ]
    reservation: Annotated[
        StrictStr | None,
        about(
            "The reservation's id, or `create` for one that the stack makes for the pool's largest size, and "
            "that is paid for from then on.",
            update="stop-fleet",
            examples=["cr-0123456789abcdef0", "create"],
            pattern=r"^(create|cr-[0-9a-f]{17})$",
            remedy="Give the reservation's id, `cr-` and 17 hexadecimal digits, or `create`; "
            "`aws ec2 describe-capacity-reservations` lists yours.",
        ),
    ] = None
    resource_group: Annotated[
        StrictStr | None,
        about(
            "ARN of a resource group of reservations (of the type AWS::EC2::CapacityReservationPool).",
            update="stop-fleet",
            examples=["arn:aws:resource-groups:us-west-2:123456789012:group/h200"],
            pattern=r"^arn:aws[a-z-]*:resource-groups:[a-z0-9-]+:[0-9]{12}:group/[A-Za-z0-9_.-]{1,300}$",
            remedy="Give the group's ARN; `aws resource-groups list-groups` lists yours.",
        ),
    ] = None
    placement_group: PlacementGroupName = None


class InterruptibleReservation(Section):
    """Nodes from an interruptible reservation, which its owner may take back at two minutes' notice."""

    source: Annotated[
        Literal["interruptible-reservation"],
        _source("An interruptible Capacity Reservation that another account or team lends."),
    ]
    reservation: Annotated[
        ReservationId,
        about("The reservation's id.", update="stop-fleet", examples=["cr-0123456789abcdef0"]),
    ]


class CapacityBlock(Section):
    """Nodes of an EC2 Capacity Block for ML: 1 to 64 instances in one UltraCluster, for a fixed time."""

    source: Annotated[Literal["capacity-block"], _source("An EC2 Capacity Block for ML, bought beforehand.")]
    reservation: Annotated[
        ReservationId, about("The block's id.", update="stop-fleet", examples=["cr-0123456789abcdef0"])
    ]


class UltraServerBlock(Section):
    """Nodes of an EC2 Capacity Block for UltraServers: whole UltraServers, for a fixed time."""

    source: Annotated[
        Literal["ultraserver-block"], _source("An EC2 Capacity Block for UltraServers, bought beforehand.")
    ]
    reservation: Annotated[
        ReservationId,
        about("The reservation id of the block.", update="stop-fleet", examples=["cr-0123456789abcdef0"]),
    ]


class TrainingPlan(Section):
    """Nodes of a SageMaker flexible training plan."""

    source: Annotated[Literal["training-plan"], _source("A SageMaker flexible training plan.")]
    plan: Annotated[
        StrictStr,
        about(
            "The plan's ARN.",
            update="stop-fleet",
            examples=["arn:aws:sagemaker:us-west-2:123456789012:training-plan/frontier"],
            pattern=r"^arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:training-plan/[a-zA-Z0-9-]{1,64}$",
            remedy="Give the plan's ARN; `aws sagemaker list-training-plans` lists yours.",
        ),
    ]


class Spot(Section):
    """Spare nodes at a discount that AWS may take back with two minutes' notice."""

    source: Annotated[Literal["spot"], _source("Spot, in a cluster placement group.")]


CapacitySource = Annotated[
    OnDemand
    | OpenReservation
    | TargetedReservation
    | InterruptibleReservation
    | CapacityBlock
    | UltraServerBlock
    | TrainingPlan
    | Spot,
    Field(discriminator="source"),
]

SOURCE_NAMES = (
    "on-demand",
    "open-reservation",
    "targeted-reservation",
    "interruptible-reservation",
    "capacity-block",
    "ultraserver-block",
    "training-plan",
    "spot",
)
