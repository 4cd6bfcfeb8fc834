"""What should be there and is not: a lost GPU makes every rule on its metrics silent."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import CLUSTER, ON, ON_NODE, per_node

ALERTS = (
    Alert(
        name="GpuMissing",
        expression=f'(bedplate:gpus_missing > 0) and on ({ON}) (up{{job="dcgm"}} == 1)',
        hold_for_minutes=3,
        severity="page",
        scope="node",
        summary=f"{ON_NODE} lacks {{{{ $value }}}} of its GPUs.",
        meaning="Fewer GPUs are seen than the type has: one fell off the bus, or the driver lost it.",
        action="Drain the node and have it replaced; its kernel log tells by which Xid the GPU was lost.",
        dashboard="bedplate-node",
        source="bedplate.hardware: GPUs by instance type; NVIDIA Xid catalogue, 79",
        own_choice="3 minutes",
    ),
    Alert(
        name="GpuExporterDown",
        expression=(
            f'{per_node("""up{job="dcgm"} == 0""")} and on ({ON}) (up{{job="node"}} == 1) '
            f"or ({per_node('bedplate_expected_gpus')} > 0) unless on ({ON}) "
            '(up{job="dcgm"} or up{job="node"} == 0) '
            # Where another exporter of DCGM is used, no node has ours.
            f'and on ({CLUSTER}) max_over_time(up{{job="dcgm"}}[1h])'
        ),
        hold_for_minutes=5,
        severity="page",
        scope="node",
        summary=f"{ON_NODE} answers, but its GPU exporter does not.",
        meaning="The driver may hang: DCGM waits for it, and so does every job.",
        action="Drain the node and read its kernel log for Xids (`bedplate explain GPU-004`).",
        dashboard="bedplate-node",
        source="NVIDIA/dcgm-exporter: issues on hanging drivers",
        own_choice="5 minutes",
    ),
    Alert(
        name="NodeExporterDown",
        expression=(f'{per_node("""up{job="node"} == 0""")} and on ({ON}) (up{{job="dcgm"}} == 1)'),
        hold_for_minutes=10,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE} answers, but its node exporter does not.",
        meaning="EFA, Lustre, kernel log and clock of the node are not watched meanwhile.",
        action="Look at the service with `systemctl status node_exporter` on the node.",
        dashboard="bedplate-node",
        source="prometheus/node_exporter",
        own_choice="10 minutes",
    ),
    Alert(
        name="EfaMissing",
        expression=f"{per_node('bedplate_efas')} < {per_node('bedplate_expected_efas')}",
        hold_for_minutes=5,
        severity="page",
        scope="node",
        summary=f"{ON_NODE} has {{{{ $value }}}} EFA devices, fewer than it was launched with.",
        meaning="GPUs beside it have less bandwidth to other nodes, and the job runs at their speed.",
        action="Drain the node and have it replaced.",
        dashboard="bedplate-efa",
        source="bedplate.hardware: EFA devices by instance type",
        own_choice="5 minutes",
    ),
)
