"""Where people look at dashboards: from the environment file to a workspace and what lies in it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from aws_cdk import CfnOutput
from constructs import Construct

from bedplate.constructs.grafana_content import GrafanaContent
from bedplate.constructs.grafana_saml import GrafanaSaml
from bedplate.constructs.grafana_way_in import GrafanaWayIn
from bedplate.constructs.grafana_workspace import GrafanaWorkspace
from bedplate.constructs.metrics_workspace import MetricsWorkspace
from bedplate.slurm.pcs_cluster_shape import cluster_name
from bedplate.spec import Environment
from bedplate.spec.grafana import IdentityCenter, ManagedGrafana, Saml
from bedplate.stacks.network_stack import NetworkStack


@dataclass(frozen=True, kw_only=True)
class DeployedGrafana:
    """What others need to know of a workspace; strings are CDK tokens."""

    workspace_id: str
    url: str


def add_grafana(
    scope: Construct, *, environment: Environment, metrics: MetricsWorkspace, network: NetworkStack
) -> DeployedGrafana | None:
    """Make the workspace and fill it, with outputs for people; None where the environment asks for none."""
    wanted = environment.observability.grafana
    if not isinstance(wanted, ManagedGrafana):
        return None
    way = None
    if wanted.access is not None:
        way = GrafanaWayIn(
            scope, "GrafanaWayIn", vpc_id=network.vpc_id, subnet_ids=network.control_subnet_ids
        )
    workspace = GrafanaWorkspace(
        scope,
        "Grafana",
        name=cluster_name(environment.name),
        version=wanted.version,
        metrics_arn=metrics.workspace_arn,
        identity_center=wanted.identity_center is not None,
        saml=_saml(wanted.saml) if wanted.saml else None,
        plugin_admin=wanted.plugin_admin,
        prefix_list_ids=wanted.access.prefix_lists if wanted.access else None,
        endpoint_ids=[way.endpoint_id, *wanted.access.vpc_endpoints] if way and wanted.access else None,
        subnet_ids=wanted.vpc.subnets if wanted.vpc else (),
        group_ids=wanted.vpc.security_groups if wanted.vpc else (),
    )
    content = GrafanaContent(
        scope,
        "GrafanaContent",
        workspace_id=workspace.workspace_id,
        metrics_endpoint=metrics.endpoint,
        dashboards=_dashboards(),
        permissions=_permissions(wanted.identity_center) if wanted.identity_center else None,
        plugin_admin=wanted.plugin_admin,
        subnet_ids=network.control_subnet_ids if way else (),
        group_ids=[way.group_id] if way else (),
    )
    CfnOutput(scope, "GrafanaUrl", value=content.url, description="Dashboards: open this and log in")
    CfnOutput(
        scope,
        "GrafanaWorkspaceId",
        value=workspace.workspace_id,
        description="The workspace of the dashboards",
    )
    return DeployedGrafana(workspace_id=workspace.workspace_id, url=content.url)


def _dashboards() -> dict[str, str]:
    # Here, since Grafana's SDK is for those alone who have dashboards made.
    from bedplate.telemetry.dashboards.catalogue import all_dashboards

    return {uid: json.dumps(model, sort_keys=True) for uid, model in all_dashboards().items()}


def _saml(wanted: Saml) -> GrafanaSaml:
    attributes = wanted.attributes.model_dump(exclude_none=True)
    return GrafanaSaml(
        metadata_url=wanted.metadata_url,
        metadata_xml=wanted.metadata_xml,
        attributes=attributes,
        admin_roles=wanted.admin_roles,
        editor_roles=wanted.editor_roles,
        login_minutes=wanted.login_hours * 60,
    )


def _permissions(wanted: IdentityCenter) -> dict[str, dict[str, list[str]]]:
    found = {
        "ADMIN": {"SSO_GROUP": list(wanted.admin_groups), "SSO_USER": list(wanted.admin_users)},
        "EDITOR": {"SSO_GROUP": list(wanted.editor_groups)},
        "VIEWER": {"SSO_GROUP": list(wanted.viewer_groups)},
    }
    named = {role: {kind: ids for kind, ids in kinds.items() if ids} for role, kinds in found.items()}
    return {role: kinds for role, kinds in named.items() if kinds}
