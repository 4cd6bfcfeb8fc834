"""Files of an open-source Grafana of one's own: dashboards, data sources and a compose file.

File provisioning fills in no placeholders, so dashboards name their sources by uid, and the sources are made
under these. SigV4 of the core Prometheus source: Amazon Managed Service for Prometheus User Guide, "Set up
Grafana open source". Credentials are in no file: Grafana takes those of its surroundings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import yaml

from bedplate.errors import BedplateError
from bedplate.telemetry.dashboards.catalogue import all_dashboards
from bedplate.telemetry.dashboards.sources import CLOUDWATCH_UID, PROMETHEUS_UID

IMAGE = "grafana/grafana-oss:11.6.0"
"""Of the line that the dashboards are made for; they were never loaded into a running one here."""
COMPOSE = "compose.yaml"
_SOURCES = "provisioning/datasources/bedplate.yaml"
_AMP_HOST = re.compile(r"^aps-workspaces(?:-fips)?\.(?P<region>[a-z0-9-]+)\.")
_API = re.compile(r"/api/v1/?.*$")
_MOUNTS = (
    ("./dashboards", "/etc/bedplate/dashboards"),
    ("./provisioning", "/etc/grafana/provisioning"),
)
_HEAD = """# Made by `bedplate dashboards export`; made anew by it too.
# GRAFANA_ADMIN_PASSWORD=... docker compose up -d, then http://127.0.0.1:3000 (user admin).
# Queries of AMP and CloudWatch are signed with the credentials of your surroundings: the variables below, or
# an instance's role. They need aps:QueryMetrics, GetLabels, GetSeries and GetMetricMetadata, and
# cloudwatch:GetMetricData and ListMetrics.
"""


def grafana_files(*, prometheus_url: str, region: str | None) -> Mapping[str, str]:
    """Path below the folder → text. ``region`` is CloudWatch's; without it, that of the AMP workspace.

    Raises ``BedplateError`` CLI-007 for what is no address of a Prometheus.
    """
    url, workspace_region = _address(prometheus_url)
    files = {
        f"dashboards/{uid}.json": json.dumps(model, indent=2, sort_keys=True) + "\n"
        for uid, model in all_dashboards().items()
    }
    files["provisioning/dashboards/bedplate.yaml"] = _yaml(_dashboard_provider())
    files[_SOURCES] = _yaml(_sources(url, workspace_region, region or workspace_region))
    files[COMPOSE] = _HEAD + _yaml(_compose(signed=workspace_region is not None))
    return files


def has_cloudwatch(files: Mapping[str, str]) -> bool:
    """Whether the files make a source for FSx's figures."""
    return CLOUDWATCH_UID in files[_SOURCES]


def _address(given: str) -> tuple[str, str | None]:
    """The address without the API's path, and the Region of the workspace where it is AMP's."""
    parts = urlsplit(given)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise BedplateError(
            f"--prometheus is {given!r}, which is no address of a Prometheus",
            error_id="CLI-007",
            remedy="Give its root, as http://10.0.0.5:9090, or an AMP workspace's, as "
            "https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-0123; without a password.",
        )
    path = _API.sub("", parts.path).rstrip("/")
    workspace = _AMP_HOST.match(parts.hostname)
    return f"{parts.scheme}://{parts.netloc}{path}", workspace["region"] if workspace else None


def _sources(url: str, workspace_region: str | None, region: str | None) -> dict[str, Any]:
    signing = (
        {"sigV4Auth": True, "sigV4AuthType": "default", "sigV4Region": workspace_region}
        if workspace_region
        else {}
    )
    sources: list[dict[str, Any]] = [
        {
            "name": "Bedplate Prometheus",
            "uid": PROMETHEUS_UID,
            "type": "prometheus",
            "access": "proxy",
            "url": url,
            "isDefault": True,
            "editable": False,
            "jsonData": {"httpMethod": "POST", "timeInterval": "60s", **signing},
        }
    ]
    if region:
        sources.append(
            {
                "name": "Bedplate CloudWatch",
                "uid": CLOUDWATCH_UID,
                "type": "cloudwatch",
                "access": "proxy",
                "editable": False,
                "jsonData": {"authType": "default", "defaultRegion": region},
            }
        )
    return {"apiVersion": 1, "datasources": sources}


def _dashboard_provider() -> dict[str, Any]:
    return {
        "apiVersion": 1,
        "providers": [
            {
                "name": "bedplate",
                "folder": "Bedplate",
                "type": "file",
                "allowUiUpdates": False,
                "options": {"path": _MOUNTS[0][1]},
            }
        ],
    }


def _compose(*, signed: bool) -> dict[str, Any]:
    settings = [
        "GF_SECURITY_ADMIN_PASSWORD=${GRAFANA_ADMIN_PASSWORD:?give Grafana's admin a password}",
        "GF_USERS_ALLOW_SIGN_UP=false",
        "GF_ANALYTICS_REPORTING_ENABLED=false",
        *(["GF_AUTH_SIGV4_AUTH_ENABLED=true"] if signed else []),
        "AWS_SDK_LOAD_CONFIG=true",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
    ]
    grafana = {
        "image": IMAGE,
        "restart": "unless-stopped",
        # Reached through an SSH tunnel or a proxy that knows its users; never open by itself.
        "ports": ["127.0.0.1:3000:3000"],
        "environment": settings,
        "volumes": [f"{ours}:{theirs}:ro" for ours, theirs in _MOUNTS] + ["grafana:/var/lib/grafana"],
    }
    return {"services": {"grafana": grafana}, "volumes": {"grafana": {}}}


def _yaml(data: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(data), sort_keys=False, width=1000)
