"""What one kind of node is set up with: written into user data by the deploy, read by the bootstrap."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, TypeVar

from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.containers import Containers

_Part = TypeVar("_Part")
SETTINGS_VERSION = 1
ROLES = ("compute", "login")
LOCAL_NVME = ("raid0", "none")
GATES = ("node", "pair")
MOUNT_KINDS = ("lustre", "openzfs", "efs")


class SettingsRefusedError(ValueError):
    """The settings are none that this program can set a node up by; the message names the field."""


@dataclass(frozen=True)
class Mount:
    """One network file system.

    ``source`` is what mount(8) takes: ``DNS@tcp:/MOUNTNAME`` (Lustre), ``DNS:/fsx`` (OpenZFS), ``fs-id:/``
    or ``DNS:/`` (EFS). ``path`` is the mount point, absolute. ``options`` are what ``mount -o`` is given,
    where there are none the kind's own (``bedplate.node.bootstrap.mounting``). ``efa`` (Lustre only): the
    file system speaks EFA, so LNet must too.
    """

    kind: str
    source: str
    path: str
    options: Tuple[str, ...] = ()
    efa: bool = False


@dataclass(frozen=True)
class NodeSettings:
    """Everything that the bootstrap is told; whatever else it does it finds on the node.

    Strings may be CDK tokens while a template is made. ``pool`` is the pool's name, ``login`` for login
    nodes. ``gpus``, ``nvme_count`` (instance-store disks), ``nvme_gb_each`` (10^9 bytes, one disk),
    ``efa_count`` and ``lnet_efa_count`` (EFA devices that LNet binds; 0: TCP only) are the hardware table's.
    ``result_bucket`` takes the boot reports. ``instance_type`` is EC2's name, empty on login nodes.
    ``users_key`` is the key of the list of users in the result bucket, empty where there is none.
    ``cluster_filter`` (``tag:KEY=VALUE``) is what the cluster's instances in ``region`` have in common, on
    the one node that keeps Slurm's topology; empty on all others. ``desk``: this node looks for questions in
    the result bucket, since no command can be sent to it (HyperPod). ``list_minutes`` is how often the node
    looks at the lists by itself, 0 where Systems Manager has it look; ``accounts_key`` is the key of the list
    of teams in the result bucket, on the one node that keeps Slurm's accounts by itself, empty on all others.
    ``gate`` is ``pair`` on a compute node that has to pass a pair after each boot, and on the nodes that see
    to it, with Slurm's clients of ``slurm_version`` (empty: the only ones there).
    ``containers`` is None where jobs run in none, ``collection`` where no metrics are collected. ``imex``:
    the node's prolog makes an IMEX domain for each job (UltraServers on PCS).
    """

    environment: str
    pool: str
    role: str
    result_bucket: str
    gpus: int = 0
    nvme_count: int = 0
    nvme_gb_each: int = 0
    local_nvme: str = "none"
    efa_count: int = 0
    lnet_efa_count: int = 0
    mounts: Tuple[Mount, ...] = ()
    instance_type: str = ""
    users_key: str = ""
    cluster_filter: str = ""
    region: str = ""
    accounts_key: str = ""
    list_minutes: int = 0
    desk: bool = False
    gate: str = "node"
    slurm_version: str = ""
    containers: Optional[Containers] = None
    collection: Optional[Collection] = None
    imex: bool = False

    def __post_init__(self) -> None:
        """Refuse what no node can be set up by."""
        _among("role", self.role, ROLES)
        _among("local_nvme", self.local_nvme, LOCAL_NVME)
        _among("gate", self.gate, GATES)
        for name in ("gpus", "nvme_count", "nvme_gb_each", "efa_count", "lnet_efa_count", "list_minutes"):
            _whole(name, getattr(self, name))
        for name in ("desk", "imex"):
            if not isinstance(getattr(self, name), bool):
                raise SettingsRefusedError(f"{name} is {getattr(self, name)!r}; true or false is allowed")
        for position, mount in enumerate(self.mounts):
            _among(f"mounts[{position}].kind", mount.kind, MOUNT_KINDS)
            if not mount.path.startswith("/") or not mount.source:
                raise SettingsRefusedError(
                    f"mounts[{position}]: source {mount.source!r} on path {mount.path!r};"
                    " a source and an absolute path are allowed"
                )

    def to_json(self) -> str:
        """One line of ASCII; keys in the order of the fields, without parts that there are none of."""
        data = asdict(self)
        for name in ("containers", "collection", "imex"):
            if not data[name]:
                del data[name]
        return json.dumps({"version": SETTINGS_VERSION, **data}, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> NodeSettings:
        """The inverse of ``to_json``. Raises ``SettingsRefusedError`` for anything but whole settings."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SettingsRefusedError(f"the settings are no JSON: {error}") from error
        if not isinstance(data, dict):
            raise SettingsRefusedError("the settings are no JSON object")
        version = data.pop("version", None)
        if version != SETTINGS_VERSION or isinstance(version, bool):
            raise SettingsRefusedError(
                f"settings of version {version!r}, this program reads {SETTINGS_VERSION}"
            )
        raw_mounts = data.pop("mounts", [])
        if not isinstance(raw_mounts, list):
            raise SettingsRefusedError("mounts is no list")
        mounts = tuple(_mount(position, entry) for position, entry in enumerate(raw_mounts))
        containers = _part("containers", data.pop("containers", None), Containers.from_data)
        collection = _part("collection", data.pop("collection", None), Collection.from_data)
        known = _known("settings", data, cls)
        return cls(**known, mounts=mounts, containers=containers, collection=collection)


def _part(name: str, data: Any, read: Callable[[Any], _Part]) -> Optional[_Part]:
    try:
        return None if data is None else read(data)
    except ValueError as error:
        raise SettingsRefusedError(f"{name}: {error}") from error


def _mount(position: int, entry: Any) -> Mount:
    where = f"mounts[{position}]"
    if not isinstance(entry, dict):
        raise SettingsRefusedError(f"{where} is no JSON object")
    values = _known(where, entry, Mount)
    options = values.pop("options", [])
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise SettingsRefusedError(f"{where}.options is no list of words")
    if not isinstance(values.get("efa", False), bool):
        raise SettingsRefusedError(f"{where}.efa is neither true nor false")
    return Mount(**values, options=tuple(options))


_TEXTS = (
    *("environment", "pool", "role", "result_bucket", "local_nvme", "instance_type", "users_key"),
    *("cluster_filter", "region", "accounts_key", "gate", "slurm_version"),
    *("kind", "source", "path"),
)


def _known(where: str, data: Mapping[str, Any], kind: Any) -> Dict[str, Any]:
    """The entries as keyword arguments of ``kind``; unknown, missing and mistyped ones are named."""
    allowed = {field.name for field in fields(kind)}
    required = {"environment", "pool", "role", "result_bucket", "kind", "source", "path"} & allowed
    for name in sorted(set(data) - allowed):
        raise SettingsRefusedError(f"{where} has an unknown field {name!r}")
    for name in sorted(required - set(data)):
        raise SettingsRefusedError(f"{where} lacks the field {name!r}")
    for name in _TEXTS:
        if name in data and not isinstance(data[name], str):
            raise SettingsRefusedError(f"{where}: {name} is {data[name]!r}; a text is allowed")
    return dict(data)


def _among(name: str, value: str, allowed: Tuple[str, ...]) -> None:
    if value not in allowed:
        raise SettingsRefusedError(f"{name} is {value!r}; allowed: {', '.join(allowed)}")


def _whole(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise SettingsRefusedError(f"{name} is {value!r}; a whole number from 0 is allowed")
