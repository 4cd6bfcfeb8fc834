"""Grafana's own HTTP API, as far as folders, data sources, dashboards and search go.

Paths, status codes and bodies are those of Grafana's documentation (``docs/sources/developers/http_api`` of
grafana/grafana at 11.6). The switch ``grafana_answers`` puts another answer in the place of one::

    {"grafana_answers": {"POST /api/dashboards/db": {"status": 500, "message": "database is locked"}}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote

from bedplate.sandbox.grafana.pages import delete_folder, put_dashboard, put_folder, put_source, search
from bedplate.sandbox.grafana.records import PATH, GrafanaRecords, PlayedWorkspace
from bedplate.sandbox.grafana.refused import Refused
from bedplate.sandbox.options import SandboxOptions
from bedplate.sandbox.services.service import Answer

NOT_FOUND = {
    "folders": "folder not found",
    "datasources": "Data source not found",
    "dashboards": "Dashboard not found",
}


@dataclass(frozen=True)
class GrafanaHttpApi:
    """Answers requests under the path of each workspace."""

    records: GrafanaRecords
    options: SandboxOptions

    def answer(self, environ: Mapping[str, Any], path: str) -> Answer:
        """One request; ``path`` begins with the workspaces' own."""
        workspace_id, _, rest = path.removeprefix(PATH).partition("/")
        method = str(environ["REQUEST_METHOD"])
        workspace = self.records.workspaces.get(workspace_id)
        if workspace is None:
            return _answer(404, {"message": "Not found"})
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        asked = f"{method} /{rest}"
        try:
            self._misbehave(asked)
            self._let_in(workspace, str(environ.get("HTTP_AUTHORIZATION", "")))
            query = parse_qs(str(environ.get("QUERY_STRING", "")))
            status, found = 200, _page(workspace, method, f"/{rest}", query, _body(body))
        except Refused as error:
            status, found = error.status, error.body()
        workspace.asked.append(f"{status} {asked}")
        return _answer(status, found)

    def _misbehave(self, asked: str) -> None:
        wanted = self.options.section("grafana_answers", {}).get(asked)
        if wanted is not None:
            raise Refused(int(wanted["status"]), str(wanted.get("message", "as asked")))

    def _let_in(self, workspace: PlayedWorkspace, header: str) -> None:
        role = workspace.role_of(header.removeprefix("Bearer "))
        if role is None:
            raise Refused(401, "Invalid API key")
        if role != "ADMIN":
            raise Refused(403, "You'll need additional permissions to perform this action.")


def _page(
    workspace: PlayedWorkspace, method: str, path: str, query: Mapping[str, list[str]], body: Any
) -> Any:
    if (method, path) == ("GET", "/api/search"):
        return search(workspace, query)
    if (method, path) == ("POST", "/api/folders"):
        return put_folder(workspace, None, body)
    if (method, path) == ("POST", "/api/datasources"):
        return put_source(workspace, None, body)
    if (method, path) == ("POST", "/api/dashboards/db"):
        return put_dashboard(workspace, body)
    found = re.fullmatch(r"/api/(folders|datasources/uid|dashboards/uid)/([^/]+)", path)
    if found is None:
        raise Refused(404, f"SBX-015: the sandbox plays no {method} {path}")
    kind, uid = found[1].removesuffix("/uid"), unquote(found[2])
    things = {
        "folders": workspace.folders,
        "datasources": workspace.sources,
        "dashboards": workspace.dashboards,
    }[kind]
    if uid not in things:
        raise Refused(404, NOT_FOUND[kind])
    if method == "GET":
        return things[uid]
    if method == "PUT" and kind != "dashboards":
        return (put_folder if kind == "folders" else put_source)(workspace, uid, body)
    if method == "DELETE":
        return _delete(workspace, kind, uid)
    raise Refused(405, f"{method} {path}")


def _delete(workspace: PlayedWorkspace, kind: str, uid: str) -> Any:
    if kind == "folders":
        return delete_folder(workspace, uid)
    if kind == "datasources":
        gone = workspace.sources.pop(uid)
        return {"message": "Data source deleted", "id": gone["id"]}
    title = workspace.dashboards.pop(uid)["dashboard"]["title"]
    return {"title": title, "message": f"Dashboard {title} deleted", "uid": uid}


def _body(text: bytes) -> Any:
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError as error:
        raise Refused(400, "bad request data") from error


def _answer(status: int, found: Any) -> Answer:
    return Answer(status, {"Content-Type": "application/json; charset=UTF-8"}, json.dumps(found).encode())
