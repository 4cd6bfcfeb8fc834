"""How people come in to a Grafana workspace by an identity provider of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bedplate.constructs.l1 import aws_grafana as grafana


@dataclass(frozen=True, kw_only=True)
class GrafanaSaml:
    """The provider's metadata, by URL or as XML, and what its assertions mean.

    ``attributes`` maps ``name``, ``login``, ``email``, ``role``, ``groups`` and ``org`` to what the provider
    calls them; ``admin_roles`` and ``editor_roles`` are values of the role's attribute.
    """

    metadata_url: str | None = None
    metadata_xml: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    admin_roles: Sequence[str] = ()
    editor_roles: Sequence[str] = ()
    login_minutes: int = 60

    def __post_init__(self) -> None:
        if (self.metadata_url is None) == (self.metadata_xml is None):
            raise ValueError("one of metadata_url and metadata_xml")

    def configuration(self) -> Any:
        """The property of the workspace."""
        workspace = grafana.CfnWorkspace
        roles = {"admin": list(self.admin_roles) or None, "editor": list(self.editor_roles) or None}
        return workspace.SamlConfigurationProperty(
            idp_metadata=workspace.IdpMetadataProperty(url=self.metadata_url, xml=self.metadata_xml),
            assertion_attributes=workspace.AssertionAttributesProperty(**self.attributes)
            if self.attributes
            else None,
            role_values=workspace.RoleValuesProperty(**roles) if any(roles.values()) else None,
            login_validity_duration=self.login_minutes,
        )
