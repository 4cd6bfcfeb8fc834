"""PRE-006: the zone offers the instance types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.diagnosis.verdict import Subject
from bedplate.explanation import CheckRow
from bedplate.slurm.pcs_cluster_shape import controller_index
from bedplate.spec.regions import is_local_zone
from bedplate.validation.preflight.context import Preflight, Writer, of_pool

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-006",
    title="the zone offers the instance types",
    what="EC2 DescribeInstanceTypeOfferings by zone id, for each pool and for the login nodes, which stand "
    "in the first control zone where `network.zone` is a Local Zone; under `slurm-parallelcluster` for the "
    "head node and under `slurm-hyperpod` for the controller too, and both in a control zone.",
    why="GPU types are in a few zones of a Region only, and zone names differ from account to account.",
    fix="Choose one of the zones that offer the type; for a reservation, the zone that it is in.",
    by_hand="`aws ec2 describe-instance-type-offerings --location-type availability-zone-id "
    "--filters Name=instance-type,Values=TYPE`",
)


def applies(environment: Environment) -> bool:  # noqa: ARG001 - one signature for all checks
    """Always."""
    return True


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict a pool, one about the login nodes, and one about a head node."""
    environment = preflight.environment
    zone = environment.network.zone
    return [
        *(_judge(preflight, of_pool(ROW.id, pool), pool.instance_type, zone) for pool in environment.pools),
        *(
            _judge(preflight, Writer(ROW.id, Subject("pool", (name,))), wanted, place)
            for name, wanted, place in _beside_pools(environment)
        ),
    ]


def _beside_pools(environment: Environment) -> list[tuple[str, str, str]]:
    """Name, instance type and zone of what is in no pool."""
    zone, zones = environment.network.zone, environment.network.control_zones
    if environment.kubernetes is not None:
        system = environment.kubernetes.system_nodes.instance_type
        return [("system", system, each) for each in zones]
    slurm = environment.slurm
    if slurm is None:
        return []
    beside = zones[0] if is_local_zone(zone) else zone
    if slurm.control_type is None:
        return [("login", slurm.login.instance_type, beside)]
    # The login nodes stand with the node that the cluster is run from, in a control subnet.
    beside = zones[controller_index(environment)]
    name = "controller" if slurm.kind == "slurm-hyperpod" else "head"
    return [("login", slurm.login.instance_type, beside), (name, slurm.control_type, beside)]


def _judge(preflight: Preflight, writer: Writer, instance_type: str, zone: str) -> Verdict:
    zones = _zones(preflight, instance_type)
    if zone in zones:
        return writer.passed(f"{zone} offers {instance_type}", measured=zone, expected=zone)
    offered = ", ".join(sorted(zones)) or "none in this Region"
    return writer.failed(
        f"{zone} does not offer {instance_type}; zones that do: {offered}",
        measured=offered,
        expected=zone,
        remedy=f"Use a zone that offers it ({offered}), or another type."
        if zones
        else "Choose a Region that offers the type.",
    )


def _zones(preflight: Preflight, instance_type: str) -> set[str]:
    from bedplate.validation.aws import aws_errors

    zones: set[str] = set()
    with aws_errors(f"asking where {instance_type} is offered"):
        pages = preflight.clients.ec2.get_paginator("describe_instance_type_offerings").paginate(
            LocationType="availability-zone-id",
            Filters=[{"Name": "instance-type", "Values": [instance_type]}],
        )
        for page in pages:
            zones |= {
                row["Location"]
                for row in page["InstanceTypeOfferings"]
                if row.get("InstanceType") == instance_type
            }
    return zones
