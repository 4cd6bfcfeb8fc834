"""What the counters of EFA devices rose by between two readings of sysfs.

Names are those of the Linux driver (``drivers/infiniband/hw/efa/efa_verbs.c``). They count from the device's
start, and are said to survive a reboot of the instance, so only a rise between two readings says anything of
what ran between them. The five counters of retransmission are there from Nitro v4 on (EC2 User Guide,
"Monitor an Elastic Fabric Adapter").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError

TOOL = "EFA counters"

EVENTS = (
    "retrans_timeout_events",
    "unresponsive_remote_events",
    "impaired_remote_conn_events",
    "rdma_read_wr_err",
    "rdma_write_wr_err",
)
"""Each is an event that a healthy path does not have: traffic timed out and took another path, a peer did not
answer, a connection was throttled, a work request ended in an error.
"""
SIGNALS = ("rx_drops", "retrans_pkts")
"""They rise under congestion too; AWS publishes no limit for them."""
CARRIED = ("tx_bytes", "send_bytes", "rdma_read_resp_bytes", "rdma_write_bytes")
"""Bytes that left the device, by the ways that libfabric may send them."""


@dataclass(frozen=True)
class CounterRise:
    """What one device's counters rose by; a counter that was not in both readings is left out."""

    device: str
    rise: tuple[tuple[str, int], ...]

    def of(self, name: str) -> int | None:
        """The rise of one counter; None where the driver has no such counter."""
        return dict(self.rise).get(name)

    def risen(self, names: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
        """Those of ``names`` that rose, with by how much."""
        return tuple((name, value) for name, value in self.rise if name in names and value > 0)

    @property
    def carried_bytes(self) -> int | None:
        """Bytes that left the device, by the counter that says most; None where none was read."""
        told = [value for name, value in self.rise if name in CARRIED]
        return max(told) if told else None


def counter_rise(*, device: str, before: object, after: object) -> CounterRise:
    """The rise between two readings ``{"name": number}``.

    ParseError where a reading is none, or a counter fell: the device was reset between, and nothing is known.
    """
    first, second = _reading(before, device), _reading(after, device)
    rise = []
    for name in sorted(set(first) & set(second)):
        if second[name] < first[name]:
            raise ParseError(tool=TOOL, reason=f"{name} of {device} fell: the device was reset")
        rise.append((name, second[name] - first[name]))
    return CounterRise(device, tuple(rise))


def _reading(reading: object, device: str) -> Mapping[str, int]:
    if not isinstance(reading, dict):
        raise ParseError(tool=TOOL, reason=f"there is no reading of {device}")
    return {
        name: value
        for name, value in reading.items()
        if isinstance(name, str) and type(value) is int and value >= 0
    }
