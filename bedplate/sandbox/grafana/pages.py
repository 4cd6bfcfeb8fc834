"""What Grafana does with folders, data sources and dashboards that it is given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.grafana.records import PlayedWorkspace
from bedplate.sandbox.grafana.refused import Refused

LONGEST_UID = 40


def search(workspace: PlayedWorkspace, query: Mapping[str, list[str]]) -> list[dict[str, Any]]:
    """Dashboards, of the folders that are named or of all."""
    folders = query.get("folderUIDs", [])
    limit = int(query.get("limit", ["1000"])[0])
    return [
        {
            "uid": uid,
            "title": each["dashboard"]["title"],
            "type": "dash-db",
            "folderUid": each["meta"]["folderUid"],
        }
        for uid, each in workspace.dashboards.items()
        if not folders or each["meta"]["folderUid"] in folders
    ][:limit]


def put_folder(workspace: PlayedWorkspace, uid: str | None, body: Any) -> dict[str, Any]:
    """A new folder, or another title of one that is there."""
    if not body or not body.get("title"):
        raise Refused(400, "folder title cannot be empty")
    if uid is None:
        uid = _uid(body)
        if uid in workspace.folders:
            raise Refused(409, "a folder with the same name already exists in the current location")
        workspace.folders[uid] = {
            "id": workspace.number(),
            "uid": uid,
            "hasAcl": False,
            "canSave": True,
            "canEdit": True,
            "canAdmin": True,
            "version": 0,
        }
    elif not body.get("overwrite") and body.get("version") != workspace.folders[uid]["version"]:
        raise Refused(412, "The folder has been changed by someone else", reason="version-mismatch")
    folder = workspace.folders[uid]
    folder.update(
        title=body["title"], url=f"/dashboards/f/{uid}/{_slug(body['title'])}", version=folder["version"] + 1
    )
    return folder


def delete_folder(workspace: PlayedWorkspace, uid: str) -> dict[str, Any]:
    """The folder goes with every dashboard in it."""
    folder = workspace.folders.pop(uid)
    for each in [key for key, one in workspace.dashboards.items() if one["meta"]["folderUid"] == uid]:
        del workspace.dashboards[each]
    return {"message": "Folder deleted", "id": folder["id"]}


def put_source(workspace: PlayedWorkspace, uid: str | None, body: Any) -> dict[str, Any]:
    """A new data source, or other settings of one that is there."""
    if not body or not all(body.get(name) for name in ("name", "type", "access")):
        raise Refused(400, "bad request data")
    key = uid or _uid(body)
    if uid is None and key in workspace.sources:
        raise Refused(409, "data source with the same uid already exists")
    if any(each["name"] == body["name"] for other, each in workspace.sources.items() if other != key):
        raise Refused(409, "data source with the same name already exists")
    old = workspace.sources.get(key)
    source = {
        "id": old["id"] if old else workspace.number(),
        "orgId": 1,
        "typeLogoUrl": "",
        "url": "",
        "isDefault": False,
        "jsonData": {},
        "secureJsonFields": {},
        "readOnly": False,
        **body,
        "uid": key,
        "version": old["version"] + 1 if old else 1,
    }
    workspace.sources[key] = source
    message = "Datasource updated" if old else "Datasource added"
    return {"datasource": source, "id": source["id"], "message": message, "name": source["name"]}


def put_dashboard(workspace: PlayedWorkspace, body: Any) -> dict[str, Any]:
    """A new dashboard, or a new version of one that is there."""
    dashboard = (body or {}).get("dashboard")
    if not isinstance(dashboard, dict):
        raise Refused(400, "bad request data")
    if not dashboard.get("title"):
        raise Refused(400, "Dashboard title cannot be empty", reason="empty-name")
    folder = body.get("folderUid", "")
    if folder and folder not in workspace.folders:
        raise Refused(400, "folder not found")
    uid = _uid(dashboard)
    old = workspace.dashboards.get(uid)
    if old and not body.get("overwrite") and dashboard.get("version") != old["dashboard"]["version"]:
        raise Refused(412, "The dashboard has been changed by someone else", reason="version-mismatch")
    version = old["dashboard"]["version"] + 1 if old else 1
    number = old["dashboard"]["id"] if old else workspace.number()
    slug = _slug(dashboard["title"])
    url = f"/d/{uid}/{slug}"
    workspace.dashboards[uid] = {
        "dashboard": {**dashboard, "id": number, "uid": uid, "version": version},
        "meta": {"isStarred": False, "url": url, "folderUid": folder, "slug": slug},
        "message": body.get("message", ""),
    }
    return {"id": number, "uid": uid, "url": url, "status": "success", "version": version, "slug": slug}


def _uid(thing: Mapping[str, Any]) -> str:
    uid = thing.get("uid")
    if not isinstance(uid, str) or not re.fullmatch(r"[A-Za-z0-9_-]+", uid):
        # Grafana makes one up where there is none; what has no uid of its own cannot be found again.
        raise Refused(400, "uid contains illegal characters", reason="invalid-uid")
    if len(uid) > LONGEST_UID:
        raise Refused(400, "uid too long. max 40 characters", reason="invalid-uid")
    return uid


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
