"""PRE-034: PCS takes the change of what is deployed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.slurm.pcs_cluster_shape import (
    LOGIN_GROUP,
    SIZES,
    cluster_name,
    cluster_size,
    controller_index,
    most_instances,
)
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Finding, Verdict
    from bedplate.spec import Environment
    from bedplate.validation.preflight.pcs_deployed import DeployedCluster

ROW = CheckRow(
    id="PRE-034",
    title="PCS takes the change of what is deployed",
    what="The environment file against the cluster that is there, if one is: its size, the subnet and "
    "security group of its controller, each node group's instance type, the subnets' zones and ranges; and "
    "whether more than ten node groups would stand at a time.",
    why="PCS takes these at creation only. CloudFormation makes the new resource before it deletes the old "
    "one, and PCS refuses a second one of the same name: the deploy fails half-way and rolls back.",
    fix="Give a pool of another type another name, there and in `partitions`; for a larger or smaller size "
    "of cluster, another network or other login nodes, deploy another environment.",
    by_hand="`aws pcs get-cluster --cluster-identifier bedplate-NAME`, and `aws pcs get-compute-node-group "
    "--cluster-identifier bedplate-NAME --compute-node-group-identifier POOL` for each pool",
)
_MOST_GROUPS = 10
"""Node groups of a cluster (PCS User Guide, "Endpoints and service quotas", internal quotas)."""
_RENAME = "give pool {} another name, there and in `partitions`: the new pool is made and the old one deleted"
_ANOTHER = "deploy another environment (another `name`) beside this one, or destroy this one first"


def applies(environment: Environment) -> bool:
    """Where the orchestrator is PCS."""
    return environment.orchestrator.kind == "slurm-pcs"


def check(preflight: Preflight) -> list[Verdict]:
    """Ask for the cluster of the environment's name, and compare."""
    from bedplate.validation.preflight.pcs_deployed import deployed_cluster

    writer, wanted, there = Writer(ROW.id), preflight.environment, deployed_cluster(preflight)
    name = cluster_name(wanted.name)
    if there is None:
        return [writer.passed(f"there is no cluster {name} yet", measured=0, expected=0)]
    problems = [*_size(wanted, there), *_place(wanted, there), *_types(wanted, there), *_count(wanted, there)]
    if problems:
        told = "; ".join(problem for problem, _ in problems)
        remedies = ". ".join(dict.fromkeys(each[0].upper() + each[1:] for _, each in problems))
        return [
            writer.failed(told, measured=len(problems), expected=0, unit="refusals", remedy=f"{remedies}.")
        ]
    summary = f"{name} with {len(there.groups)} node groups can become what the file says"
    return [
        writer.passed(summary, measured=0, expected=0, unit="refusals", findings=tuple(_peak(wanted, there)))
    ]


def _wanted_groups(wanted: Environment) -> dict[str, tuple[str, int]]:
    """Node group → its type, and most instances."""
    pools = {pool.name: (pool.instance_type, pool.max_nodes) for pool in wanted.pools}
    login = wanted.login
    return pools if login is None else {**pools, LOGIN_GROUP: (login.instance_type, login.nodes)}


def _size(wanted: Environment, there: DeployedCluster) -> Iterator[tuple[str, str]]:
    most = most_instances(wanted)
    size = cluster_size(most)
    if size != there.size:
        limits = dict(SIZES)
        now = f"the cluster has size {there.size} (up to {limits.get(there.size, '?')} instances)"
        remedy = f"keep pools and login nodes within the size, or {_ANOTHER}"
        yield f"{now}, and {most} instances make it {size}", remedy


def _place(wanted: Environment, there: DeployedCluster) -> Iterator[tuple[str, str]]:
    if wanted.network.vpc is None:
        yield from _made_place(wanted, there)
        return
    subnet = wanted.network.vpc.control_subnets[controller_index(wanted)]
    if subnet != there.subnet_id:
        yield f"the controller is in {there.subnet_id}, not in {subnet}", _ANOTHER
    group = wanted.network.vpc.fabric_group
    if group is not None and there.group_ids != (group,):
        yield f"the controller has the security group {', '.join(there.group_ids)}, not {group}", _ANOTHER


def _made_place(wanted: Environment, there: DeployedCluster) -> Iterator[tuple[str, str]]:
    """A VPC that is made: its ranges follow from its own, and a range moves to no other zone, since the new
    subnet is made beside the old one.
    """
    from bedplate.spec.addresses import subnet_ranges

    network = wanted.network
    assert network.cidr is not None, "a network has a range or a VPC"
    if there.vpc_cidr != network.cidr:
        yield f"{there.vpc_id} has the range {there.vpc_cidr}, not {network.cidr}", _ANOTHER
        return
    ranges = subnet_ranges(network.cidr)
    zones = {ranges.gpu: network.zone, **dict(zip(ranges.control, network.control_zones, strict=False))}
    for subnet, row in there.subnets.items():
        zone = zones.get(row.get("CidrBlock", ""))
        if zone is not None and zone != row.get("AvailabilityZoneId"):
            yield f"{subnet} is in {row.get('AvailabilityZoneId')}, not in {zone}", _ANOTHER
    range_ = ranges.control[controller_index(wanted)]
    found = there.subnets.get(there.subnet_id, {}).get("CidrBlock")
    if found != range_:
        yield f"the controller is in {found} ({there.subnet_id}), not in {range_}", _ANOTHER


def _types(wanted: Environment, there: DeployedCluster) -> Iterator[tuple[str, str]]:
    for name, (type_, _) in _wanted_groups(wanted).items():
        if name not in there.groups or there.groups[name].instance_types == (type_,):
            continue
        found = ", ".join(there.groups[name].instance_types)
        if name == LOGIN_GROUP:
            yield f"the login nodes are {found}, not {type_}", _ANOTHER
        else:
            yield f"pool {name} is of {found}, not of {type_}", _RENAME.format(name)


def _count(wanted: Environment, there: DeployedCluster) -> Iterator[tuple[str, str]]:
    together = len(there.groups.keys() | _wanted_groups(wanted).keys())
    if together > _MOST_GROUPS:
        yield (
            f"{together} node groups would stand until the old ones are deleted, {_MOST_GROUPS} may",
            "deploy once with the old pools taken out, then with the new ones",
        )


def _peak(wanted: Environment, there: DeployedCluster) -> Iterator[Finding]:
    """Instances that old and new groups may have together, while the deploy goes on."""
    from bedplate.diagnosis.verdict import Finding, Severity

    groups = {name: most for name, (_, most) in _wanted_groups(wanted).items()}
    peak = sum(
        max(groups.get(name, 0), there.groups[name].most_instances if name in there.groups else 0)
        for name in groups.keys() | there.groups.keys()
    )
    limit = dict(SIZES).get(there.size, SIZES[-1][1])
    if peak > limit:
        yield Finding(
            Severity.WARNING,
            f"old and new node groups may have {peak} instances together while the deploy goes on, and a "
            f"{there.size} cluster holds {limit}; whether PCS counts them so is unverified",
            remedy="Deploy once with the old pools taken out or made smaller, then with the new ones.",
        )
