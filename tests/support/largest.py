"""The largest environments that the rules and the services' quotas allow, one for each way of being large."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.many_pools import MOST_POOLS

Data = dict[str, Any]

MOST_NODES = 2048
"""Of a cluster, login nodes counted (ORC-007)."""
MOST_LOGIN_NODES = 8
MOST_PARTITIONS = 10
"""PCS's queues of a cluster (ORC-010)."""
MOST_NEW_FILE_SYSTEMS = 8
"""STO-020."""
MOST_EXISTING = 8
"""Beside those: 16 in all."""
MOST_OPTIONS, MOST_MOUNT_CHARACTERS = 20, 4000
"""Mount options of a file system, and what those of all may come to (STO-021)."""
MOST_ASSOCIATIONS = 8
"""FSx's data repository associations of a file system (STO-004)."""
MOST_SENDING = 14
"""Folders with the longest prefixes through which anything new travels by itself (STO-023)."""
LONGEST_MOUNT, LONGEST_FOLDER, LONGEST_PREFIX = 64, 128, 900
"""Characters of a mount point, of a folder tied to S3, and of the part of a bucket that it is tied to."""
MOST_PARALLELCLUSTER_POOLS = 23
"""With so many mounts and so long options (ORC-023)."""
MOST_PARALLELCLUSTER_TAGS = 30
"""SPC-016."""
MOST_HYPERPOD_POOLS = 50
"""With so many mounts and so long options (ORC-043)."""
MOST_EKS_POOLS = 16
"""With so many teams and file systems (ORC-052); 24 are the most of all (ORC-010)."""
MOST_EKS_TEAMS = 9
"""With so many pools and file systems (ORC-052)."""
_ROLE = "arn:aws:iam::123456789012:role/a-role-with-a-long-name-"
MOST_EMAILS = 100
MOST_PRINCIPALS, MOST_ROLES, MOST_METADATA_CHARACTERS = 100, 50, 50_000
"""Of a list of people in Grafana, of a list of their roles, and of an identity provider's metadata."""
MOST_USERS, LONGEST_NAME = 1000, 31
MOST_PACKAGES, LONGEST_URI = 10, 128
"""Of Enroot, and of each of them."""
MOST_TAGS = 40
MOST_TAG_CHARACTERS = 1000
"""Keys and values of so many tags together (SPC-017)."""


def largest() -> Mapping[str, Data]:
    """The files, as plain data, by what is made of the most of."""
    return {
        "created": _file(capacity=lambda _: {"source": "targeted-reservation", "reservation": "create"}),
        "blocks": _file(
            capacity=lambda number: {"source": "capacity-block", "reservation": f"cr-{number:017x}"},
            nodes=64,
        ),
        "closed": {
            **_file(capacity=lambda _: {"source": "on-demand"}),
            "network": {**_NETWORK, "internet": "none"},
            "validation": {"on_failure": "replace"},  # a runner needs a way out
        },
        "given": _in_a_vpc(_file(capacity=lambda _: {"source": "on-demand"})),
        "parallelcluster": on_parallelcluster(MOST_PARALLELCLUSTER_POOLS),
        "hyperpod": on_hyperpod(MOST_HYPERPOD_POOLS),
        "eks": on_eks(MOST_EKS_POOLS),
        "hyperpod-packages": _with_packages(on_hyperpod(MOST_HYPERPOD_POOLS)),
    }


def on_parallelcluster(count: int) -> Data:
    """As many pools, each in a partition of its own, of which the half are bought by a reservation of the
    stack's; with the same file systems as ``given``.
    """
    data = _in_a_vpc(_file(capacity=lambda _: {"source": "on-demand"}))
    names = [f"pool-with-a-long-name-{number:03}" for number in range(count)]
    bought: list[Data] = [
        {"source": "on-demand"},
        {"source": "targeted-reservation", "reservation": "create"},
    ]
    pools = [
        {"name": name, "instance_type": "p5.48xlarge", "nodes": 4, "capacity": bought[number % 2]}
        for number, name in enumerate(names)
    ]
    partitions = [
        {"name": f"partition-long-name-{number:03}", "pools": [name]} for number, name in enumerate(names)
    ]
    slurm = {**data["orchestrator"], "kind": "slurm-parallelcluster", "partitions": partitions}
    tags = dict(list(data["tags"].items())[:MOST_PARALLELCLUSTER_TAGS])
    return {**data, "tags": tags, "pools": pools, "orchestrator": slurm}


