"""SIMULATED: what ParallelCluster's own user data does on a node, around the two custom actions.

Order and effects are those of aws/aws-parallelcluster ``resources/compute_node/user_data.sh`` and of its
cookbook at 3.12: the file that tells a node what it is, OnNodeStart, the LVM volume over the instance-store
disks and the lines in fstab, OnNodeConfigured. A custom action that fails ends the boot.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

_KINDS = {"head": "HeadNode", "login": "LoginNode"}


def user_data(name: str, queue: str, actions: Mapping[str, Any]) -> str:
    """The script of a node of the group ``name`` (``head``, ``login``, or a compute resource's)."""
    told: dict[str, str] = {"node_type": _KINDS.get(name, "ComputeFleet"), "cluster_user": "ubuntu"}
    if name not in _KINDS:
        told |= {"scheduler_queue_name": queue, "scheduler_compute_resource_name": name}
    return "\n".join(
        [
            "#!/bin/bash",
            "set -eu",
            'mkdir -p "$BEDPLATE_ROOT/etc/chef"',
            f'echo {shlex.quote(json.dumps({"cluster": told}))} >"$BEDPLATE_ROOT/etc/chef/dna.json"',
            *_action(actions["OnNodeStart"]),
            *(["python3 - <<'PY'", _VOLUME, "PY"] if name not in _KINDS else []),
            *(_MOUNT if name not in _KINDS else []),
            *_action(actions["OnNodeConfigured"]),
            "",
        ]
    )


def _action(action: Mapping[str, Any]) -> list[str]:
    arguments = " ".join(shlex.quote(str(word)) for word in action.get("Args") or [])
    return [
        f'aws s3 cp --only-show-errors {shlex.quote(str(action["Script"]))} "$BEDPLATE_ROOT/tmp-action.sh"',
        f'bash "$BEDPLATE_ROOT/tmp-action.sh" {arguments}',
    ]


_VOLUME = """\
import json, os, pathlib
root = pathlib.Path(os.environ["BEDPLATE_ROOT"])
disks = [
    model.parent.parent
    for model in root.glob("sys/block/nvme*/device/model")
    if "Instance Storage" in model.read_text()
]
if disks:
    for disk in disks:
        (disk / "holders/dm-0").touch()
        content = {"kind": "LVM2_member", "label": "", "uuid": "lvm", "members": len(disks)}
        (root / "dev" / disk.name).write_text(json.dumps(content))
    volume = root / "sys/block/dm-0/dm"
    volume.mkdir(parents=True, exist_ok=True)
    (volume / "name").write_text("vg.01-lv_ephemeral\\n")
    content = {"kind": "ext4", "label": "", "uuid": "ext4", "members": 0}
    (root / "dev/dm-0").write_text(json.dumps(content))
    (root / "dev/mapper").mkdir(exist_ok=True)
    link = root / "dev/mapper/vg.01-lv_ephemeral"
    if not link.exists():
        link.symlink_to("../dm-0")
    (root / "scratch").mkdir(exist_ok=True)
"""
_MOUNT = [
    'if [ -e "$BEDPLATE_ROOT/sys/block/dm-0" ]; then',
    "  mount -t ext4 -o noatime,nodiratime /dev/mapper/vg.01-lv_ephemeral /scratch",
    "fi",
]
