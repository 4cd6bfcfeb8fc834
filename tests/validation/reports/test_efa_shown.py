"""What the EFA devices counted is told beside the bandwidth, on the page and in the terminal."""

from __future__ import annotations

import io

from bedplate.validation.reports.efa_traffic import efa_text
from bedplate.validation.reports.html.bandwidth import build_plot
from bedplate.validation.reports.html.names import node_names
from bedplate.validation.reports.terminal import render_terminal
from bedplate.validation.result import EfaTraffic, RunResult
from tests.validation.reports.sample_run import healthy_run

TRAFFIC = EfaTraffic(
    nodes_told=8,
    least_sent_bytes=1_000_000_000,
    most_sent_bytes=2_000_000_000,
    rx_drops=0,
    retrans_pkts=1234,
    retrans_timeout_events=3,
    unresponsive_remote_events=None,
    impaired_remote_conn_events=0,
    worst_node="i-1",
)


def _run() -> RunResult:
    run = healthy_run()
    last = run.bandwidths[-1].model_copy(update={"efa": TRAFFIC})
    return run.model_copy(update={"bandwidths": [*run.bandwidths[:-1], last]})


def test_counters_are_told_and_missing_ones_left_out() -> None:
    """GB sent by the least and the most, each counter that the driver has, the worst node."""
    told = efa_text(_run().bandwidths)
    assert "8 nodes" in told
    assert "GB sent by each" in told
    assert "1,234 packets sent again" in told
    assert "most timeouts on i-1" in told
    assert "unresponsive" not in told


def test_nothing_counted_is_nothing_told() -> None:
    """A run without a reading has no line."""
    assert efa_text(healthy_run().bandwidths) == ""


def test_two_sizes_of_one_run_are_counted_once() -> None:
    """The counters are of the run, which has a row for each size."""
    last = _run().bandwidths[-1]
    assert efa_text([last, last]) == efa_text([last])


def test_page_and_terminal_show_it() -> None:
    """The strip of all nodes, and a line at the terminal's end."""
    run = _run()
    plot = build_plot(run, node_names(run))
    assert plot is not None
    assert [strip.efa for strip in plot.strips if strip.efa] == [efa_text(run.bandwidths)]
    assert "3 retransmission timeouts" in " ".join(
        render_terminal(run, stream=io.StringIO(), width=160).split()
    )
