"""What lies in a workspace: a folder, data sources and dashboards, each under a uid that stays.

Whatever is there already is brought to what is wanted, so that everything may be done twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from grafana_http import Grafana, GrafanaError  # type: ignore[import-not-found]  # beside this file in Lambda


def put_folder(grafana: Grafana, *, uid: str, title: str) -> None:
    """Make the folder, or give it its title."""
    found = grafana.call("GET", f"/api/folders/{quote(uid)}")
    if found is None:
        _made(grafana, "/api/folders", {"uid": uid, "title": title})
    elif found.get("title") != title:
        _held(grafana, "PUT", f"/api/folders/{quote(uid)}", {"title": title, "overwrite": True})


def put_source(grafana: Grafana, source: Mapping[str, Any]) -> None:
    """Make the data source, or put its settings right."""
    path = f"/api/datasources/uid/{quote(source['uid'])}"
    if grafana.call("GET", path) is None:
        _made(grafana, "/api/datasources", source)
    else:
        _held(grafana, "PUT", path, source)


def put_dashboard(
    grafana: Grafana, *, uid: str, dashboard: Mapping[str, Any], folder_uid: str, message: str
) -> None:
    """Make the dashboard, or a new version of it."""
    # An id is of the Grafana that gave it; the uid is what names a dashboard here.
    body = {
        "dashboard": {**dashboard, "uid": uid, "id": None},
        "folderUid": folder_uid,
        "overwrite": True,
        "message": message,
    }
    answer = _made(grafana, "/api/dashboards/db", body)
    if answer.get("uid") != uid:
        raise GrafanaError(f"Grafana saved dashboard {uid} as {answer.get('uid')}")


def remove_dashboard(grafana: Grafana, uid: str) -> None:
    """Delete the dashboard; one that is gone is no error."""
    grafana.call("DELETE", f"/api/dashboards/uid/{quote(uid)}")


def remove_source(grafana: Grafana, uid: str) -> None:
    """Delete the data source; one that is gone is no error."""
    grafana.call("DELETE", f"/api/datasources/uid/{quote(uid)}")


def remove_folder(grafana: Grafana, uid: str) -> None:
    """Delete the folder unless people have put something of theirs into it, which would go with it: a
    dashboard, a folder, or an alert rule, which Grafana itself then refuses.
    """
    inside = grafana.call("GET", f"/api/search?{urlencode({'folderUIDs': uid, 'limit': 1})}")
    if inside == []:
        grafana.call("DELETE", f"/api/folders/{quote(uid)}?forceDeleteRules=false")


def _made(grafana: Grafana, path: str, body: object) -> Mapping[str, Any]:
    return _held(grafana, "POST", path, body)


def _held(grafana: Grafana, method: str, path: str, body: object) -> Mapping[str, Any]:
    answer = grafana.call(method, path, body)
    if answer is None:
        raise GrafanaError(f"Grafana answered 404 to {method} {path}")
    found: Mapping[str, Any] = answer
    return found
