"""Objects that manifests gave to a cluster: what ``kubectl create``, ``apply`` and ``delete`` do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError

Object = Mapping[str, Any]
Key = tuple[str, str, str, str]
BUILT_IN_NAMESPACES = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
_VERSION = re.compile(r"(?:(?P<group>[a-z0-9]([a-z0-9.-]*[a-z0-9])?)/)?v\d+((alpha|beta)\d+)?")
_KIND = re.compile(r"[A-Z][A-Za-z0-9]*")
_SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_RBAC = "rbac.authorization.k8s.io"
"""Names in this group are path segments: ``system:node`` is one."""
_LONGEST_NAME = 253
_PRUNED = frozenset(
    {
        ("", "ConfigMap"),
        ("", "Endpoints"),
        ("", "Namespace"),
        ("", "PersistentVolume"),
        ("", "PersistentVolumeClaim"),
        ("", "Pod"),
        ("", "ReplicationController"),
        ("", "Secret"),
        ("", "Service"),
        ("apps", "DaemonSet"),
        ("apps", "Deployment"),
        ("apps", "ReplicaSet"),
        ("apps", "StatefulSet"),
        ("batch", "CronJob"),
        ("batch", "Job"),
        ("networking.k8s.io", "Ingress"),
    }
)
"""What ``kubectl apply --prune`` looks at where no list is given (kubectl, pkg/cmd/util/prune); an object of
any other kind stays when it leaves its manifest."""


class KubernetesObjects:
    """Objects by API group, kind, namespace and name."""

    def __init__(self) -> None:
        self._objects: dict[Key, Object] = {}

    def all(self) -> list[Object]:
        """Every object, in the order of its making."""
        return list(self._objects.values())

    def create(self, objects: Sequence[Object]) -> None:
        """``kubectl create``: none of them may be there."""
        for each in objects:
            if key_of(each) in self._objects:
                raise ResourceError(f"Error from server (AlreadyExists): {_said(each)} already exists")
        self.apply(objects)

    def apply(self, objects: Sequence[Object]) -> None:
        """``kubectl apply``: make what is not there, and change what is."""
        self._objects.update({key_of(each): each for each in objects})

    def prune(self, objects: Sequence[Object], label: str) -> None:
        """Take away what carries the label and is not among ``objects``, of the kinds that kubectl prunes."""
        kept = {key_of(each) for each in objects}
        for key, each in list(self._objects.items()):
            labels = each["metadata"].get("labels") or {}
            if key not in kept and label in labels and key[:2] in _PRUNED:
                self._remove(key)

    def delete(self, objects: Sequence[Object]) -> None:
        """``kubectl delete``: with a namespace goes all that is in it."""
        for each in objects:
            self._remove(key_of(each))

    def _remove(self, key: Key) -> None:
        self._objects.pop(key, None)
        if key[:2] == ("", "Namespace"):
            self._objects = {other: each for other, each in self._objects.items() if other[2] != key[3]}


def key_of(each: Object) -> Key:
    """API group, kind, namespace and name of an object."""
    metadata = each["metadata"]
    return group_of(each), str(each["kind"]), str(metadata.get("namespace") or ""), str(metadata["name"])


def group_of(each: Object) -> str:
    """The API group of an object; empty for the core one."""
    group, _, _ = str(each["apiVersion"]).rpartition("/")
    return group


def checked(document: Any, where: str) -> Object:
    """One document of a manifest; ``ResourceError`` for what no API server would take whatever its kind."""
    if not isinstance(document, dict):
        raise ResourceError(f"{where}: a document of a manifest is an object, not {type(document).__name__}")
    version, kind, metadata = document.get("apiVersion"), document.get("kind"), document.get("metadata")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise ResourceError(f"{where}: apiVersion {version!r} is no API version, such as v1 or apps/v1")
    if not isinstance(kind, str) or not _KIND.fullmatch(kind):
        raise ResourceError(f"{where}: kind {kind!r} is no kind, such as ConfigMap")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not _is_name(name, group_of(document)):
        raise ResourceError(f"{where}: metadata.name {name!r} of {kind} is no name of an object")
    return document


def _is_name(name: str, group: str) -> bool:
    if group == _RBAC:
        return name not in ("", ".", "..") and not {"/", "%"} & set(name)
    return len(name) <= _LONGEST_NAME and _SUBDOMAIN.fullmatch(name) is not None


def _said(each: Object) -> str:
    return f'{str(each["kind"]).lower()} "{each["metadata"]["name"]}"'
