"""Network cards, and the interfaces that a launch attaches to them."""

from __future__ import annotations

from dataclasses import dataclass

INTERFACE = "interface"
"""An ENA interface: it has IP addresses."""
EFA_ONLY = "efa-only"
"""An EFA device without any IP address; it can never be the primary interface."""


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
