"""EC2 instance types that SageMaker HyperPod runs clusters on, without its prefix ``ml.``.

SageMaker API Reference, ClusterInstanceGroupSpecification, InstanceType (as in botocore; a test holds the two
against each other).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_SIZES: Mapping[str, str] = MappingProxyType(
    {
        "p4d": "24xlarge",
        "p4de": "24xlarge",
        "p5": "48xlarge 4xlarge",
        "p6e-gb200": "36xlarge",
        "trn1": "32xlarge",
        "trn1n": "32xlarge",
        "g5": "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
        "c5": "large xlarge 2xlarge 4xlarge 9xlarge 12xlarge 18xlarge 24xlarge",
        "c5n": "large 2xlarge 4xlarge 9xlarge 18xlarge",
        "m5": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge",
        "t3": "medium large xlarge 2xlarge",
        "g6": "xlarge 2xlarge 4xlarge 8xlarge 16xlarge 12xlarge 24xlarge 48xlarge",
        "gr6": "4xlarge 8xlarge",
        "g6e": "xlarge 2xlarge 4xlarge 8xlarge 16xlarge 12xlarge 24xlarge 48xlarge",
        "p5e": "48xlarge",
        "p5en": "48xlarge",
        "p6-b200": "48xlarge",
        "trn2": "3xlarge 48xlarge",
        "c6i": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge",
        "m6i": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge",
        "r6i": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge",
        "i3en": "large xlarge 2xlarge 3xlarge 6xlarge 12xlarge 24xlarge",
        "m7i": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
        "r7i": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
        "r5d": "16xlarge",
        "g7e": "2xlarge 4xlarge 8xlarge 12xlarge 24xlarge 48xlarge",
        "p6-b300": "48xlarge",
        "g4dn": "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
        "c6g": "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
        "c7g": "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
        "c8g": "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
        "c6a": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge 48xlarge",
        "m6a": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge 48xlarge",
        "m6g": "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
        "m7g": "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
        "m8g": "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
        "g7": "2xlarge 4xlarge 8xlarge 12xlarge 24xlarge 48xlarge",
        "c8a": "16xlarge",
        "m8a": "16xlarge",
    }
)
"""Family → its sizes."""

HYPERPOD_TYPES: tuple[str, ...] = tuple(
    f"{family}.{size}" for family, sizes in _SIZES.items() for size in sizes.split()
)
"""In the order of the API's list, family by family."""
