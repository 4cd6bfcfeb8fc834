"""Regions and the prefix of their AZ ids (EC2 User Guide, "AZ IDs"); held against moto's zones by a test."""

from __future__ import annotations

from difflib import get_close_matches

ZONE_PREFIXES = {
    "af-south-1": "afs1",
    "ap-east-1": "ape1",
    "ap-east-2": "ape2",
    "ap-northeast-1": "apne1",
    "ap-northeast-2": "apne2",
    "ap-northeast-3": "apne3",
    "ap-south-1": "aps1",
    "ap-south-2": "aps2",
    "ap-southeast-1": "apse1",
    "ap-southeast-2": "apse2",
    "ap-southeast-3": "apse3",
    "ap-southeast-4": "apse4",
    "ap-southeast-5": "apse5",
    "ap-southeast-6": "apse6",
    "ap-southeast-7": "apse7",
    "ca-central-1": "cac1",
    "ca-west-1": "caw1",
    "cn-north-1": "cnn1",
    "cn-northwest-1": "cnnw1",
    "eu-central-1": "euc1",
    "eu-central-2": "euc2",
    "eu-north-1": "eun1",
    "eu-south-1": "eus1",
    "eu-south-2": "eus2",
    "eu-west-1": "euw1",
    "eu-west-2": "euw2",
    "eu-west-3": "euw3",
    "il-central-1": "ilc1",
    "me-central-1": "mec1",
    "me-south-1": "mes1",
    "mx-central-1": "mxc1",
    "sa-east-1": "sae1",
    "us-east-1": "use1",
    "us-east-2": "use2",
    "us-gov-east-1": "usge1",
    "us-gov-west-1": "usgw1",
    "us-west-1": "usw1",
    "us-west-2": "usw2",
}
"""Region → what its AZ ids begin with, before the first hyphen."""


def region_of_zone(zone_id: str) -> str | None:
    """Return the Region that a zone belongs to by its id, or ``None``."""
    prefix = zone_id.split("-")[0]
    return next((region for region, own in ZONE_PREFIXES.items() if own == prefix), None)


def is_local_zone(zone_id: str) -> bool:
    """Say whether an id is that of a Local Zone, which has a place in it (``use1-dfw2-az1``)."""
    return zone_id.count("-") > 1


def nearest_region(name: str) -> str | None:
    """Return the Region whose name is most like ``name``, or ``None`` if none is near."""
    return next(iter(get_close_matches(name, ZONE_PREFIXES, n=1, cutoff=0.7)), None)
