"""What each kind of fault is worth: new hardware, a drain until somebody has looked, or neither."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from bedplate.hardware.xids import policy as xid_policy
from bedplate.hardware.xids.catalogue import XIDS


class Disposition(StrEnum):
    """What may be done with a node that has a kind of fault."""

    REPLACE = "replace"
    """The hardware is not to be trusted: other hardware is the remedy."""
    DRAIN = "drain"
    """No job may go there; a reboot or a look comes before new hardware."""
    LOOK = "look"
    """One run does not prove that it is this node's: a second look comes before anything is done."""
    NEVER = "never"
    """A setting or a program: a drained node with a wrong setting is a lost node, and the next has it too."""


DISPOSITIONS: Mapping[str, Disposition] = {
    "efa-device-lost": Disposition.REPLACE,
    "efa-device-slow": Disposition.REPLACE,
    "row-remap-failure": Disposition.REPLACE,
    "nvlink-slow": Disposition.REPLACE,
    "dcgm-hardware": Disposition.REPLACE,
    # Compared with its neighbours only, by a bound of ours.
    "efa-device-faulty": Disposition.DRAIN,
    "gpu-memory-slow": Disposition.REPLACE,
    "gpu-slow": Disposition.REPLACE,
    "gpu-throttled": Disposition.REPLACE,
    "nvme-disk-lost": Disposition.REPLACE,
    "nvme-slow": Disposition.DRAIN,
    "storage-corruption": Disposition.REPLACE,
    "pcie-degraded": Disposition.DRAIN,
    "nvlink-errors": Disposition.DRAIN,
    "gpu-lost": Disposition.DRAIN,
    "gpu-other-model": Disposition.DRAIN,
    "ecc-uncorrected": Disposition.DRAIN,
    "nvlink-down": Disposition.DRAIN,
    "node-unreachable": Disposition.DRAIN,
    "node-not-ready": Disposition.DRAIN,
    "devices-short": Disposition.DRAIN,
    "efa-errors": Disposition.LOOK,
    "file-system-slow": Disposition.LOOK,
    "file-system-unreachable": Disposition.LOOK,
    "association-broken": Disposition.NEVER,
    "bootstrap-incomplete": Disposition.NEVER,
    "clock-wrong": Disposition.NEVER,
    "device-plugin-off": Disposition.NEVER,
    "device-plugin-shares": Disposition.NEVER,
    "efa-traffic-blocked": Disposition.NEVER,
    "fabric-manager-down": Disposition.NEVER,
    "file-system-not-mounted": Disposition.NEVER,
    "file-system-read-only": Disposition.NEVER,
    "gdrcopy-off": Disposition.NEVER,
    "gpu-clocks-limited": Disposition.NEVER,
    "huge-pages-missing": Disposition.NEVER,
    "imex-down": Disposition.NEVER,
    "lnet-efa-missing": Disposition.NEVER,
    "lustre-over-tcp": Disposition.NEVER,
    "nvlink-domain-off": Disposition.NEVER,
    "persistence-off": Disposition.NEVER,
    "scratch-volume": Disposition.NEVER,
    "software-incompatible": Disposition.NEVER,
    "version-skew": Disposition.NEVER,
    "dcgm-configuration": Disposition.NEVER,
    "efa-fallback-socket": Disposition.NEVER,
    "gpudirect-off": Disposition.NEVER,
    "data-corruption": Disposition.NEVER,
    "leaf-slow": Disposition.NEVER,
    "link-slow": Disposition.NEVER,
    "fabric-configuration": Disposition.NEVER,
    "slow-together": Disposition.NEVER,
    "collective-hang": Disposition.NEVER,
    "collective-crash": Disposition.NEVER,
}
"""Cause id → disposition. A cause that is not here is acted upon by nobody; a test wants every cause here."""

_XID = re.compile(r"(?P<kind>s?xid)-(?P<code>\d{1,6})")


def disposition(cause_id: str, xid_policies: Mapping[int, str] = MappingProxyType({})) -> Disposition | None:
    """What may be done about a cause; None for one that nobody has weighed, which is never acted upon.

    ``xid_policies`` are the environment's own, code → policy; they go before the catalogue's.
    """
    match = _XID.fullmatch(cause_id)
    if match is None:
        return DISPOSITIONS.get(cause_id)
    if match.group("kind") == "sxid":
        # An NVSwitch's fault shows on all GPUs of the node: NVIDIA's remedy is a restart before all else.
        return Disposition.DRAIN
    code = int(match.group("code"))
    entry = XIDS.get(code)
    policy = xid_policies.get(code) or (None if entry is None else entry.policy)
    if policy is None:
        return None
    return Disposition.REPLACE if policy == xid_policy.REPLACE else Disposition.DRAIN
