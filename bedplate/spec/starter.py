"""A first environment file, with comments, from a few answers."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.spec.expand import MODELINE


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What a first file is made from; ``lustre_gib`` 0 and an empty ``reservation`` mean none."""

    name: str
    account: str
    region: str
    zone: str
    instance_type: str
    nodes: int
    capacity: str
    reservation: str
    lustre_gib: int


_TEMPLATE = """\
# What this environment is for: write it here, for the next reader.
# `bedplate check FILE` checks it offline, `bedplate expand FILE` shows all defaults.
name: {name}
account: "{account}"           # in quotes: it is text
region: {region}
tags: {{environment: {name}}}

network:
  zone: {zone}                    # AZ id: the one the capacity is in
  control_zones: [{control_zones}] # two zones for what must survive the loss of one
  cidr: 10.40.0.0/16                # or vpc: {{id: …, gpu_subnet: …, control_subnets: […, …]}}
  internet: nat                     # nat | none (VPC endpoints only)

pools:
  - name: {pool}
    instance_type: {instance_type}
    nodes: {nodes:<24} # or {{min: 0, max: {nodes}}}
    capacity:                       # on-demand | open-reservation | targeted-reservation | capacity-block |
{capacity}
{storage}
orchestrator:
  kind: slurm-pcs
  slurm_version: "25.11"            # in quotes: it is text
  accounting: true
  login: {{instance_type: {login}, nodes: 1}}
  partitions:
    - {{name: train, pools: [{pool}], default: true}}

observability:
  retention_days: 150
  alerts: {{emails: []}}              # who is told, e.g. [gpu-oncall@example.com]

validation:
  dcgm_level: 2                     # 1: seconds, 2: about two minutes with load on the GPUs
  waivers: []                       # - {{check: DCG-002, reason: "…"}}
"""

_LUSTRE = """
storage:
  lustre:
    capacity_gib: {gib}             # with EFA: multiples of 19200 at 250 MB/s for each TiB
    throughput_mbps_per_tib: 250    # 125 | 250 | 500 | 1000
    efa: true
    mount: /fsx
    associations: []                # - {{path: /data, bucket: my-bucket, import: [new, changed, deleted]}}
  local_nvme: raid0                 # raid0 | none
"""

_NO_LUSTRE = """
storage:
  local_nvme: raid0                 # raid0 | none; add `lustre:` for a parallel file system
"""


def starter(answers: Answers) -> str:
    """Write the file. It may still break a rule, if an answer does: read it with ``parse_environment``."""
    arm = answers.instance_type.startswith("p6e-gb")
    return MODELINE + _TEMPLATE.format(
        name=answers.name,
        account=answers.account,
        region=answers.region,
        zone=answers.zone,
        control_zones=", ".join(_control_zones(answers.zone)),
        pool=_pool_name(answers.instance_type),
        instance_type=answers.instance_type,
        nodes=answers.nodes,
        capacity=_capacity(answers),
        storage=_LUSTRE.format(gib=answers.lustre_gib) if answers.lustre_gib else _NO_LUSTRE,
        login="m7g.4xlarge" if arm else "m7i.4xlarge",
    )


def _control_zones(zone: str) -> tuple[str, str]:
    """Take the zone itself and a neighbour; for a Local Zone, two zones of its Region."""
    prefix, _, rest = zone.partition("-")
    if "-" in rest or rest == "az1":
        return f"{prefix}-az1", f"{prefix}-az2"
    return f"{prefix}-az1", zone


def _pool_name(instance_type: str) -> str:
    return instance_type.partition(".")[0] if len(instance_type.partition(".")[0]) > 2 else "gpu"


def _capacity(answers: Answers) -> str:
    lines = [f"      source: {answers.capacity:<21} # ultraserver-block | spot"]
    if answers.reservation:
        lines.append(f"      reservation: {answers.reservation}")
    return "\n".join(lines)
