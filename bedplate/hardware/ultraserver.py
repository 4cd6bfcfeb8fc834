"""UltraServers: instances that share one NVLink domain and are bought together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bedplate.hardware import sources
from bedplate.hardware.instance import InstanceType
from bedplate.hardware.p6 import P6E_GB200_36XLARGE
from bedplate.hardware.unknown import UnknownUltraServer


@dataclass(frozen=True)
class UltraServer:
    """One UltraServer: how many instances of which type stand in its NVLink domain, and where it is sold.

    ``zones`` are Availability or Local Zone names; a pool on an UltraServer must lie in one of them.
    """

    name: str
    instance_type: InstanceType
    instances: int
    zones: tuple[str, ...]
    capacity_sources: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def gpus(self) -> int:
        """GPUs in the NVLink domain."""
        return self.instances * self.instance_type.gpus

    @property
    def efa_gbps_total(self) -> int:
        """EFA bandwidth of all instances together, in gigabits a second in one direction."""
        return self.instances * self.instance_type.efa_gbps_total


def _p6e(*, name: str, instances: int) -> UltraServer:
    return UltraServer(
        name=name,
        instance_type=P6E_GB200_36XLARGE,
        instances=instances,
        zones=("us-east-1-dfw-2a",),
        capacity_sources=P6E_GB200_36XLARGE.capacity_sources,
        sources=(sources.CAPACITY_BLOCKS,),
    )


ULTRASERVERS: Mapping[str, UltraServer] = MappingProxyType(
    {
        each.name: each
        for each in (_p6e(name="u-p6e-gb200x36", instances=9), _p6e(name="u-p6e-gb200x72", instances=18))
    }
)
"""UltraServer by name; read only."""


def ultraserver(name: str) -> UltraServer:
    """Return the row of this UltraServer.

    Raises ``UnknownUltraServer``, which carries the nearest known name.
    """
    try:
        return ULTRASERVERS[name]
    except KeyError:
        raise UnknownUltraServer(name, ULTRASERVERS) from None


def ultraservers_of(instance_type_name: str) -> tuple[UltraServer, ...]:
    """Return the UltraServers made of this instance type, smallest first; none for all but GB200."""
    found = [each for each in ULTRASERVERS.values() if each.instance_type.name == instance_type_name]
    return tuple(sorted(found, key=lambda each: each.instances))
