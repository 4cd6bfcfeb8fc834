"""What the server tells of itself: version, groups and kinds."""

from __future__ import annotations

from typing import Any

from bedplate.sandbox.kubernetes.kinds import Kind
from bedplate.sandbox.kubernetes.store import Store

_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]


def discovery(path: str, store: Store, *, minor: int) -> dict[str, Any] | None:
    """The document at one of the paths of discovery; None for any other path."""
    parts = path.strip("/").split("/")
    if parts == ["version"]:
        return {
            "major": "1",
            "minor": str(minor),
            "gitVersion": f"v1.{minor}.0-bedplate-simulated",
            "gitCommit": "",
            "gitTreeState": "clean",
            "buildDate": "1970-01-01T00:00:00Z",
            "goVersion": "",
            "compiler": "",
            "platform": "linux/amd64",
        }
    if parts == ["api"]:
        return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
    if parts == ["apis"]:
        names = sorted({(kind.group, kind.version) for kind in store.kinds if kind.group})
        return {
            "kind": "APIGroupList",
            "apiVersion": "v1",
            "groups": [_group(group, version) for group, version in names],
        }
    found = _kinds_at(parts, store)
    if not found:
        return None
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": found[0].api_version,
        "resources": [entry for kind in found for entry in _entries(kind)],
    }


def _kinds_at(parts: list[str], store: Store) -> list[Kind]:
    if parts == ["api", "v1"]:
        wanted = ("", "v1")
    elif len(parts) == 3 and parts[0] == "apis":
        wanted = (parts[1], parts[2])
    else:
        return []
    return [kind for kind in store.kinds if (kind.group, kind.version) == wanted]


def _group(group: str, version: str) -> dict[str, Any]:
    row = {"groupVersion": f"{group}/{version}", "version": version}
    return {"name": group, "versions": [row], "preferredVersion": row}


def _entries(kind: Kind) -> list[dict[str, Any]]:
    entry = {
        "name": kind.plural,
        "singularName": kind.kind.lower(),
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": _VERBS,
    }
    status = {**entry, "name": f"{kind.plural}/status", "verbs": ["get", "patch", "update"]}
    return [entry, *([status] if kind.has_status else [])]
