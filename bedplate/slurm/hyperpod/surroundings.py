"""What lies around a HyperPod cluster: network, role, life-cycle scripts and file systems that are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Folder:
    """A file system that is there. ``mount_name`` is Lustre's, empty for OpenZFS; ``efa`` says that clients
    are to reach it by EFA.
    """

    kind: Literal["lustre", "openzfs"]
    dns_name: str
    path: str
    mount_name: str = ""
    efa: bool = False


@dataclass(frozen=True, kw_only=True)
class Accounting:
    """The MySQL that slurmdbd writes to; the secret holds user and password."""

    endpoint: str
    secret_arn: str
    port: int = 3306


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """Strings may be CDK tokens. ``scripts_uri`` is the folder ``s3://…`` of the life-cycle scripts, and
    ``on_create`` the one in it that runs once on each node. ``head_role_arn`` is the controller's role, which
    may do more than ``role_arn``.
    """

    cluster_name: str
    head_subnet_id: str
    gpu_subnet_id: str
    security_group_id: str
    role_arn: str
    head_role_arn: str
    scripts_uri: str
    on_create: str
    folders: tuple[Folder, ...] = ()
    accounting: Accounting | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
