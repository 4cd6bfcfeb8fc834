"""Counters in a collective's own log: which nodes told them, and by how much they rose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.diagnosis.parsers.efa_traffic import read_efa_traffic

NODES = ("gpu-1", "gpu-2")


def line(node: str, when: str, *, rank: int = 0, sent: int = 0, timeouts: int = 0) -> str:
    """One reading, with srun's label."""
    return f"{rank}: BEDPLATE-EFA {when} node={node} tx_bytes={sent} retrans_timeout_events={timeouts}\n"


PAIR = line("gpu-1", "before", sent=5) + line("gpu-1", "after", sent=25, timeouts=2)


def test_each_node_tells_its_own_rise() -> None:
    """Lines of several nodes stand mixed with the table."""
    other = line("gpu-2", "before", rank=8) + line("gpu-2", "after", rank=8, sent=30, timeouts=7)
    traffic = read_efa_traffic("# table\n" + other + PAIR, nodes=NODES)
    assert [(rise.device, rise.of("tx_bytes")) for rise in traffic.nodes] == [("gpu-1", 20), ("gpu-2", 30)]
    assert traffic.total("retrans_timeout_events") == 9
    worst = traffic.worst("retrans_timeout_events")
    assert worst is not None
    assert worst.device == "gpu-2"
    assert traffic.total("rx_drops") is None
    assert traffic.worst("tx_bytes_of_nobody") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        line("gpu-1", "before"),
        line("gpu-1", "after", sent=9),
        PAIR * 2,
        line("gpu-1", "before", sent=9) + line("gpu-1", "after", sent=8),
        line("gpu-9", "before") + line("gpu-9", "after", sent=9),
        "0: BEDPLATE-EFA before node=gpu-1\n0: BEDPLATE-EFA after node=gpu-1\n",
        line("gpu-1", "before") + "0: BEDPLATE-EFA after node=gpu-1 tx_bytes=9x\n",
    ],
)
def test_a_node_that_did_not_tell_both_once_is_left_out(text: str) -> None:
    """Cut off, killed, two runs in one log, reset between, another run's node, or no number."""
    assert read_efa_traffic(text, nodes=NODES).nodes == ()


@given(st.lists(st.one_of(st.just(PAIR), st.text(max_size=30), st.just("BEDPLATE-EFA before node=gpu-1 "))))
def test_arbitrary_text_breaks_nothing(pieces: list[str]) -> None:
    """Whatever stands in the log."""
    for rise in read_efa_traffic("".join(pieces), nodes=NODES).nodes:
        assert rise.device in NODES
