"""The events that EC2 sends to EventBridge about a Capacity Block.

AWS spells them in two ways. The EC2 User Guide ("Monitor Capacity Blocks using EventBridge") has
`Capacity Block Delivered` in some editions and `Capacity Block Reservation Delivered` in others, and the same
for the warning; the PCS User Guide ("Capacity Blocks", questions and answers) has the longer form. Which one
EC2 sends is unverified, so rules match both. Source is `aws.ec2`; `detail` holds `capacity-reservation-id`
and `end-date`.
"""

from __future__ import annotations

EVENT_SOURCE = "aws.ec2"

DELIVERED = ("Capacity Block Delivered", "Capacity Block Reservation Delivered")
"""The block has begun, and its capacity is there."""

EXPIRATION_WARNING = (
    "Capacity Block Expiration Warning",
    "Capacity Block Reservation Expiration Warning",
)
"""EC2 begins to take the instances in ten minutes."""


def block_event_pattern(reservation_ids: list[str]) -> dict[str, object]:
    """The EventBridge pattern of all events about these blocks."""
    return {
        "source": [EVENT_SOURCE],
        "detail-type": [*DELIVERED, *EXPIRATION_WARNING],
        "detail": {"capacity-reservation-id": reservation_ids},
    }