def on_hyperpod(count: int) -> Data:
    """As many instance groups, each in a partition of its own, with the same file systems as ``given``."""
    data = on_parallelcluster(count)
    pools = [{**pool, "capacity": {"source": "on-demand"}} for pool in data["pools"]]
    teams = [{"name": "pretraining", "users": [data["orchestrator"]["users"][0]["name"]]}]
    slurm = {**data["orchestrator"], "kind": "slurm-hyperpod", "teams": teams}
    return {**data, "tags": _tags(), "pools": pools, "orchestrator": slurm}


def on_eks(count: int) -> Data:
    """As many node groups of the type with the most interfaces, each with a reservation of its own, and teams
    with two roles each; with the same file systems as ``given``.
    """
    data = on_parallelcluster(count)
    teams = [
        {"name": f"team-with-a-long-name-{number:03}", "roles": [f"{_ROLE}{number}-{each}" for each in "ab"]}
        for number in range(MOST_EKS_TEAMS)
    ]
    pools = [
        {**pool, "capacity": {"source": "targeted-reservation", "reservation": "create"}}
        for pool in data["pools"]
    ]
    cluster = {
        "kind": "eks",
        "administrators": [f"{_ROLE}platform"],
        "gpu_software": "gpu-operator",
        "scheduler": "volcano",
        "jobs": ["trainer", "jobset", "leader-worker-set"],
        "mountpoint_s3": True,
        "teams": teams,
    }
    file_systems = [
        {key: value for key, value in each.items() if key != "options"}
        for each in data["storage"]["file_systems"]
    ]
    return {
        **data,
        "tags": _tags(),
        "pools": pools,
        "storage": {**data["storage"], "file_systems": file_systems},
        "orchestrator": cluster,
        "observability": {**data.get("observability", {}), "collection": {"kind": "none"}},
        "validation": {"on_failure": "replace"},  # a runner could ask no node
    }


def _with_packages(data: Data) -> Data:
    """The same with as many packages for containers, and no options of mounts."""
    file_systems = [
        {key: value for key, value in each.items() if key != "options"}
        for each in data["storage"]["file_systems"]
    ]
    containers = _file(capacity=lambda _: {"source": "on-demand"})["orchestrator"]["containers"]
    return {
        **data,
        "storage": {**data["storage"], "file_systems": file_systems},
        "orchestrator": {**data["orchestrator"], "containers": containers},
    }


_NETWORK = {"zone": "usw2-az3", "control_zones": ["usw2-az1", "usw2-az2"], "cidr": "10.0.0.0/16"}
"""Control zones beside the nodes' own, so that EFS has three mount targets."""


def _in_a_vpc(data: Data) -> Data:
    """The same in a VPC that is there, with as many file systems again that are there too."""
    vpc = {
        "id": "vpc-0123456789abcdef0",
        "gpu_subnet": "subnet-0123456789abcdef0",
        "control_subnets": ["subnet-0123456789abcdef1", "subnet-0123456789abcdef2"],
    }
    network = {key: value for key, value in _NETWORK.items() if key != "cidr"}
    # The options of mounts leave no room for packages beside them (STO-021).
    orchestrator = {key: value for key, value in data["orchestrator"].items() if key != "containers"}
    file_systems = [*data["storage"]["file_systems"], *(_existing(number) for number in range(MOST_EXISTING))]
    return {
        **data,
        "network": {**network, "vpc": vpc},
        "orchestrator": orchestrator,
        "storage": {**data["storage"], "file_systems": file_systems},
    }


