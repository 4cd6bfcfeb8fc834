"""What lies around a ParallelCluster: network, rights, images, scripts and file systems that are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

HEAD, LOGIN = "head", "login"
"""What the head node's and the login nodes' settings go by; no pool has these names."""


@dataclass(frozen=True, kw_only=True)
class NodeScript:
    """The program that ParallelCluster runs on each new node, before it sets the node up and after it.

    ``url`` is ``s3://bucket/key``. It is called with the stage (``start`` or ``configured``), ``arguments``,
    and the settings of each pool that the node may belong to; ``settings`` holds those (JSON) by the pool's
    name, by ``HEAD`` and by ``LOGIN``.
    """

    url: str
    arguments: tuple[str, ...]
    settings: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class SharedFolder:
    """A file system that is there, by its id, and where it is mounted."""

    kind: Literal["lustre", "openzfs", "efs"]
    file_system_id: str
    path: str


@dataclass(frozen=True, kw_only=True)
class Database:
    """The MySQL that slurmdbd writes to: ``uri`` is ``host:port``; the secret holds the password alone."""

    uri: str
    user: str
    secret_arn: str


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """Strings may be CDK tokens. ``zone_id`` and ``gpu_subnet_id`` are where the pools stand.

    ``policy_arns`` go onto every node but the head, which has ``head_policy_arns``. ``images`` maps an
    architecture to an AMI id, empty for ParallelCluster's own. ``groups`` maps a pool to its placement
    group's name, ``reservations`` to a reservation's id, where the stack has made one for it.
    """

    region: str
    zone_id: str
    head_subnet_id: str
    gpu_subnet_id: str
    security_group_id: str
    policy_arns: tuple[str, ...]
    head_policy_arns: tuple[str, ...]
    script: NodeScript
    folders: tuple[SharedFolder, ...] = ()
    database: Database | None = None
    images: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    reservations: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
