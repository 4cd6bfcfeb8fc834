"""The environment of a container, from its ``env`` and ``envFrom``."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.kubernetes.store import Object, Store

_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")
_MAP_FIELD = re.compile(r"metadata\.(annotations|labels)\['([^']+)'\]")


class NoSuchKey(Exception):
    """The container cannot be made: what its environment refers to is not there."""


def environment_of(store: Store, pod: Object, container: Mapping[str, Any]) -> dict[str, str]:
    """Name → value, in the order of Kubernetes: ``envFrom`` first, ``env`` over it. Raises ``NoSuchKey``."""
    namespace = pod["metadata"]["namespace"]
    found: dict[str, str] = {}
    for source in container.get("envFrom") or ():
        prefix = source.get("prefix") or ""
        for word, plural in (("configMapRef", "configmaps"), ("secretRef", "secrets")):
            if reference := source.get(word):
                data = _data(store, plural, namespace, reference)
                found.update({f"{prefix}{name}": value for name, value in data.items()})
    for entry in container.get("env") or ():
        if "valueFrom" in entry:
            value = _referred(store, pod, entry["valueFrom"])
            if value is not None:
                found[entry["name"]] = value
        else:
            found[entry["name"]] = expand(entry.get("value") or "", found)
    return found


def expand(text: str, environment: Mapping[str, str]) -> str:
    """``$(NAME)`` as Kubernetes replaces it in commands and values: an unknown name stays as it is."""

    def one(match: re.Match[str]) -> str:
        return "$" if match[1] is None else environment.get(match[1], match[0])

    return _REFERENCE.sub(one, text)


def _referred(store: Store, pod: Object, source: Mapping[str, Any]) -> str | None:
    if reference := source.get("fieldRef"):
        return _field(pod, reference["fieldPath"])
    for word, plural in (("configMapKeyRef", "configmaps"), ("secretKeyRef", "secrets")):
        if reference := source.get(word):
            data = _data(store, plural, pod["metadata"]["namespace"], reference)
            if reference["key"] in data:
                return data[reference["key"]]
            if reference.get("optional"):
                return None
            raise NoSuchKey(f"couldn't find key {reference['key']} in {plural[:-1]} {reference['name']}")
    raise NoSuchKey(f"the sandbox does not play valueFrom {', '.join(source)}")


def _field(pod: Object, path: str) -> str:
    if match := _MAP_FIELD.fullmatch(path):
        return str((pod["metadata"].get(match[1]) or {}).get(match[2], ""))
    found: Any = pod
    for part in path.split("."):
        found = found.get(part, "") if isinstance(found, Mapping) else ""
    return str(found)


def _data(store: Store, plural: str, namespace: str, reference: Mapping[str, Any]) -> dict[str, str]:
    kind = store.kind("", "v1", plural)
    assert kind is not None
    found = store.find(kind, namespace, reference["name"])
    if found is None:
        if reference.get("optional"):
            return {}
        raise NoSuchKey(f'{plural[:-1]} "{reference["name"]}" not found')
    data = dict(found.get("data") or {})
    if plural == "secrets":
        data = {name: base64.b64decode(value).decode() for name, value in data.items()}
        data.update(found.get("stringData") or {})
    return data
