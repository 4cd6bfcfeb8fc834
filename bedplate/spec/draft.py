"""What of an environment file can be judged already, though other parts of it may be wrong.

Rules between fields run on a draft, so that a user sees every problem at once and not the next one after each
correction. A part whose own shape is wrong is absent; unknown keys alone do not make a part absent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from bedplate.spec.base import Section
from bedplate.spec.collection import Collection, CollectionOfPackages
from bedplate.spec.environment import Environment
from bedplate.spec.file_systems import Association, FileSystem, Lustre
from bedplate.spec.grafana import ManagedGrafana
from bedplate.spec.network import Network
from bedplate.spec.orchestrator import (
    Containers,
    ControlNode,
    Eks,
    KubernetesCommon,
    Login,
    Partition,
    Slurm,
    SlurmPcs,
    Team,
    User,
)
from bedplate.spec.pools import Pool
from bedplate.spec.validation import Validation, Waiver, XidPolicy

S = TypeVar("S", bound=Section)
_CONTROL_NODES = {"slurm-parallelcluster": "head_node", "slurm-hyperpod": "controller"}
"""Orchestrator kind → the field that its own control node is under."""


def _by_kind(union: Any) -> dict[str, Any]:
    return {
        get_args(section.model_fields["kind"].annotation)[0]: section
        for section in get_args(get_args(union)[0])
    }


_KINDS_OF_FILE_SYSTEM: dict[str, type[FileSystem]] = _by_kind(FileSystem)
_KINDS_OF_CONTAINERS: dict[str, type[Containers]] = _by_kind(Containers)
_KINDS_OF_KUBERNETES: dict[str, type[KubernetesCommon]] = {"eks": Eks}


@dataclass(frozen=True, kw_only=True)
class Draft:
    """The parts of a file whose shape is right. Mappings are from the index in the file's list to the item.

    ``pool_names``, ``team_names`` and ``user_names`` hold every name that is written down, those of wrong
    pools included, so that a partition is not blamed for a pool's mistake; ``all_pools`` and its like say
    that none is wrong. Associations stand apart from their file system (index of the file system → index of
    the association), so that a wrong one hides neither the others nor the file system.
    """

    region: str | None = None
    tags: dict[str, str] = field(default_factory=dict)
    network: Network | None = None
    pools: dict[int, Pool] = field(default_factory=dict)
    pool_names: dict[int, str] = field(default_factory=dict)
    all_pools: bool = False
    file_systems: dict[int, FileSystem] = field(default_factory=dict)
    all_file_systems: bool = False
    associations: dict[int, dict[int, Association]] = field(default_factory=dict)
    orchestrator_kind: str | None = None
    login: Login | None = None
    control_type: str | None = None
    """Instance type of the head node or controller, where one's own instance is it."""
    partitions: dict[int, Partition] = field(default_factory=dict)
    all_partitions: bool = False
    teams: dict[int, Team] = field(default_factory=dict)
    team_names: dict[int, str] = field(default_factory=dict)
    users: dict[int, User] = field(default_factory=dict)
    user_names: dict[int, str] = field(default_factory=dict)
    homes: str | None = None
    containers: Containers | None = None
    collection: Collection | None = None
    kubernetes: KubernetesCommon | None = None
    """What runs in the cluster, where it is Kubernetes."""
    accounting: bool = True
    rest_api: bool = False
    slurm_version: str | None = None
    slurm_settings: dict[str, str] = field(default_factory=dict)
    grafana: ManagedGrafana | None = None
    waivers: dict[int, Waiver] = field(default_factory=dict)
    xid_policies: dict[int, XidPolicy] = field(default_factory=dict)
    collectives: tuple[str, ...] = ()
    after_deploy: bool = False
    schedule: str | None = None


