"""What the collector of EFA's hardware counters writes on a simulated node."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.sandbox.fleet.devices import efa_name
from bedplate.sandbox.telemetry.node import View
from bedplate.sandbox.telemetry.timeline import Stretch
from bedplate.telemetry.exposition import Sample, sample
from bedplate.telemetry.metrics.efa import EFA_COUNTERS

PORT = "1"
BYTES_PER_S = 2.4e9
"""Of one device under the simulated load: invented, a fifth of what p5en's has."""
_PACKET_BYTES = 8_192
_REQUEST_BYTES = 1_048_576
_TIMEOUTS = "retrans_timeout_events"
_COLLECTIVES_PER_S = 50
"""A device with errors has its timeouts in each collective."""

# Counter → what one byte of load adds to it.
_BY_LOAD = {
    "tx_bytes": 1.0,
    "rx_bytes": 1.0,
    "tx_pkts": 1 / _PACKET_BYTES,
    "rx_pkts": 1 / _PACKET_BYTES,
    "send_bytes": 0.02,
    "recv_bytes": 0.02,
    "send_wrs": 0.1 / _REQUEST_BYTES,
    "recv_wrs": 0.1 / _REQUEST_BYTES,
    "rdma_write_bytes": 0.98,
    "rdma_write_recv_bytes": 0.98,
    "rdma_write_wrs": 1 / _REQUEST_BYTES,
}


def efa_samples(view: View) -> Iterator[Sample]:
    """The counters of the devices that the kernel shows, and how many those are."""
    yield sample("bedplate_efas", len(view.truth.efas))
    erring = _erring(view)
    for device in view.truth.efas:
        name = efa_name(view.truth.hardware, device)
        moved = _moved_bytes(view, device)
        for counter in EFA_COUNTERS:
            errors = _errors(view, device, counter) if counter in erring else 0.0
            value = int(moved * _BY_LOAD.get(counter, 0.0) + errors)
            yield sample(f"node_amazonefa_{counter}", value, device=name, port=PORT)


def _erring(view: View) -> set[str]:
    """The counters of errors that have ever risen on the node."""
    stretches = view.node.timeline.until(view.at_s)
    found = {name for each in stretches for name, _ in each.situation.efa_rates}
    return found | ({_TIMEOUTS} if any(each.effects.efa_errors for each in stretches) else set())


def _moved_bytes(view: View, device: int) -> float:
    return view.total(lambda stretch: _bytes_per_s(view, stretch, device))


def _errors(view: View, device: int, counter: str) -> float:
    return view.total(lambda stretch: _errors_per_s(stretch, device, counter))


def _bytes_per_s(view: View, stretch: Stretch, device: int) -> float:
    effects = stretch.effects
    if not view.works(stretch) or effects.socket or effects.wrong_plugin:
        return 0.0
    share = dict(effects.slow_efas).get(device, 1.0) * dict(effects.faulty_efas).get(device, 1.0)
    return BYTES_PER_S * share * effects.fabric_speed * effects.together_speed


def _errors_per_s(stretch: Stretch, device: int, counter: str) -> float:
    rate = dict(stretch.situation.efa_rates).get(counter, 0.0)
    if counter == _TIMEOUTS:
        rate += _COLLECTIVES_PER_S * dict(stretch.effects.efa_errors).get(device, 0)
    return rate
