"""EFA: rates that AWS's own node agent calls bad, and a fabric that is not used."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import NODE, ON, ON_NODE
from bedplate.telemetry.metrics.efa import AWS_BAD_RATES

_AWS = "aws/eks-node-monitoring-agent: monitors/networking/efa/efa.go"
_DEVICE = "{{ $labels.node }} ({{ $labels.instance_id }}), EFA device {{ $labels.device }}"
_ALONE = (
    "Compare it with other nodes of the job: drain the node if it is alone, look at the fabric if many are."
)


def _bad(*counters: str) -> str:
    """True where any of these counters of a device rises faster than AWS's threshold."""
    return " or ".join(
        f"max by ({NODE}, device) (rate(node_amazonefa_{each}[5m])) > {AWS_BAD_RATES[each]:.0f}"
        for each in counters
    )


ALERTS = (
    Alert(
        name="EfaRetransmits",
        expression=_bad("retrans_pkts", "retrans_bytes"),
        hold_for_minutes=5,
        severity="ticket",
        scope="node",
        summary=f"{_DEVICE}, sends much again.",
        meaning="Packets are lost between this node and others: jobs wait for them.",
        action=_ALONE,
        dashboard="bedplate-efa",
        source=_AWS,
        own_choice="5 minutes",
    ),
    Alert(
        name="EfaTimeouts",
        expression=_bad(
            "retrans_timeout_events", "impaired_remote_conn_events", "unresponsive_remote_events"
        ),
        hold_for_minutes=5,
        severity="ticket",
        scope="node",
        summary=f"{_DEVICE}, waits for others in vain.",
        meaning="Remote devices answer late or not at all; the fault may be at the other end.",
        action="Look for a node that is down or drained first. " + _ALONE,
        dashboard="bedplate-efa",
        source=_AWS,
        own_choice="5 minutes",
    ),
    Alert(
        name="EfaErrors",
        expression=_bad("rx_drops", "rdma_read_wr_err", "rdma_write_wr_err"),
        hold_for_minutes=5,
        severity="ticket",
        scope="node",
        summary=f"{_DEVICE}, drops packets or fails requests.",
        meaning="Requests to remote memory fail, or packets are dropped on receipt.",
        action=_ALONE,
        dashboard="bedplate-efa",
        source=_AWS,
        own_choice="5 minutes",
    ),
    Alert(
        name="EfaSilent",
        # The kernels of a collective that waits count as work.
        expression=(
            f"(bedplate:node_efa_tx_bytes:rate5m == 0) and on ({ON}) "
            f"(bedplate:node_gpu_util > 50) and on ({ON}) (bedplate:node_job_nodes > 1)"
        ),
        hold_for_minutes=15,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE} sends nothing over EFA, though its GPUs work for a job of several nodes.",
        meaning="The job has fallen back to TCP, or waits for a node that does not answer.",
        action="Look for `NET/OFI` and `NET/Socket` in the job's NCCL log (`bedplate explain NCL-002`).",
        dashboard="bedplate-efa",
        source="aws/aws-ofi-nccl: what NCCL does without its plugin",
        own_choice="15 minutes at more than 50 % utilization",
    ),
)