def draft_of(environment: Environment) -> Draft:
    """Return the draft of an environment whose whole shape is right."""
    file_systems = dict(enumerate(environment.storage.file_systems))
    pools = dict(enumerate(environment.pools))
    return Draft(
        region=environment.region,
        tags=dict(environment.tags),
        network=environment.network,
        pools=pools,
        pool_names={index: pool.name for index, pool in pools.items()},
        all_pools=True,
        file_systems=file_systems,
        all_file_systems=True,
        associations={
            index: dict(enumerate(each.associations))
            for index, each in file_systems.items()
            if isinstance(each, Lustre)
        },
        orchestrator_kind=environment.orchestrator.kind,
        collection=environment.observability.collection,
        kubernetes=environment.kubernetes,
        **_slurm_parts(environment.slurm),
        grafana=grafana if isinstance(grafana := environment.observability.grafana, ManagedGrafana) else None,
        waivers=dict(enumerate(environment.validation.waivers)),
        xid_policies=dict(enumerate(environment.validation.xid_policies)),
        collectives=environment.validation.collectives,
        after_deploy=environment.validation.after_deploy,
        schedule=environment.validation.schedule,
    )


def _slurm_parts(slurm: Slurm | None) -> dict[str, Any]:
    if slurm is None:
        return {}
    return {
        "login": slurm.login,
        "control_type": slurm.control_type,
        "partitions": dict(enumerate(slurm.partitions)),
        "all_partitions": True,
        "teams": dict(enumerate(slurm.teams)),
        "team_names": {index: team.name for index, team in enumerate(slurm.teams)},
        "users": dict(enumerate(slurm.users)),
        "user_names": {index: user.name for index, user in enumerate(slurm.users)},
        "homes": slurm.homes,
        "containers": slurm.containers,
        "accounting": slurm.accounting,
        "rest_api": isinstance(slurm, SlurmPcs) and slurm.rest_api,
        "slurm_version": slurm.slurm_version if isinstance(slurm, SlurmPcs) else None,
        "slurm_settings": dict(slurm.settings),
    }


def draft_of_data(data: Any) -> Draft:
    """Return the draft of plain data that some shape error was found in."""
    top = _mapping(data)
    orchestrator = _mapping(top.get("orchestrator"))
    raw_file_systems = [_mapping(item) for item in _list(_mapping(top.get("storage")).get("file_systems"))]
    validation = _mapping(top.get("validation"))
    raw_pools = _list(top.get("pools"))
    raw_partitions = _list(orchestrator.get("partitions"))
    pools = _items(Pool, raw_pools)
    file_systems = _file_systems(raw_file_systems)
    partitions = _items(Partition, raw_partitions)
    region, kind = top.get("region"), orchestrator.get("kind")
    # Teams of Kubernetes are sections of their own: what is wrong with one hides the rules on all.
    raw_teams = [] if _is_kubernetes(kind) else _list(orchestrator.get("teams"))
    return Draft(
        region=region if isinstance(region, str) else None,
        tags={
            key: value if isinstance(value, str) else "" for key, value in _mapping(top.get("tags")).items()
        },
        network=_part(Network, top.get("network")),
        pools=pools,
        pool_names=_names(raw_pools),
        all_pools=bool(raw_pools) and len(pools) == len(raw_pools),
        file_systems=file_systems,
        all_file_systems=len(file_systems) == len(raw_file_systems),
        associations={
            index: _items(Association, _list(item.get("associations")))
            for index, item in enumerate(raw_file_systems)
            if item.get("kind") == "lustre"
        },
        orchestrator_kind=kind if isinstance(kind, str) else None,
        kubernetes=_kubernetes(orchestrator),
        login=None if _is_kubernetes(kind) else _part(Login, orchestrator.get("login", {})),
        control_type=_control_type_of_data(orchestrator),
        partitions=partitions,
        all_partitions=bool(raw_partitions) and len(partitions) == len(raw_partitions),
        teams=_items(Team, raw_teams),
        team_names=_names(raw_teams),
        users=_items(User, _list(orchestrator.get("users"))),
        user_names=_names(_list(orchestrator.get("users"))),
        homes=homes if isinstance(homes := orchestrator.get("homes", "/home"), str) else None,
        containers=_containers(orchestrator.get("containers")),
        collection=_collection(_mapping(top.get("observability")).get("collection")),
        accounting=orchestrator.get("accounting") is not False,
        rest_api=orchestrator.get("rest_api") is True,
        slurm_version=version if isinstance(version := orchestrator.get("slurm_version"), str) else None,
        slurm_settings={
            key: value if isinstance(value, str) else ""
            for key, value in _mapping(orchestrator.get("settings")).items()
            if isinstance(key, str)
        },
        grafana=_grafana(_mapping(top.get("observability")).get("grafana")),
        waivers=_items(Waiver, _list(validation.get("waivers"))),
        xid_policies=_items(XidPolicy, _list(validation.get("xid_policies"))),
        collectives=tuple(name for name in _list(validation.get("collectives")) if isinstance(name, str)),
        after_deploy=validation.get("after_deploy") is True,
        schedule=_schedule(validation),
    )


