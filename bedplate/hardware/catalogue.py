"""Every instance type in the table, and the look-up by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.hardware.instance import InstanceType
from bedplate.hardware.p5 import P5_FAMILY
from bedplate.hardware.p6 import P6_FAMILY
from bedplate.hardware.unknown import UnknownInstanceType

INSTANCE_TYPES: Mapping[str, InstanceType] = MappingProxyType(
    {each.name: each for each in P5_FAMILY + P6_FAMILY}
)
"""Instance type by name, e.g. ``p5en.48xlarge``; read only."""


def instance_type(name: str) -> InstanceType:
    """Return the row of this instance type.

    Raises ``UnknownInstanceType``, which carries the nearest known name.
    """
    try:
        return INSTANCE_TYPES[name]
    except KeyError:
        raise UnknownInstanceType(name, INSTANCE_TYPES) from None
