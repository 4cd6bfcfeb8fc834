"""What HyperPod's agents do on a new node before its life-cycle script, as a script for a simulated node."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlparse

from bedplate.sandbox.sandbox import HyperPodNode

_WORD = "HYPERPOD_END"
_UNIT = """\
[Service]
ExecStart=/opt/slurm/sbin/slurmd -D $SLURMD_OPTIONS
"""


@dataclass(frozen=True)
class Folder:
    """The folder of life-cycle scripts as it was when a node was launched; ``keys`` are its objects."""

    bucket: str
    prefix: str
    keys: tuple[str, ...]
    entry: str


def folder_parts(uri: str) -> tuple[str, str]:
    """Bucket and prefix of ``s3://bucket/prefix``; the prefix ends in no slash."""
    parts = urlparse(uri)
    return parts.netloc, parts.path.strip("/")


def resource_config(cluster: Mapping[str, Any], nodes: Sequence[HyperPodNode]) -> str:
    """``/opt/ml/config/resource_config.json``, which HyperPod writes on every node."""
    groups = [
        {
            "Name": group["InstanceGroupName"],
            "InstanceType": group["InstanceType"],
            "Instances": [
                {
                    "InstanceName": f"{group['InstanceGroupName']}-{number}",
                    "InstanceId": each.instance_id,
                    "CustomerIpAddress": each.private_ip,
                }
                for number, each in enumerate(
                    (each for each in nodes if each.group == group["InstanceGroupName"]), start=1
                )
            ],
        }
        for group in cluster["InstanceGroups"]
    ]
    names = {name: cluster[name] for name in ("ClusterArn", "ClusterName")}
    return json.dumps({"ClusterConfig": names, "InstanceGroups": groups})


def agent_script(node: HyperPodNode, *, config: str, slurm_conf: str | None, folder: Folder | None) -> str:
    """Write what HyperPod writes, download the folder, run its entry there; ``slurm_conf`` is a controller's.

    The simulated node's own tree stands for ``/``, as for everything that runs on it.
    """
    lines = [
        "#!/bin/bash",
        "set -eu",
        'cd "$BEDPLATE_ROOT"',
        "mkdir -p opt/ml/config opt/slurm/etc etc/systemd/system",
        _file("opt/ml/config/resource_config.json", config),
        _file("etc/systemd/system/slurmd.service", _UNIT),
    ]
    if slurm_conf is not None:
        lines.append(_file("opt/slurm/etc/slurm.conf", slurm_conf))
    if folder is not None:
        place = shlex.quote(f"tmp/{folder.bucket}")
        lines.append(f"mkdir -p {place} && cd {place}")
        for key in folder.keys:
            name = key.removeprefix(f"{folder.prefix}/")
            if "/" in name:
                lines.append(f"mkdir -p {shlex.quote(name.rpartition('/')[0])}")
            source = shlex.quote(f"s3://{folder.bucket}/{key}")
            lines.append(f"aws s3 cp --only-show-errors {source} {shlex.quote(name)}")
        lines.append(f"export BEDPLATE_ADDRESS={node.private_ip}")
        lines.append(f"exec bash {shlex.quote(folder.entry)}")
    return "\n".join([*lines, ""])


def slurm_conf(cluster: Mapping[str, Any], nodes: Sequence[HyperPodNode]) -> str:
    """The part of slurm.conf that HyperPod's agent writes."""
    kinds = {each["InstanceGroupName"]: each.get("SlurmConfig") or {} for each in cluster["InstanceGroups"]}
    heads = [each for each in nodes if kinds[each.group].get("NodeType") == "Controller"]
    lines = [f"ClusterName={cluster['ClusterName']}"]
    lines += [f"SlurmctldHost=ip-{each.private_ip.replace('.', '-')}({each.private_ip})" for each in heads]
    lines += ["TaskPlugin=task/none", "SchedulerParameters=permit_job_expansion"]
    return "\n".join([*lines, ""])


def _file(path: str, text: str) -> str:
    return f"cat >{path} <<'{_WORD}'\n{text.rstrip()}\n{_WORD}"
