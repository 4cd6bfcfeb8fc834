"""Random environment files: legal ones from all over what the file can say, and ones that are nearly legal.

``environments()`` draws plain data that breaks no rule; its parts (``pools``, ``storages``, ``networks``) can
be drawn alone. ``disturbed(…)`` draws data that somebody has mistyped. Pairs of type and source come from the
hardware table, whose own test holds it against AWS's documents.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from bedplate.hardware import INSTANCE_TYPES, ULTRASERVERS
from bedplate.spec.capacity_sources import SOURCE_NAMES
from bedplate.spec.known_checks import KNOWN_CHECKS
from bedplate.spec.parallelcluster_regions import PARALLELCLUSTER_REGIONS
from bedplate.spec.region_types import regions_without
from bedplate.spec.regions import ZONE_PREFIXES
from tests.support.legal_observability import observabilities
from tests.support.legal_orchestrators import KINDS, orchestrators
from tests.support.legal_storage import Surroundings, file_systems

Data = dict[str, Any]
_TAKEN = re.compile(r"^(login|head|default|controller|system)$|(^|-)(st|dy)-")
"""Names that a pool may not have under some orchestrator (ORC-006)."""
WORD = r"\A[a-z][a-z0-9-]{1,10}[a-z0-9]\Z"
names = st.from_regex(WORD)
NO_WAY_TO = {
    "slurm-pcs": {"training-plan"},
    "slurm-parallelcluster": {"training-plan", "interruptible-reservation"},
    "eks": {"training-plan", "interruptible-reservation"},
    "slurm-hyperpod": set(SOURCE_NAMES) - {"on-demand", "spot", "training-plan"},
}
"""Orchestrator kind → sources that it has no way to (CAP-004)."""
PLACES_OF = {
    "slurm-pcs": ZONE_PREFIXES.keys() - regions_without("slurm-pcs"),
    "slurm-parallelcluster": PARALLELCLUSTER_REGIONS - regions_without("metrics"),
    "eks": ZONE_PREFIXES.keys() - regions_without("metrics"),
    "slurm-hyperpod": ZONE_PREFIXES.keys() - regions_without("slurm-hyperpod") - regions_without("metrics"),
}
"""Orchestrator kind → Regions that have it (ORC-011)."""
X86 = sorted(name for name, known in INSTANCE_TYPES.items() if known.architecture == "x86_64")


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where an environment is: GB200 is sold in a Local Zone, and everything else in Availability Zones."""

    region: str
    zone: str
    control_zones: tuple[str, str]
    local: bool


DALLAS = Place(region="us-east-1", zone="use1-dfw2-az1", control_zones=("use1-az4", "use1-az6"), local=True)


@st.composite
def places(draw: st.DrawFn, *, kind: str) -> Place:
    """A Region with three of its zones; one in four is Dallas."""
    if draw(st.integers(0, 3)) == 0:
        return DALLAS
    region = draw(st.sampled_from(sorted(PLACES_OF[kind])))
    first, second = draw(st.permutations((1, 2, 3)))[:2]
    prefix = ZONE_PREFIXES[region]
    return Place(
        region=region,
        zone=f"{prefix}-az{draw(st.sampled_from([first, second, 4]))}",
        control_zones=(f"{prefix}-az{first}", f"{prefix}-az{second}"),
        local=False,
    )


def hexadecimal(prefix: str, digits: int = 17) -> st.SearchStrategy[str]:
    """An id of AWS, such as ``cr-0123456789abcdef0``."""
    return st.integers(0, 16**digits - 1).map(lambda number: f"{prefix}{number:0{digits}x}")


