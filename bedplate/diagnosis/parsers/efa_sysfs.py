"""The EFA devices in the probe's listing of ``/sys/class/infiniband``.

Other devices live there too (p6-b200 shows two ``ibp*`` beside its eight EFAs), so a device counts by
vendor 0x1d0f and driver ``efa``, not by its place. Source: aws/sagemaker-hyperpod-cli pull request 282.
"""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError

TOOL = "sysfs listing"
AMAZON = "0x1d0f"


@dataclass(frozen=True)
class InfinibandDevice:
    """One device as sysfs shows it; ``hw_counters`` are the counters that could be read."""

    name: str
    vendor: str
    device: str
    driver: str
    hw_counters: tuple[tuple[str, int], ...]

    @property
    def is_efa(self) -> bool:
        """Whether it is an EFA: Amazon's vendor id, and bound to the efa driver."""
        return self.vendor == AMAZON and self.driver == "efa"


@dataclass(frozen=True)
class EfaSysfs:
    """All devices of the listing."""

    devices: tuple[InfinibandDevice, ...]

    @property
    def efa_devices(self) -> tuple[str, ...]:
        """The names of the EFA devices, sorted."""
        return tuple(sorted({device.name for device in self.devices if device.is_efa}))

    @property
    def unbound(self) -> tuple[str, ...]:
        """Amazon's devices that the efa driver does not hold."""
        return tuple(sorted(d.name for d in self.devices if d.vendor == AMAZON and d.driver != "efa"))


def parse_efa_sysfs(listing: object) -> EfaSysfs:
    """Read the listing ``[{"name", "vendor", "device", "driver", "hw_counters"}]``; ParseError for any
    other shape.

    An empty list is a listing: the folder was read and holds nothing.
    """
    if not isinstance(listing, list):
        raise ParseError(tool=TOOL, reason="it is no list")
    devices = []
    for index, entry in enumerate(listing, start=1):
        if not isinstance(entry, dict):
            raise ParseError(tool=TOOL, reason="an entry is no object", line=index)
        words = [entry.get(key) for key in ("name", "vendor", "device", "driver")]
        name, vendor, device, driver = (word.strip() if isinstance(word, str) else "" for word in words)
        if not name:
            raise ParseError(tool=TOOL, reason="an entry has no name", line=index)
        devices.append(InfinibandDevice(name, vendor.lower(), device.lower(), driver, _counters(entry)))
    return EfaSysfs(tuple(devices))


def _counters(entry: dict[object, object]) -> tuple[tuple[str, int], ...]:
    counters = entry.get("hw_counters")
    if not isinstance(counters, dict):
        return ()
    found = ((key, value) for key, value in counters.items() if isinstance(key, str) and type(value) is int)
    return tuple(sorted(found))