def _containers(data: Any) -> Containers | None:
    kind = _mapping(data).get("kind")
    section = _KINDS_OF_CONTAINERS.get(kind) if isinstance(kind, str) else None
    return None if section is None else _part(section, data)


def _kubernetes(orchestrator: dict[str, Any]) -> KubernetesCommon | None:
    kind = orchestrator.get("kind")
    section = _KINDS_OF_KUBERNETES.get(kind) if isinstance(kind, str) else None
    return None if section is None else _part(section, orchestrator)


def _is_kubernetes(kind: object) -> bool:
    return isinstance(kind, str) and kind in _KINDS_OF_KUBERNETES


def _collection(data: Any) -> CollectionOfPackages | None:
    return _part(CollectionOfPackages, data) if _mapping(data).get("kind") == "packages" else None


def _grafana(data: Any) -> ManagedGrafana | None:
    return _part(ManagedGrafana, data) if _mapping(data).get("kind") == "managed" else None


def _control_type_of_data(orchestrator: dict[str, Any]) -> str | None:
    name = _CONTROL_NODES.get(str(orchestrator.get("kind")))
    if name is None:
        return None
    part = _part(ControlNode, orchestrator.get(name, {}))
    return None if part is None else part.instance_type


def _names(raw: list[Any]) -> dict[int, str]:
    return {
        index: item["name"]
        for index, item in enumerate(raw)
        if isinstance(item, dict) and isinstance(item.get("name"), str)
    }


def _schedule(validation: dict[str, Any]) -> str | None:
    part = _part(Validation, {"schedule": validation.get("schedule")})
    return None if part is None else part.schedule


def _file_systems(raw: list[dict[str, Any]]) -> dict[int, FileSystem]:
    parts = {
        index: _part(_KINDS_OF_FILE_SYSTEM[kind], {key: item[key] for key in item if key != "associations"})
        for index, item in enumerate(raw)
        if isinstance(kind := item.get("kind"), str) and kind in _KINDS_OF_FILE_SYSTEM
    }
    return {index: part for index, part in parts.items() if part is not None}


def _part(section: type[S], data: Any) -> S | None:
    try:
        return section.model_validate(data)
    except ValidationError as error:
        pruned = _without_unknown(data, error)
    try:
        return section.model_validate(pruned)
    except ValidationError:
        return None


def _without_unknown(data: Any, error: ValidationError) -> Any:
    """Leave out the section's own unknown keys; they are reported as such, and say nothing about the rest."""
    if not isinstance(data, dict):
        return data
    unknown = {
        details["loc"][0]
        for details in error.errors(include_url=False, include_input=False)
        if details["type"] == "extra_forbidden" and len(details["loc"]) == 1
    }
    return {key: value for key, value in data.items() if key not in unknown}


def _items(section: type[S], raw: list[Any]) -> dict[int, S]:
    parts = {index: _part(section, item) for index, item in enumerate(raw)}
    return {index: part for index, part in parts.items() if part is not None}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