@st.composite
def capacities(draw: st.DrawFn, *, kind: str, instance_type: str, place: Place) -> Data:
    """A capacity source by which the type is sold, and that the orchestrator has a way to."""
    sold = INSTANCE_TYPES[instance_type].capacity_sources
    source = draw(st.sampled_from([each for each in sold if each not in NO_WAY_TO[kind]]))
    reservation = draw(hexadecimal("cr-"))
    group = draw(st.sampled_from([{}, {"placement_group": "research 1"}]))
    account = "123456789012"
    resource_group = f"arn:aws:resource-groups:{place.region}:{account}:group/{draw(names)}"
    if source in {"interruptible-reservation", "capacity-block", "ultraserver-block"}:
        return {"source": source, "reservation": reservation}
    if source == "open-reservation":
        return {"source": source, **group}
    if source == "targeted-reservation":
        target = draw(
            st.sampled_from(
                [
                    {"reservation": reservation, **group},
                    {"resource_group": resource_group, **group},
                    {"reservation": "create"},
                ]
            )
        )
        return {"source": source, **target}
    if source == "training-plan":
        return {
            "source": source,
            "plan": f"arn:aws:sagemaker:{place.region}:{account}:training-plan/{draw(names)}",
        }
    return {"source": source}


def node_counts(most: int) -> st.SearchStrategy[int | Data]:
    """A number of nodes, or a range."""
    ranges = st.tuples(st.integers(0, most), st.integers(1, most)).map(
        lambda pair: {"min": min(pair), "max": max(*pair, 1)}
    )
    return st.integers(1, most) | ranges


def block_counts(nodes: int) -> st.SearchStrategy[int | Data]:
    """All nodes of a block, or none until it has begun."""
    return st.sampled_from([nodes, {"min": 0, "max": nodes}, {"min": nodes, "max": nodes}])


@st.composite
def pools(draw: st.DrawFn, *, kind: str, name: str, place: Place) -> Data:
    """A pool of a type that is sold at the place; ParallelCluster lays out interfaces itself (CAP-013)."""
    if place.local:
        server = ULTRASERVERS[draw(st.sampled_from(sorted(ULTRASERVERS)))]
        pool: Data = {
            "name": name,
            "instance_type": server.instance_type.name,
            "ultraserver": server.name,
            "nodes": draw(_nodes(kind, block_counts(server.instances * draw(st.integers(1, 2))))),
            "capacity": draw(capacities(kind=kind, instance_type=server.instance_type.name, place=place)),
        }
        return {**pool, **draw(st.sampled_from([{}, {"efas": 4}, {"efas": 8}] if _lays_out(kind) else [{}]))}
    instance_type = draw(st.sampled_from(X86))
    capacity = draw(capacities(kind=kind, instance_type=instance_type, place=place))
    block = capacity["source"] == "capacity-block"
    layouts = ["save-addresses"]
    if not INSTANCE_TYPES[instance_type].no_more_addresses:
        layouts.append("more-address-bandwidth")
    pool = {
        "name": name,
        "instance_type": instance_type,
        "nodes": draw(_nodes(kind, block_counts(draw(st.integers(1, 64))) if block else node_counts(64))),
        "capacity": capacity,
    }
    chosen = [{"interfaces": layout} for layout in layouts] if _lays_out(kind) else []
    return {**pool, **draw(st.sampled_from([{}, *chosen]))}


def _nodes(kind: str, counts: st.SearchStrategy[int | Data]) -> st.SearchStrategy[int | Data]:
    """On HyperPod and EKS as many at the least as at the most (ORC-041, ORC-051)."""
    if kind not in ("slurm-hyperpod", "eks"):
        return counts
    return counts.map(lambda found: {**found, "min": found["max"]} if isinstance(found, dict) else found)


def _lays_out(kind: str) -> bool:
    return kind in ("slurm-pcs", "eks")


