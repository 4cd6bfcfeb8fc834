"""Local Zones that accelerated instances are sold in, and what is not known about clusters in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class LocalZone:
    """A Local Zone. ``zone_id`` and ``group`` are the same in every account; ``group`` is what EC2's
    ModifyAvailabilityZoneGroup opts in to.
    """

    name: str
    zone_id: str
    group: str
    region: str
    sources: tuple[str, ...]


LOCAL_ZONES: Mapping[str, LocalZone] = MappingProxyType(
    {
        each.name: each
        for each in (
            LocalZone(
                name="us-east-1-dfw-2a",
                zone_id="use1-dfw2-az1",
                group="us-east-1-dfw-2",
                region="us-east-1",
                sources=(
                    "AWS Local Zones User Guide: Available Local Zones",
                    "EC2 API: ProvisionByoipCidr, network border groups of Local Zones",
                ),
            ),
        )
    }
)
"""Local Zone by name; read only."""

UNVERIFIED = (
    (
        "no document says whether compute nodes of AWS PCS, ParallelCluster or HyperPod come up in a Local "
        "Zone; PCS refuses its cluster there"
    ),
    "no document says whether a gateway endpoint for S3 serves a subnet in a Local Zone",
)
"""What no source settles about nodes in a Local Zone; shown wherever one is used."""
