"""What a collective between nodes leaves in the counters of their simulated EFA devices."""

from __future__ import annotations

from collections.abc import Iterable

from bedplate.sandbox.fleet.devices import efa_name
from bedplate.sandbox.fleet.truth import NodeTruth

_COUNTERS = ("tx_bytes", "rx_bytes", "rdma_write_bytes", "rdma_write_recv_bytes")


def count_traffic(nodes: Iterable[NodeTruth], moved_bytes: int) -> None:
    """Each node moves so many bytes, spread evenly over its devices; one with errors counts them too."""
    for node in nodes:
        if node.effects.socket or node.effects.wrong_plugin or not node.efas:
            continue
        errors = dict(node.effects.efa_errors)
        for device in node.efas:
            rises = dict.fromkeys(_COUNTERS, moved_bytes // len(node.efas))
            rises["retrans_timeout_events"] = errors.get(device, 0)
            name = efa_name(node.hardware, device)
            folder = node.root / "sys/class/infiniband" / name / "ports/1/hw_counters"
            for counter, rise in rises.items():
                path = folder / counter
                if path.exists():
                    path.write_text(f"{int(path.read_text('ascii')) + rise}\n", "ascii")