@st.composite
def networks(draw: st.DrawFn, *, kind: str, place: Place) -> Data:
    """A VPC that is made, or one that is there; ParallelCluster needs a way out (ORC-021)."""
    network: Data = {"zone": place.zone, "control_zones": list(place.control_zones)}
    if draw(st.booleans()):
        network["vpc"] = draw(vpcs())
    else:
        network["cidr"] = draw(st.sampled_from(["10.40.0.0/16", "172.20.0.0/16", "192.168.0.0/17"]))
    closed = {"internet": "none", "endpoint_services": ["bedrock-runtime", "sqs"]}
    ways: list[Data] = [{}, {"internet": "nat"}]
    if kind == "slurm-pcs":
        ways += [{"internet": "none"}, closed]
    return {**network, **draw(st.sampled_from(ways))}


@st.composite
def vpcs(draw: st.DrawFn) -> Data:
    """A VPC that is there, with or without a group for the nodes and endpoints of its own."""
    subnets = draw(st.lists(hexadecimal("subnet-"), min_size=3, max_size=3, unique=True))
    vpc: Data = {"id": draw(hexadecimal("vpc-")), "gpu_subnet": subnets[0], "control_subnets": subnets[1:]}
    if draw(st.booleans()):
        vpc["fabric_group"] = draw(hexadecimal("sg-"))
    if draw(st.booleans()):
        vpc["endpoints"] = "create"
        vpc["route_tables"] = draw(st.lists(hexadecimal("rtb-"), min_size=1, max_size=3, unique=True))
    elif draw(st.booleans()):
        vpc["endpoints"] = "existing"
    return vpc


@st.composite
def storages(draw: st.DrawFn, *, kind: str, place: Place, network: Data) -> Data:
    """File systems and what goes with them, as the network allows."""
    vpc = network.get("vpc")
    surroundings = Surroundings(
        region=place.region,
        local=place.local,
        existing=vpc is not None,
        admitted="fabric_group" in (vpc or {}),
    )
    storage: Data = {"file_systems": draw(file_systems(surroundings))}
    for each in storage["file_systems"]:
        if (kind, each["kind"], each["mount"]) == ("slurm-parallelcluster", "existing-openzfs", "/home"):
            each["mount"] = "/homes"  # ORC-022
    if draw(st.booleans()):
        storage["buckets"] = {"old_versions_days": draw(st.integers(1, 3650))}
        if draw(st.booleans()):
            storage["buckets"]["infrequent_access_days"] = draw(st.integers(30, 3650))
    return {**storage, **draw(st.sampled_from([{}, {"local_nvme": "none"}, {"local_nvme": "raid0"}]))}


@st.composite
def environments(draw: st.DrawFn, *, max_pools: int = 3) -> Data:
    """A whole environment, as plain data."""
    kind = draw(st.sampled_from(KINDS))
    place = draw(places(kind=kind))
    pool_names = draw(
        st.lists(
            names.filter(lambda name: _TAKEN.search(name) is None),
            min_size=1,
            max_size=max_pools,
            unique_by=lambda name: name.replace("-", ""),
        )
    )
    network = draw(networks(kind=kind, place=place))
    storage = draw(storages(kind=kind, place=place, network=network))
    homes = [each["mount"] for each in storage["file_systems"] if "ro" not in each.get("options", [])]
    drawn = _reserved_apart([draw(pools(kind=kind, name=name, place=place)) for name in pool_names])
    observability = draw(observabilities(place=place, closed=network.get("internet", "nat") == "none"))
    if kind == "eks":
        observability["collection"] = {"kind": "none"}  # ORC-048
    waived = draw(st.lists(st.sampled_from(KNOWN_CHECKS), max_size=2, unique=True))
    return {
        "name": draw(names),
        "account": draw(st.from_regex(r"\A[0-9]{12}\Z")),
        "region": place.region,
        "tags": draw(st.dictionaries(names, st.from_regex(r"\A[A-Za-z0-9 _.:/=+@-]{1,20}\Z"), max_size=3)),
        "network": network,
        "pools": drawn,
        "storage": storage,
        "orchestrator": draw(orchestrators(kind=kind, pools=drawn, arm=place.local, homes=homes)),
        "observability": observability,
        "validation": {
            "dcgm_level": draw(st.sampled_from([1, 2, 3, 4])),
            "throughput": draw(st.booleans()),
            "cover_links": draw(st.booleans()),
            "act_on_at_most_percent": draw(st.integers(1, 100)),
            "on_failure": draw(st.sampled_from(["report", "drain", "replace"])),
            "collectives": draw(st.lists(st.sampled_from(COLLECTIVES), min_size=1, max_size=4, unique=True)),
            "waivers": [{"check": check, "reason": "no: time\nleft"} for check in waived],
            "xid_policies": [
                {"xid": xid, "policy": draw(st.sampled_from(XID_POLICIES)), "reason": "as EC2 does"}
                for xid in draw(st.lists(st.integers(1, 999), max_size=2, unique=True))
            ],
            # A runner needs a way out (VAL-005), and nodes that it can ask (VAL-008).
            **(draw(runners) if kind != "eks" and network.get("internet", "nat") == "nat" else {}),
        },
    }


