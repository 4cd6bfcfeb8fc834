"""File systems as a node sees them. What FSx alone knows are alarms of CloudWatch."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import CLUSTER, NODE, ON, ON_NODE

_NODE_EXPORTER = "prometheus/node_exporter: collector/"
_DISKS = 'device=~"/dev/(md|nvme|mapper/).*"'
_LOCAL = 'fstype!~"lustre|nfs4?|tmpfs|overlay|squashfs|vfat"'


def _free(selector: str, by: str) -> str:
    return (
        f"min by ({by}) (node_filesystem_avail_bytes{{{selector}}} / "
        f"(node_filesystem_size_bytes{{{selector}}} > 0))"
    )


ALERTS = (
    Alert(
        name="LustreNotMounted",
        expression=f"max by ({NODE}, file_system, path) (bedplate_lustre_mounted) == 0",
        hold_for_minutes=5,
        severity="page",
        scope="node",
        summary=f"{ON_NODE} has not mounted {{{{ $labels.file_system }}}} on {{{{ $labels.path }}}}.",
        meaning="Jobs on the node find an empty folder, or write to the node's own disk.",
        action="Drain the node; look at its bootstrap's log and at the file system's security group.",
        dashboard="bedplate-lustre",
        source="docs/storage.md",
        own_choice="5 minutes",
    ),
    Alert(
        name="LustreNearlyFull",
        expression=_free('fstype="lustre"', f"{CLUSTER}, mountpoint") + " < 0.10",
        hold_for_minutes=15,
        severity="ticket",
        scope="cluster",
        summary="{{ $labels.mountpoint }} has {{ humanizePercentage $value }} of its space left.",
        meaning="Clients see the sum of all storage targets: one of them may be full before.",
        action="Release files that are exported to S3, or give the file system more storage.",
        dashboard="bedplate-lustre",
        source="FSx for Lustre user guide: monitoring",
        own_choice="10 % free",
    ),
    Alert(
        name="LustreFull",
        expression=_free('fstype="lustre"', f"{CLUSTER}, mountpoint") + " < 0.03",
        hold_for_minutes=5,
        severity="page",
        scope="cluster",
        summary="{{ $labels.mountpoint }} has {{ humanizePercentage $value }} of its space left.",
        meaning="Checkpoints are about to fail with no space left on device.",
        action="Release files that are exported to S3 (`lfs hsm_release`); enlarge the file system.",
        dashboard="bedplate-lustre",
        source="FSx for Lustre user guide: monitoring",
        own_choice="3 % free",
    ),
    Alert(
        name="NodeDiskNearlyFull",
        expression=_free(_LOCAL, f"{NODE}, mountpoint") + " < 0.05",
        hold_for_minutes=15,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE} has {{{{ humanizePercentage $value }}}} left on {{{{ $labels.mountpoint }}}}.",
        meaning="Containers, logs and scratch files fill the node's disks.",
        action="Remove what old jobs left; on the root volume look at logs and container images.",
        dashboard="bedplate-node",
        source=_NODE_EXPORTER,
        own_choice="5 % free",
    ),
    Alert(
        name="NodeFileSystemReadOnly",
        expression=f"max by ({NODE}, mountpoint) (node_filesystem_readonly{{{_LOCAL}}}) == 1",
        hold_for_minutes=5,
        severity="page",
        scope="node",
        summary=f"{ON_NODE} has {{{{ $labels.mountpoint }}}} read-only.",
        meaning="The kernel makes a file system read-only after errors of its disk.",
        action="Drain the node and have it replaced.",
        dashboard="bedplate-node",
        source=_NODE_EXPORTER,
        own_choice="5 minutes",
    ),
    Alert(
        name="NodeArrayDegraded",
        expression=f'max by ({NODE}, device) (node_md_disks{{state="failed"}}) > 0',
        hold_for_minutes=2,
        severity="page",
        scope="node",
        summary=f"{ON_NODE} has lost {{{{ $value }}}} disks of {{{{ $labels.device }}}}.",
        meaning="The scratch volume is striped over all disks: with one lost, its data is gone.",
        action="Drain the node and have it replaced.",
        dashboard="bedplate-node",
        source=_NODE_EXPORTER,
        own_choice="2 minutes",
    ),
    Alert(
        name="NodeVolumeGone",
        expression=(
            f"(max by ({NODE}, mountpoint) (max_over_time(node_filesystem_size_bytes{{{_DISKS}}}[1h])) "
            f"unless max by ({NODE}, mountpoint) (node_filesystem_size_bytes{{{_DISKS}}})) "
            f'and on ({ON}) up{{job="node"}} == 1'
        ),
        hold_for_minutes=15,
        severity="ticket",
        scope="node",
        summary=f"{ON_NODE} no longer has {{{{ $labels.mountpoint }}}}.",
        meaning="A volume on the node's own disks was mounted within the last hour and is not now.",
        action="Drain the node and reboot it; have it replaced if the volume does not come back.",
        dashboard="bedplate-node",
        source=_NODE_EXPORTER,
        own_choice="15 minutes",
    ),
)
