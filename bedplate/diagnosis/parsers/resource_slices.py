"""How many devices a DRA driver offers on a node, by the ``ResourceSlice`` objects of its pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.diagnosis.parsers.kubernetes_object import listing, mapping, metadata_of, word
from bedplate.diagnosis.parsers.problem import ParseError

TOOL = "kubectl get resourceslices"


def devices_offered(items: Sequence[object], *, node: str, driver: str) -> int | None:
    """The distinct devices of the newest generation of each of the driver's pools on the node; None where the
    driver offers none.

    ParseError where a pool is not there whole: it says itself of how many slices it is (resource.k8s.io/v1,
    ``ResourcePool``). Slices that share devices by partitions are counted as the devices that they name.
    """
    pools: dict[str, list[Mapping[str, Any]]] = {}
    for item in items:
        metadata_of(item, kind="ResourceSlice", tool=TOOL)
        spec = mapping(mapping(item).get("spec"))
        if spec.get("nodeName") == node and spec.get("driver") == driver:
            pools.setdefault(word(mapping(spec.get("pool")).get("name")), []).append(spec)
    return sum(_devices(name, specs) for name, specs in pools.items()) if pools else None


def _devices(pool: str, specs: Sequence[Mapping[str, Any]]) -> int:
    newest = max(_whole(spec, "generation") for spec in specs)
    current = [spec for spec in specs if _whole(spec, "generation") == newest]
    wanted = {_whole(spec, "resourceSliceCount") for spec in current}
    if wanted != {len(current)}:
        raise ParseError(tool=TOOL, reason=f"pool {pool[:60]} is not there whole: {len(current)} slices")
    names = [word(mapping(each).get("name")) for spec in current for each in listing(spec.get("devices"))]
    if "" in names or len(set(names)) != len(names):
        raise ParseError(tool=TOOL, reason=f"pool {pool[:60]} has a device twice, or one without a name")
    return len(names)


def _whole(spec: Mapping[str, Any], key: str) -> int:
    value = mapping(spec.get("pool")).get(key)
    if type(value) is not int or value < 0:
        raise ParseError(tool=TOOL, reason=f"a slice's pool has no {key}")
    return value
