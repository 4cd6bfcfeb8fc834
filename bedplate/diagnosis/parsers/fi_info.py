"""The endpoints that ``fi_info -p efa -t FI_EP_RDM`` lists.

From libfabric 2.1 on each device is listed twice (fabrics ``efa`` and ``efa-direct``), and a domain's name
carries ``-rdm`` or ``-dgrm`` behind the device's: devices are counted by distinct domain without that
suffix. Source: ofiwg/libfabric ``prov/efa``, pull requests 10735 and 11802.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

TOOL = "fi_info"

_FIELD = re.compile(r"^\s*(?P<key>provider|fabric|domain|version|type|protocol):\s*(?P<value>\S.*)$")
_SUFFIX = re.compile(r"-(?:rdm|dgrm)$")
_NONE = re.compile(r"fi_getinfo: -?\d+|No data available|provider efa output empty list")


@dataclass(frozen=True)
class Endpoint:
    """One entry: its provider, fabric, domain and type as printed."""

    provider: str
    fabric: str
    domain: str
    type: str

    @property
    def device(self) -> str:
        """The name of the device: the domain without its suffix."""
        return _SUFFIX.sub("", self.domain)


@dataclass(frozen=True)
class FabricInfo:
    """All entries; ``none_found`` says that libfabric itself told that there is no device."""

    endpoints: tuple[Endpoint, ...]
    none_found: bool

    @property
    def loopbacks(self) -> tuple[Endpoint, ...]:
        """One endpoint for each EFA device, in order: that of the fabric which carries large messages too.

        ``efa-direct`` hands the device's own limits on, so a message of many megabytes needs the other.
        """
        found: dict[str, Endpoint] = {}
        for entry in self.endpoints:
            if entry.provider == "efa" and entry.device and entry.fabric and entry.fabric != "efa-direct":
                found.setdefault(entry.device, entry)
        return tuple(found[device] for device in sorted(found))

    @property
    def efa_devices(self) -> tuple[str, ...]:
        """The distinct EFA devices, sorted: provider exactly ``efa``."""
        return tuple(
            sorted({entry.device for entry in self.endpoints if entry.provider == "efa" and entry.device})
        )


def parse_fi_info(text: str) -> FabricInfo:
    """Read the list; ParseError where it holds neither an entry nor libfabric's word that there is none."""
    entries: list[dict[str, str]] = []
    lines = clean_lines(text)
    for number, line in enumerate(lines, start=1):
        match = _FIELD.match(line)
        if match is None:
            continue
        if match.group("key") == "provider":
            entries.append({})
        elif not entries:
            raise ParseError(tool=TOOL, reason=f"`{match.group('key')}` before any provider", line=number)
        entries[-1].setdefault(match.group("key"), match.group("value").strip())
    none_found = any(_NONE.search(line) for line in lines)
    if not entries and not none_found:
        raise ParseError(tool=TOOL, reason="there is no endpoint in it")
    endpoints = (
        Endpoint(
            entry.get("provider", ""), entry.get("fabric", ""), entry.get("domain", ""), entry.get("type", "")
        )
        for entry in entries
    )
    return FabricInfo(tuple(endpoints), none_found)