XID_POLICIES = ("ignore", "monitor", "restart-app", "reset", "reboot", "replace")
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "alltoall")
runners = st.fixed_dictionaries(
    {},
    optional={
        "after_deploy": st.booleans(),
        "schedule": st.sampled_from(["rate(1 day)", "rate(12 hours)", "cron(0 3 ? * SUN *)"]),
    },
)


def _reserved_apart(drawn: list[Data]) -> list[Data]:
    """The pools, each with a reservation of its own: one that is shared has to be of one kind (CAP-017)."""
    for number, pool in enumerate(drawn):
        if pool["capacity"].get("reservation", "create") != "create":
            pool["capacity"]["reservation"] = f"{pool['capacity']['reservation'][:-1]}{number:x}"
    return drawn


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
"""Any value that YAML can write."""
words = st.sampled_from(
    ["lustre", "openzfs", "efs", "existing-efs", "lustre-tiering", "spot", "capacity-block", "create", "kind"]
)
"""Words that mean something in some places of the file."""


def paths_of(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of every value in plain data, the whole first."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(below for key, value in items for below in paths_of(value, (*path, key)))]


@st.composite
def disturbed(draw: st.DrawFn, whole: st.SearchStrategy[Any]) -> Any:
    """Plain data in which one to three things are mistyped, missing, doubled, added or swapped."""
    data: Any = {"top": copy.deepcopy(draw(whole))}
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(paths_of(data)[2:] or [("top",)]))
        parent = data
        for part in path[:-1]:
            parent = parent[part]
        draw(st.sampled_from(MISTAKES))(draw, parent, path[-1])
        if "top" not in data:
            return None
    return data["top"]


def _replace(draw: st.DrawFn, parent: Any, last: Any) -> None:
    parent[last] = draw(plain | words)


def _remove(_draw: st.DrawFn, parent: Any, last: Any) -> None:
    del parent[last]


def _misspell(draw: st.DrawFn, parent: Any, last: Any) -> None:
    if isinstance(last, str):
        at = draw(st.integers(0, len(last)))
        parent[last[:at] + draw(st.sampled_from(["x", "-", "", "_"])) + last[at + 1 :]] = parent.pop(last)
    elif isinstance(parent[last], str):
        parent[last] = parent[last][:-1]


def _double(_draw: st.DrawFn, parent: Any, last: Any) -> None:
    if isinstance(last, int):
        parent.append(copy.deepcopy(parent[last]))
    else:
        parent[last] = [parent[last], copy.deepcopy(parent[last])]


def _add(draw: st.DrawFn, parent: Any, last: Any) -> None:
    if isinstance(parent[last], dict):
        parent[last][draw(words | st.text(max_size=4))] = draw(plain | words)


MISTAKES: list[Callable[[st.DrawFn, Any, Any], None]] = [_replace, _remove, _misspell, _double, _add]
