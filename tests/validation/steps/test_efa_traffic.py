"""SIMULATED: what the EFA devices counted stands beside each bandwidth of the result."""

from __future__ import annotations

from bedplate.validation.steps.efa_traffic import efa_traffic
from tests.validation.steps.small_cluster import context_of, name


def _line(number: int, when: str, **counters: int) -> str:
    words = " ".join(f"{key}={value}" for key, value in counters.items())
    return f"{8 * number}: BEDPLATE-EFA {when} node=h200-{number} {words}\n"


def test_sums_extremes_and_the_worst_node_are_told() -> None:
    """By instance id, as everywhere in a result."""
    log = "".join(_line(number, "before", tx_bytes=100, retrans_timeout_events=0) for number in range(3))
    log += "".join(
        _line(number, "after", tx_bytes=200 + number, retrans_timeout_events=number) for number in range(3)
    )
    traffic = efa_traffic(log, context_of().record.nodes)
    assert traffic is not None
    assert (traffic.nodes_told, traffic.least_sent_bytes, traffic.most_sent_bytes) == (3, 100, 102)
    assert (traffic.retrans_timeout_events, traffic.worst_node) == (3, name(2))
    assert traffic.rx_drops is None


def test_a_log_without_counters_has_no_traffic() -> None:
    """Not counted is null, and not zero."""
    assert efa_traffic("# no counters\n", context_of().record.nodes) is None
