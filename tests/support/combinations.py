"""Legal environments, enumerated by axes and not drawn: every pool, and every network with every storage.

A pool is a shape, a way to buy it, a placement group that is there or not, a layout of its interfaces, a
number of EFAs and a number of nodes. All legal ones stand in environments of nine, the most that PCS takes.
Beside them stands one environment for each legal pair of a network and a list of file systems. What is legal
is what the rules let through.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from bedplate.capacity.legality import KINDS, SHAPES, WAYS, Shape, refusals
from bedplate.hardware import instance_type
from bedplate.spec import Environment
from bedplate.spec.draft import draft_of
from bedplate.spec.pools import Pool
from bedplate.spec.rules import RULES
from tests.support.combination_axes import ACCOUNT, NETWORKS, REST, Data, Net, storages
from tests.support.many_pools import MOST_POOLS

PLACED = {"open reservation", "targeted reservation by id", "targeted reservation by group"}
"""Ways that may name the placement group that a reservation was made in."""


@dataclass(frozen=True)
class Combination:
    """One legal environment; ``label`` says what it is there for."""

    label: str
    data: Data

    def environment(self, name: str) -> Environment:
        """The environment under a name. Raises ``ValueError`` where a rule refuses it."""
        environment = Environment.model_validate({**self.data, "name": name})
        broken = [rule.row.id for rule in RULES if any(rule.check(draft_of(environment)))]
        if broken:
            raise ValueError(f"{self.label}: {', '.join(broken)}")
        return environment


def combinations() -> tuple[Combination, ...]:
    """All of them, in an order that never changes."""
    return (*_pool_combinations(), *_storage_combinations())


def legal_pools() -> tuple[tuple[str, Data], ...]:
    """Every legal pool with its label."""
    return tuple((label, data) for label, data in _candidate_pools() if _is_legal_pool(data))


def _is_legal_pool(data: Data) -> bool:
    try:
        pool = Pool.model_validate({**data, "name": "pool"})
    except ValidationError:
        return False
    return not refusals(pool=pool, kind=KINDS[0])


def _candidate_pools() -> Iterator[tuple[str, Data]]:
    for shape, way in itertools.product(SHAPES, WAYS):
        for group, layout, efas, nodes in itertools.product(
            (None, "research 1") if way in PLACED else (None,),
            (None, "more-address-bandwidth"),
            (None, 4, 8) if instance_type(shape.instance_type).needs_imex else (None,),
            (shape.nodes, 1, {"min": 0, "max": shape.nodes}),
        ):
            label = f"{shape.name}, {way}, {group}, {layout}, {efas}, {nodes}"
            yield label, _pool(shape, way, group=group, layout=layout, efas=efas, nodes=nodes)


def _pool(shape: Shape, way: str, *, group: str | None, layout: str | None, efas: Any, nodes: Any) -> Data:
    optional = {"ultraserver": shape.ultraserver, "interfaces": layout, "efas": efas}
    return {
        "instance_type": shape.instance_type,
        "nodes": nodes,
        "capacity": {**WAYS[way], **({"placement_group": group} if group else {})},
        **{key: value for key, value in optional.items() if value is not None},
    }


def _pool_combinations() -> Iterator[Combination]:
    """Nine pools at a time, those of the Local Zone apart."""
    for net in ("own", "Dallas"):
        dallas = NETWORKS[net].dallas
        pools = [pool for _, pool in legal_pools() if ("ultraserver" in pool) is dallas]
        for number, first in enumerate(range(0, len(pools), MOST_POOLS)):
            few, rest = pools[first : first + MOST_POOLS], REST[number % len(REST)]
            yield Combination(
                f"pools {number} in {net}",
                _data(NETWORKS[net], pools=few, file_systems=[], rest=rest),
            )


def _storage_combinations() -> Iterator[Combination]:
    """Each network with each list of file systems that the rules let it have."""
    number = 0
    for name, net in NETWORKS.items():
        pool = {"instance_type": "p5en.48xlarge", "nodes": 2, "capacity": {"source": "on-demand"}}
        if net.dallas:
            pool = next(pool for _, pool in legal_pools() if "ultraserver" in pool)
        for what, file_systems in storages(net.region).items():
            rest = REST[number % len(REST)]
            made = Combination(
                f"{what} in {name}", _data(net, pools=[pool], file_systems=file_systems, rest=rest)
            )
            try:
                made.environment("any")
            except ValueError:
                continue
            number += 1
            yield made


def _data(net: Net, *, pools: list[Data], file_systems: list[Data], rest: Data) -> Data:
    names = [f"pool-{number}" for number in range(len(pools))]
    login = {"instance_type": "m7g.4xlarge" if net.dallas else "m7i.4xlarge"}
    slurm = rest.get("orchestrator", {})
    return {
        **rest,
        "account": ACCOUNT,
        "region": net.region,
        "network": net.section,
        "pools": [
            {**pool, "name": name, "capacity": _in_region(pool["capacity"], net, number)}
            for number, (name, pool) in enumerate(zip(names, pools, strict=True))
        ],
        "storage": {**rest.get("storage", {}), "file_systems": file_systems},
        "orchestrator": {
            "kind": KINDS[0],
            "partitions": [{"name": "train", "pools": names, "default": True}],
            **slurm,
            "login": {**login, **slurm.get("login", {})},
        },
    }


def _in_region(capacity: Data, net: Net, number: int) -> Data:
    """The same source with a reservation of its own, in the environment's Region."""
    moved = {key: value.replace("us-west-2", net.region) for key, value in capacity.items()}
    if str(moved.get("reservation", "")).startswith("cr-"):
        moved["reservation"] = f"cr-{number:017x}"
    return moved
