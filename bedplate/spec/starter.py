"""A first environment file, with comments, from a few answers."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.hardware import ultraservers_of
from bedplate.spec.expand import MODELINE
from bedplate.spec.regions import is_local_zone
from bedplate.spec.starter_storage import storage_section


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What a first file is made from.

    ``reservation`` is an id, ``create`` or a resource group's ARN, empty for none; ``file_systems`` are kinds
    of ``starter_storage.KINDS`` with a size in GiB, 0 for the kind's usual one.
    """

    name: str
    account: str
    region: str
    zone: str
    instance_type: str
    nodes: int
    capacity: str
    reservation: str
    file_systems: tuple[tuple[str, int], ...] = ()


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
{ultraserver}    nodes: {nodes:<24} # or {{min: 0, max: {nodes}}}
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
        ultraserver=_ultraserver(answers),
        storage=storage_section(answers.file_systems, local_zone=is_local_zone(answers.zone)),
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


def _ultraserver(answers: Answers) -> str:
    """Name the largest UltraServer that the nodes are a whole number of; nothing for other types."""
    servers = sorted(ultraservers_of(answers.instance_type), key=lambda server: -server.instances)
    if not servers:
        return ""
    chosen = next((each for each in servers if answers.nodes % each.instances == 0), servers[0])
    sizes = " | ".join(f"{each.name} ({each.instances} nodes)" for each in reversed(servers))
    return f"    ultraserver: {chosen.name}     # {sizes}\n"


def _capacity(answers: Answers) -> str:
    lines = [
        f"      source: {answers.capacity:<21} # interruptible-reservation | ultraserver-block | spot",
    ]
    if answers.reservation.startswith("arn:"):
        lines.append(f"      resource_group: {answers.reservation}")
    elif answers.reservation:
        lines.append(f"      reservation: {answers.reservation}")
    return "\n".join(lines)
