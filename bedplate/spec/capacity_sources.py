"""Where a pool's nodes come from: a tagged union that alone decides market type, placement group and limits.

Facts: EC2 User Guide on Capacity Reservations and Capacity Blocks; schema of AWS::EC2::LaunchTemplate.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StrictStr

from bedplate.spec.base import Section, about

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


class OpenReservation(Section):
    """On-Demand nodes that fall into any open reservation that matches, and spill over beyond it."""

    source: Annotated[
        Literal["open-reservation"], _source("Any open On-Demand Capacity Reservation that matches.")
    ]


class TargetedReservation(Section):
    """On-Demand nodes from one reservation only; launches fail rather than spill over."""

    source: Annotated[
        Literal["targeted-reservation"], _source("One On-Demand Capacity Reservation, and nothing else.")
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
    OnDemand | OpenReservation | TargetedReservation | CapacityBlock | UltraServerBlock | TrainingPlan | Spot,
    Field(discriminator="source"),
]

SOURCE_NAMES = (
    "on-demand",
    "open-reservation",
    "targeted-reservation",
    "capacity-block",
    "ultraserver-block",
    "training-plan",
    "spot",
)
