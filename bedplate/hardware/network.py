"""Network cards, and the interfaces that a launch attaches to them."""

from __future__ import annotations

from dataclasses import dataclass

INTERFACE = "interface"
"""An ENA interface: it has IP addresses."""
EFA_ONLY = "efa-only"
"""An EFA device without any IP address; it can never be the primary interface."""


SAVE_ADDRESSES = "save-addresses"
"""The choice of layout with one address an instance."""
MORE_ADDRESS_BANDWIDTH = "more-address-bandwidth"
"""The choice of layout with further ENA interfaces, each with an address."""


@dataclass(frozen=True)
class NetworkCard:
    """One network card: how many interfaces it takes, and whether an EFA may be among them.

    ``peak_gbps`` is gigabits a second as DescribeInstanceTypes reports it, ``None`` where no source gives it.
    """

    index: int
    max_interfaces: int
    efa: bool
    peak_gbps: float | None = None


@dataclass(frozen=True)
class Interface:
    """One entry of the launch template's network interfaces: ``kind`` is ``interface`` or ``efa-only``."""

    card: int
    device: int
    kind: str


@dataclass(frozen=True)
class InterfaceLayout:
    """All interfaces of an instance by one choice; ``efa_gbps_each`` is gigabits a second of each EFA."""

    choice: str
    interfaces: tuple[Interface, ...]
    efa_gbps_each: int

    @property
    def efa_count(self) -> int:
        """How many EFAs the layout attaches."""
        return sum(1 for interface in self.interfaces if interface.kind != INTERFACE)
