"""AWS::Grafana::Workspace, with effect on the API and with an HTTP API of its own on loopback."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import generated_name
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.grafana.records import PATH, PlayedWorkspace
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.grafana import VERSIONS
from bedplate.sandbox.services.sso_admin import has_identity_center

_NETWORK = {
    "NetworkAccessControl": ("PrefixListIds", "VpceIds"),
    "VpcConfiguration": ("SubnetIds", "SecurityGroupIds"),
}


class GrafanaWorkspaceHandler:
    """A workspace. AWS names a host as its endpoint; here it is a URL of this sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Make the workspace."""
        self._check(request)
        identifier = f"g-{uuid.uuid4().hex[:10]}"
        now = datetime.now(UTC)
        described = {
            "id": identifier,
            "endpoint": f"{self._sandbox.endpoint}{PATH}{identifier}",
            "created": now,
            "status": "ACTIVE",
            "name": request.properties.get("Name") or generated_name(request),
        }
        workspace = PlayedWorkspace(account=request.account, region=request.region, described=described)
        self._describe(request, workspace)
        self._sandbox.grafana.workspaces[identifier] = workspace
        return self._made(workspace)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Change the workspace; its version goes up alone."""
        self._check(request)
        workspace: PlayedWorkspace = made.state
        has = workspace.described["grafanaVersion"]
        wanted = request.properties.get("GrafanaVersion", has)
        if VERSIONS.index(wanted) < VERSIONS.index(has):
            raise ResourceError(f"ValidationException: a workspace of {has} cannot be downgraded to {wanted}")
        self._describe(request, workspace)
        return self._made(workspace)

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Delete the workspace with everything in it."""
        self._sandbox.grafana.workspaces.pop(made.physical_id, None)

    def _check(self, request: ResourceRequest) -> None:
        properties = request.properties
        if properties["PermissionType"] != "CUSTOMER_MANAGED" or not properties.get("RoleArn"):
            raise ResourceError("ValidationException: a Workspace Role ARN should be provided")
        if "AWS_SSO" in properties["AuthenticationProviders"] and not has_identity_center(
            self._sandbox.options
        ):
            raise ResourceError("ValidationException: SSO is not enabled in any region")
        version = properties.get("GrafanaVersion", VERSIONS[-1])
        if version not in VERSIONS:
            raise ResourceError(
                f"ValidationException: Grafana version {version} is not supported: {', '.join(VERSIONS)}"
            )
        metadata = (properties.get("SamlConfiguration") or {}).get("IdpMetadata")
        if metadata is not None and len(metadata) != 1:
            raise ResourceError("ValidationException: IdpMetadata is a Url or an Xml")

    def _describe(self, request: ResourceRequest, workspace: PlayedWorkspace) -> None:
        properties = request.properties
        saml = properties.get("SamlConfiguration")
        workspace.described.update(
            modified=datetime.now(UTC),
            accountAccessType=properties["AccountAccessType"],
            permissionType=properties["PermissionType"],
            workspaceRoleArn=properties["RoleArn"],
            description=properties.get("Description", ""),
            dataSources=list(properties.get("DataSources", [])),
            grafanaVersion=properties.get("GrafanaVersion", VERSIONS[-1]),
            authentication={
                "providers": list(properties["AuthenticationProviders"]),
                "samlConfigurationStatus": "CONFIGURED" if saml else "NOT_CONFIGURED",
            },
            tags=request.all_tags(),
        )
        for name, members in _NETWORK.items():
            told = name[0].lower() + name[1:]
            workspace.described.pop(told, None)
            if name in properties:
                workspace.described[told] = {
                    each[0].lower() + each[1:]: list(properties[name].get(each, [])) for each in members
                }
        if "PluginAdminEnabled" in properties:
            workspace.configuration["plugins"] = {"pluginAdminEnabled": properties["PluginAdminEnabled"]}

    def _made(self, workspace: PlayedWorkspace) -> Made:
        described = workspace.described
        attributes = {
            "Id": described["id"],
            "Endpoint": described["endpoint"],
            "Status": described["status"],
            "GrafanaVersion": described["grafanaVersion"],
            "SamlConfigurationStatus": described["authentication"]["samlConfigurationStatus"],
            "SsoClientId": "",
            "CreationTimestamp": described["created"].isoformat(),
            "ModificationTimestamp": described["modified"].isoformat(),
        }
        return Made(described["id"], attributes.__getitem__, workspace)
