"""AWS::APS::Workspace and AWS::APS::RuleGroupsNamespace, with effect on what the AMP API tells."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from moto.amp.models import amp_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.aps_definitions import check_alert_manager, check_rules

MOST_RETENTION_DAYS = 1095
"""AMP User Guide, "service quotas"."""
DEFAULTS = {"RetentionPeriodInDays": 150, "OutOfOrderTimeWindowInSeconds": 60, "RuleQueryOffsetInSeconds": 0}
"""Of a workspace that is told nothing (AMP User Guide, "Configure your workspace")."""


class ApsWorkspaceHandler:
    """A Prometheus workspace, with its alert manager definition and its configuration."""

    def create(self, request: ResourceRequest) -> Made:
        """Create the workspace in moto's AMP."""
        _check(request)
        backend = amp_backends[request.account][request.region]
        workspace = backend.create_workspace(request.properties.get("Alias", ""), request.all_tags())
        _keep(request, workspace)
        return self._made(request, workspace)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take over another alias, alert manager or configuration; what is refused leaves all as it was."""
        _check(request)
        made.state.alias = request.properties.get("Alias", "")
        _keep(request, made.state)
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Delete the workspace with everything in it."""
        amp_backends[request.account][request.region].workspaces.pop(made.state.workspace_id, None)

    def _made(self, request: ResourceRequest, workspace: Any) -> Made:
        identifier = workspace.workspace_id
        endpoint = f"https://aps-workspaces.{request.region}.amazonaws.com/workspaces/{identifier}/"
        workspace.endpoint = endpoint
        attributes = {"WorkspaceId": identifier, "Arn": workspace.arn, "PrometheusEndpoint": endpoint}
        return Made(workspace.arn, attributes.__getitem__, workspace)


class ApsRuleGroupsHandler:
    """A namespace of rule groups; ``Data`` must be YAML with ``groups``."""

    def create(self, request: ResourceRequest) -> Made:
        """Put the rules into their workspace."""
        properties = request.properties
        check_rules(properties["Data"])
        backend = amp_backends[request.account][request.region]
        workspace_id = str(properties["Workspace"]).rsplit("/", 1)[-1]
        if workspace_id not in backend.workspaces:
            raise ResourceError(f"ResourceNotFoundException: workspace {properties['Workspace']}")
        data = base64.b64encode(properties["Data"].encode()).decode()
        group = backend.create_rule_groups_namespace(
            data, properties["Name"], request.all_tags(), workspace_id
        )
        return Made(group.arn, {"Arn": group.arn}.__getitem__, (workspace_id, group))

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Put the new rules in the old ones' place."""
        check_rules(request.properties["Data"])
        made.state[1].data = base64.b64encode(request.properties["Data"].encode()).decode()
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Take the rules out; a workspace that is gone is no error."""
        workspace = amp_backends[request.account][request.region].workspaces.get(made.state[0])
        if workspace is not None:
            workspace.rule_group_namespaces.pop(request.properties["Name"], None)


def _check(request: ResourceRequest) -> None:
    check_alert_manager(request.properties.get("AlertManagerDefinition"))
    days = _configuration(request)["RetentionPeriodInDays"]
    if not 1 <= days <= MOST_RETENTION_DAYS:
        raise ResourceError(f"ValidationException: retention of {days} days; AMP allows 1 to 1095")


def _keep(request: ResourceRequest, workspace: Any) -> None:
    """On moto's own record, which the API of the sandbox tells from (``services/amp.py``)."""
    workspace.alert_manager_definition = request.properties.get("AlertManagerDefinition")
    workspace.configuration = _configuration(request)


def _configuration(request: ResourceRequest) -> dict[str, Any]:
    given = request.properties.get("WorkspaceConfiguration") or {}
    whole = {name: int(given.get(name, default)) for name, default in DEFAULTS.items()}
    return {**whole, "LimitsPerLabelSets": given.get("LimitsPerLabelSets") or []}
