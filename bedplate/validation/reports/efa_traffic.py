"""What the EFA devices counted while a collective ran, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bedplate.validation.reports.wording import number_text
from bedplate.validation.result import Bandwidth, EfaTraffic

_GB = 1e9
_COUNTERS = (
    ("rx_drops", "dropped packets"),
    ("retrans_pkts", "packets sent again"),
    ("retrans_timeout_events", "retransmission timeouts"),
    ("unresponsive_remote_events", "unresponsive peers"),
    ("impaired_remote_conn_events", "impaired connections"),
)


def efa_text(bandwidths: Sequence[Bandwidth]) -> str:
    """One clause for the runs of a kind: what a node sent, in GB (1e9 bytes), and every counter of trouble.

    A counter that no driver has is left out; empty where no run has a reading.
    """
    seen = {(tuple(one.nodes), one.efa): one.efa for one in bandwidths if one.efa is not None}
    told = list(seen.values())
    if not told:
        return ""
    sent = _sent(told)
    troubles = [f"{total:,} {words}" for name, words in _COUNTERS if (total := _sum(told, name)) is not None]
    worst = sorted({one.worst_node for one in told if one.worst_node})
    parts = [sent, *troubles, *([f"most timeouts on {', '.join(worst[:3])}"] if worst else [])]
    nodes = sum(one.nodes_told for one in told)
    return f"EFA counted on {nodes} node{'s' * (nodes != 1)}: {', '.join(part for part in parts if part)}"


def _sent(told: Iterable[EfaTraffic]) -> str:
    least = [one.least_sent_bytes for one in told if one.least_sent_bytes is not None]
    most = [one.most_sent_bytes for one in told if one.most_sent_bytes is not None]
    if not least or not most:
        return ""
    low, high = number_text(min(least) / _GB), number_text(max(most) / _GB)
    return f"{low if low == high else f'{low} to {high}'} GB sent by each"


def _sum(told: Iterable[EfaTraffic], name: str) -> int | None:
    values = [value for one in told if (value := getattr(one, name)) is not None]
    return sum(values) if values else None
