"""Nodes and Slurm: what is down, drained, or not ready."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import CLUSTER, NODE, ON, ON_NODE, per_node
from bedplate.telemetry.alerts.order import PAGES_OF_A_NODE

_SLURM_STATE = (
    'label_replace(bedplate_slurm_node_state{{{selector}}} == 1, "node", "$1", "slurm_node", "(.+)")'
)
_DRAINED = 'state=~"drained|draining"'


def slurm_nodes(selector: str) -> str:
    """One series for each node that Slurm has in such a state, by the label ``node`` of metrics."""
    return f"max by ({ON}) ({_SLURM_STATE.format(selector=selector)})"


_SILENT = f'max by ({ON}) (up{{job=~"node|dcgm"}}) == 0'
# Where the agent is on the node itself, up ends with it. Slurm must know the node: others may go lawfully.
_GONE = (
    f"(max by ({ON}) (max_over_time(bedplate_expected_gpus[30m])) "
    f"unless on ({ON}) bedplate_expected_gpus) and on ({ON}) {slurm_nodes('')} "
    # A node of which another exporter answers is up: its own is another alert's.
    f'unless on ({ON}) (max by ({ON}) (up{{job=~"node|dcgm"}}) == 1)'
)
_DOWN = slurm_nodes('state=~"down|fail|not_responding"')
_RUNNING = slurm_nodes('state!~"powered_down|powering_down"')
_MEANT = (
    slurm_nodes('state=~"powered_down|powering_down|powering_up|reboot_issued|maintenance|maint"'),
    slurm_nodes(f'{_DRAINED},ours="true"'),
)
# Its fault has woken somebody, and it is rebooted or replaced for it.
_TOLD = (
    f"max by ({ON}) (max_over_time("
    f'ALERTS{{alertstate="firing",alertname=~"{"|".join(PAGES_OF_A_NODE[1:])}"}}[1h]))'
)

ALERTS = (
    Alert(
        name="NodeDown",
        expression=(
            f"(({_SILENT}) or ({_DOWN}) or ({_GONE})) "
            + " ".join(f"unless on ({ON}) {each}" for each in (*_MEANT, _TOLD))
        ),
        hold_for_minutes=5,
        severity="page",
        scope="node",
        summary="{{ $labels.node }} is down.",
        meaning="None of its exporters answers, its metrics ended, or Slurm calls it down. Not meant are "
        "nodes that Slurm powers down or reboots, that Bedplate has drained, or of which a page told within "
        "the hour.",
        action="Look at the instance's status checks; have it replaced if it does not come back.",
        dashboard="bedplate-node",
        source="sinfo(1) on node states; Prometheus documentation: staleness",
        own_choice="5 minutes, and an hour after another page of the node",
    ),
    Alert(
        name="SlurmNodeDrained",
        expression=slurm_nodes(f'{_DRAINED},ours="false"'),
        hold_for_minutes=30,
        severity="ticket",
        scope="node",
        summary="{{ $labels.node }} is drained, and not by Bedplate.",
        meaning="Somebody or a prolog has drained it: it takes no jobs and is paid for.",
        action="Read the reason (`sinfo -R`), mend it, and resume the node.",
        dashboard="bedplate-queues",
        source="sinfo(1)",
        own_choice="30 minutes",
    ),
    Alert(
        name="ManyNodesDrained",
        expression=(
            f"sum by ({CLUSTER}) ({slurm_nodes(_DRAINED)}) / sum by ({CLUSTER}) ({_RUNNING}) > 0.05 "
            f"and sum by ({CLUSTER}) ({slurm_nodes(_DRAINED)}) > 1"
        ),
        hold_for_minutes=15,
        severity="page",
        scope="cluster",
        summary="{{ humanizePercentage $value }} of the nodes of {{ $labels.cluster }} are drained.",
        meaning="More than single nodes fail: a cause that they share is likely.",
        action="Compare the reasons (`sinfo -R`); run `bedplate validate` before nodes are resumed.",
        dashboard="bedplate-queues",
        source="sinfo(1)",
        own_choice="5 % of the nodes, and more than one",
    ),
    Alert(
        name="SlurmctldDown",
        expression=f'max by ({CLUSTER}) (up{{job="slurm"}}) == 0',
        hold_for_minutes=5,
        severity="page",
        scope="cluster",
        summary="Slurm's controller of {{ $labels.cluster }} does not answer.",
        meaning="No job starts. Those that run go on.",
        action="Look at the controller's log; of a managed cluster, at its state in AWS PCS.",
        dashboard="bedplate-queues",
        source="SchedMD/slurm: doc/html/metrics.shtml",
        own_choice="5 minutes",
    ),
    Alert(
        name="NodeBootstrapIncomplete",
        expression=f"{per_node('bedplate_bootstrap_done')} == 0",
        hold_for_minutes=30,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE} has not finished its bootstrap.",
        meaning="A step failed or waits: the node takes no jobs.",
        action="Read the bootstrap's log on the node (docs/node.md).",
        dashboard="bedplate-node",
        source="bedplate/node/bootstrap",
        own_choice="30 minutes",
    ),
    Alert(
        name="NodeGateClosed",
        expression=(
            f"{per_node('bedplate_gate_open')} == 0 and on ({ON}) {per_node('bedplate_bootstrap_done')} == 1"
        ),
        hold_for_minutes=60,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE} has not passed the gate since it booted.",
        meaning="Its checks failed or were not made: the node takes no jobs.",
        action="Read what the gate found (`bedplate validate --nodes`).",
        dashboard="bedplate-node",
        source="bedplate/node/gate",
        own_choice="60 minutes",
    ),
    Alert(
        name="NodeServiceFailed",
        expression=f'max by ({NODE}, name) (node_systemd_unit_state{{state="failed"}}) == 1',
        hold_for_minutes=3,
        severity="page",
        scope="node",
        summary=f"{ON_NODE}: the service {{{{ $labels.name }}}} has failed.",
        meaning="Jobs need it: Slurm's daemon, munge, NVIDIA's fabric manager, IMEX, persistence or DCGM.",
        action="Drain the node, read `journalctl -u` of the service, and reboot the node.",
        dashboard="bedplate-node",
        source="prometheus/node_exporter: collector/systemd_linux.go",
        own_choice="3 minutes",
    ),
    Alert(
        name="NodeServiceStopped",
        expression=(
            f'max by ({NODE}, name) (node_systemd_unit_state{{state="inactive",'
            'name=~"(slurmd|munge|nvidia-fabricmanager|nvidia-imex|nvidia-persistenced).service"}) == 1 '
            f"and on ({ON}) {per_node('bedplate_bootstrap_done')} == 1"
        ),
        hold_for_minutes=10,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE}: the service {{{{ $labels.name }}}} does not run.",
        meaning="Jobs need it, and somebody has stopped it.",
        action="Start it again, or reboot the node.",
        dashboard="bedplate-node",
        source="prometheus/node_exporter: collector/systemd_linux.go",
        own_choice="10 minutes",
    ),
    Alert(
        name="NodeNoHugePages",
        expression=(
            f"{per_node('node_memory_HugePages_Total')} == 0 "
            f"and on ({ON}) {per_node('bedplate_expected_efas')} > 0"
        ),
        hold_for_minutes=30,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE} has no huge pages.",
        meaning="The EFA provider falls back to small pages, and jobs may fail to register memory.",
        action="Set `vm.nr_hugepages` again, as the node's bootstrap does.",
        dashboard="bedplate-node",
        source="bedplate.hardware.huge_pages",
        own_choice="30 minutes",
    ),
)
