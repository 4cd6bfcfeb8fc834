"""AWS::APS::Workspace and AWS::APS::RuleGroupsNamespace, with effect on what the AMP API tells."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import yaml
from moto.amp.models import amp_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest


class ApsWorkspaceHandler:
    """A Prometheus workspace; its alert manager definition must be YAML with an ``alertmanager_config``."""

    def create(self, request: ResourceRequest) -> Made:
        """Create the workspace in moto's AMP."""
        _check_alert_manager(request.properties.get("AlertManagerDefinition"))
        backend = amp_backends[request.account][request.region]
        workspace = backend.create_workspace(request.properties.get("Alias", ""), request.all_tags())
        return self._made(request, workspace)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take over another alias, alert manager or retention."""
        _check_alert_manager(request.properties.get("AlertManagerDefinition"))
        made.state.alias = request.properties.get("Alias", "")
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
        _check_rules(properties["Data"])
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
        _check_rules(request.properties["Data"])
        made.state[1].data = base64.b64encode(request.properties["Data"].encode()).decode()
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Take the rules out; a workspace that is gone is no error."""
        workspace = amp_backends[request.account][request.region].workspaces.get(made.state[0])
        if workspace is not None:
            workspace.rule_group_namespaces.pop(request.properties["Name"], None)


def _check_alert_manager(text: str | None) -> None:
    if text is None:
        return
    document = _yaml(text, "AlertManagerDefinition")
    if not isinstance(document, dict) or "alertmanager_config" not in document:
        raise ResourceError("ValidationException: AlertManagerDefinition holds no alertmanager_config")


def _check_rules(text: str) -> None:
    document = _yaml(text, "Data")
    if not isinstance(document, dict) or not isinstance(document.get("groups"), list):
        raise ResourceError("ValidationException: Data holds no groups")
    for group in document["groups"]:
        for rule in group.get("rules") or []:
            if "expr" not in rule or not {"alert", "record"} & set(rule):
                raise ResourceError(
                    f"ValidationException: rule {rule!r} of group {group.get('name')} is no rule"
                )


def _yaml(text: str, name: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ResourceError(f"ValidationException: {name} is no YAML: {error}") from error
