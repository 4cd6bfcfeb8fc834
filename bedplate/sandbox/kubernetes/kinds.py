"""The kinds of objects that the played API server keeps; a path of any other kind is an error."""

from __future__ import annotations

from dataclasses import dataclass

_META = ("metadata.name", "metadata.namespace")


@dataclass(frozen=True)
class Kind:
    """One kind. ``fields`` are the field selectors that the API allows for it; ``schema`` says that
    Kubernetes' own schemas have it, False for custom objects.
    """

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True
    has_status: bool = False
    fields: tuple[str, ...] = _META
    schema: bool = False

    @property
    def api_version(self) -> str:
        """``v1`` or ``GROUP/VERSION``."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def key(self) -> tuple[str, str]:
        """What a kind is found by: group and plural, for all versions of a kind are one store."""
        return self.group, self.plural

    @property
    def resource(self) -> str:
        """As messages of the API server name it: ``jobs.batch``."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


_POD_FIELDS = (
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "status.phase",
)
_EVENT_FIELDS = tuple(f"involvedObject.{name}" for name in ("kind", "namespace", "name", "uid"))
_RBAC = "rbac.authorization.k8s.io"

NODES = Kind("", "v1", "nodes", "Node", False, True, ("metadata.name", "spec.unschedulable"), schema=True)
NAMESPACES = Kind(
    "", "v1", "namespaces", "Namespace", False, True, ("metadata.name", "status.phase"), schema=True
)
PODS = Kind("", "v1", "pods", "Pod", True, True, (*_META, *_POD_FIELDS), schema=True)
JOBS = Kind("batch", "v1", "jobs", "Job", True, True, schema=True)
EVENTS = Kind(
    "", "v1", "events", "Event", True, False, (*_META, *_EVENT_FIELDS, "reason", "type"), schema=True
)

CORE_KINDS = (
    NODES,
    NAMESPACES,
    PODS,
    JOBS,
    EVENTS,
    Kind("", "v1", "configmaps", "ConfigMap", schema=True),
    Kind("", "v1", "secrets", "Secret", fields=(*_META, "type"), schema=True),
    Kind("", "v1", "serviceaccounts", "ServiceAccount", schema=True),
    Kind("", "v1", "services", "Service", schema=True),
    Kind("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", False, schema=True),
    Kind(_RBAC, "v1", "roles", "Role", schema=True),
    Kind(_RBAC, "v1", "rolebindings", "RoleBinding", schema=True),
)