def _existing(number: int) -> Data:
    """One of the kind with the most rules, that takes its share of what options may come to (STO-021)."""
    option = "x" * (MOST_MOUNT_CHARACTERS // MOST_EXISTING // MOST_OPTIONS - 3)
    return {
        "kind": "existing-lustre",
        "mount_name": "abcdefgh",
        "mount": f"/shared-{number}".ljust(LONGEST_MOUNT, "x"),
        "id": f"fs-{number:017x}",
        "security_group": f"sg-{number:017x}",
        "options": [option] * MOST_OPTIONS,
    }


def _file(*, capacity: Callable[[int], Data], nodes: int | None = None) -> Data:
    names = [f"pool-with-a-long-name-{number:03}" for number in range(MOST_POOLS)]
    each = nodes or (MOST_NODES - MOST_LOGIN_NODES) // MOST_POOLS
    return {
        "name": "the-largest-of-them1",
        "account": "123456789012",
        "region": "us-west-2",
        "tags": _tags(),
        "network": _NETWORK,
        "pools": [
            {
                "name": name,
                "instance_type": "p5.48xlarge",
                "interfaces": "more-address-bandwidth",
                "nodes": each,
                "capacity": capacity(number),
            }
            for number, name in enumerate(names)
        ],
        "storage": {
            "file_systems": [_lustre(number) for number in range(MOST_NEW_FILE_SYSTEMS)],
            "buckets": {"infrequent_access_days": 90},
        },
        "orchestrator": {
            "kind": "slurm-pcs",
            "login": {"nodes": MOST_LOGIN_NODES},
            "users": [
                {"name": f"user-{number:04}".ljust(LONGEST_NAME, "x"), "uid": 20_000 + number}
                for number in range(MOST_USERS)
            ],
            "homes": _lustre(0)["mount"],
            "containers": {
                "kind": "packages",
                "packages": [_object(f"enroot_{number}.deb") for number in range(MOST_PACKAGES)],
                "pyxis": _object("pyxis.tar.gz"),
            },
            "partitions": [
                {"name": f"partition-long-name-{number:03}", "pools": names}
                for number in range(MOST_PARTITIONS)
            ],
        },
        "observability": {
            "alerts": {"emails": [f"on-call-{number:03}@example.com" for number in range(MOST_EMAILS)]},
            "grafana": _grafana(),
        },
        "validation": {"after_deploy": True, "schedule": "rate(1 day)", "on_failure": "replace"},
    }


def _grafana() -> Data:
    """With metadata as long as they may be, all of it quotes, and as many of everybody."""
    people = {
        role: [f"{role:a<10}-01234567-89ab-cdef-0123-{number:012x}" for number in range(MOST_PRINCIPALS)]
        for role in "abcd"
    }
    names = ("admin_groups", "admin_users", "editor_groups", "viewer_groups")
    return {
        "kind": "managed",
        "identity_center": dict(zip(names, people.values(), strict=True)),
        "saml": {
            "metadata_xml": "<" + '"' * (MOST_METADATA_CHARACTERS - 1),
            "attributes": {"role": "r" * 256},
            "admin_roles": [f"{number:0256}" for number in range(MOST_ROLES)],
            "editor_roles": [f"{number:0256}" for number in range(MOST_ROLES)],
        },
    }


def _object(name: str) -> Data:
    folder = "s3://mirror/"
    return {"uri": f"{folder}{'x' * (LONGEST_URI - len(folder) - len(name) - 1)}/{name}", "sha256": "a" * 64}


def _lustre(number: int) -> Data:
    """Without EFA, which needs the most rules: each range of ports is a rule."""
    return {
        "kind": "lustre",
        "mount": f"/file-system-{number}".ljust(LONGEST_MOUNT, "x"),
        "capacity_gib": 38400,
        "efa": False,
        "associations": [
            {
                "path": f"/folder-{folder}".ljust(LONGEST_FOLDER, "x"),
                "bucket": "create",
                "prefix": "p" * (LONGEST_PREFIX - 1) + "/",
                "import": _events(number * MOST_ASSOCIATIONS + folder),
                "export": _events(number * MOST_ASSOCIATIONS + folder),
            }
            for folder in range(MOST_ASSOCIATIONS)
        ],
    }


def _events(folder: int) -> list[str]:
    return [*(["new"] if folder < MOST_SENDING else []), "changed", "deleted"]


def _tags() -> dict[str, str]:
    each = MOST_TAG_CHARACTERS // MOST_TAGS
    return {f"tag-{number:02}": "x" * (each - 6) for number in range(MOST_TAGS)}
