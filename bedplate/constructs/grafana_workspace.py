"""A workspace of Amazon Managed Grafana."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import RemovalPolicy
from constructs import Construct

from bedplate.constructs.grafana_role import GrafanaRole
from bedplate.constructs.grafana_saml import GrafanaSaml
from bedplate.constructs.l1 import aws_grafana as grafana


class GrafanaWorkspace(Construct):
    """A workspace that reads one Prometheus workspace and CloudWatch by a role of its own.

    People come in by IAM Identity Center (``identity_center``), by ``saml``, or by both. ``version`` goes up
    and never down. ``prefix_list_ids`` and ``endpoint_ids`` bound from where it is reached: None for from
    everywhere; whoever fills it by its HTTP API must come from there too. ``subnet_ids`` and ``group_ids``
    put its own interfaces into a VPC, through which all its requests go then, also those to AWS.

    It goes with the stack, and what people made in it as well: its content is made by ``GrafanaContent``.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        name: str,
        version: str,
        metrics_arn: str,
        identity_center: bool,
        saml: GrafanaSaml | None = None,
        plugin_admin: bool = False,
        prefix_list_ids: Sequence[str] | None = None,
        endpoint_ids: Sequence[str] | None = None,
        subnet_ids: Sequence[str] = (),
        group_ids: Sequence[str] = (),
    ) -> None:
        super().__init__(scope, id)
        if not identity_center and saml is None:
            raise ValueError("identity_center, saml, or both: a workspace has no users of its own")
        if bool(subnet_ids) != bool(group_ids):
            raise ValueError("subnet_ids and group_ids go together")
        bounded = prefix_list_ids is not None or endpoint_ids is not None
        role = GrafanaRole(self, "Access", metrics_arn=metrics_arn)
        self.resource = grafana.CfnWorkspace(
            self,
            "Workspace",
            name=name,
            description="Dashboards of a training cluster, made by Bedplate",
            account_access_type="CURRENT_ACCOUNT",
            permission_type="CUSTOMER_MANAGED",
            authentication_providers=[
                *(["AWS_SSO"] if identity_center else []),
                *(["SAML"] if saml else []),
            ],
            saml_configuration=saml.configuration() if saml else None,
            grafana_version=version,
            plugin_admin_enabled=plugin_admin,
            role_arn=role.arn,
            network_access_control=grafana.CfnWorkspace.NetworkAccessControlProperty(
                prefix_list_ids=list(prefix_list_ids or ()), vpce_ids=list(endpoint_ids or ())
            )
            if bounded
            else None,
            vpc_configuration=grafana.CfnWorkspace.VpcConfigurationProperty(
                subnet_ids=list(subnet_ids), security_group_ids=list(group_ids)
            )
            if subnet_ids
            else None,
        )
        """The workspace."""
        self.resource.apply_removal_policy(RemovalPolicy.DESTROY)
        self.resource.add_resource_dependency(role.policy)
        self.workspace_id: str = self.resource.ref
        """Id, ``g-…``."""
        self.endpoint: str = self.resource.attr_endpoint
        """Host name; people open ``https://`` and this."""
