"""What the EFA devices of a group counted while its collective ran, for the result."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.parsers.efa_traffic import read_efa_traffic
from bedplate.validation.record import Node
from bedplate.validation.result import EfaTraffic


def efa_traffic(log: str, group: Sequence[Node]) -> EfaTraffic | None:
    """The counters in the log of a run over ``group``; None where no node of it told them."""
    told = read_efa_traffic(log, nodes=[node.slurm_name for node in group])
    if not told.nodes:
        return None
    sent = [value for value in (rise.of("tx_bytes") for rise in told.nodes) if value is not None]
    worst = told.worst("retrans_timeout_events")
    ids = {node.slurm_name: node.node for node in group}
    return EfaTraffic(
        nodes_told=len(told.nodes),
        least_sent_bytes=min(sent, default=None),
        most_sent_bytes=max(sent, default=None),
        rx_drops=told.total("rx_drops"),
        retrans_pkts=told.total("retrans_pkts"),
        retrans_timeout_events=told.total("retrans_timeout_events"),
        unresponsive_remote_events=told.total("unresponsive_remote_events"),
        impaired_remote_conn_events=told.total("impaired_remote_conn_events"),
        worst_node="" if worst is None else ids[worst.device],
    )
