"""Who may log in to a Grafana workspace, and what as."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictInt, StrictStr

from bedplate.spec.base import Section, about

PrincipalId = Annotated[
    StrictStr,
    about(
        "The id of a group or user of IAM Identity Center",
        update="in-place",
        pattern=r"^([0-9a-f]{10}-)?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
        remedy="Give the id, not the name; `aws identitystore list-groups --identity-store-id STORE` and "
        "`list-users` list them, `aws sso-admin list-instances` tells the store.",
    ),
]
RoleValue = Annotated[
    StrictStr,
    about(
        "A value of the assertion's role attribute",
        update="in-place",
        min_length=1,
        max_length=256,
        remedy="Give the value as your identity provider sends it, 1 to 256 characters.",
    ),
]
AttributeName = Annotated[
    StrictStr,
    about(
        "The name of an assertion's attribute",
        update="in-place",
        min_length=1,
        max_length=256,
        remedy="Give the attribute's name as your identity provider sends it, 1 to 256 characters.",
    ),
]
_GROUP = "a1b2c3d4e5-01234567-89ab-cdef-0123-456789abcdef"
# One call of UpdatePermissions takes the users of a role; 100 of each are more than anybody gives by hand.
_MOST = 100


class IdentityCenter(Section):
    """Groups and users of IAM Identity Center, by their ids, and their roles in Grafana.

    Who is not named has no way in. A name stands in one list alone.
    """

    admin_groups: Annotated[
        tuple[PrincipalId, ...],
        about("Groups of admins.", update="in-place", examples=[[_GROUP]], max_length=_MOST),
    ] = ()
    admin_users: Annotated[
        tuple[PrincipalId, ...],
        about("Single admins.", update="in-place", examples=[[]], max_length=_MOST),
    ] = ()
    editor_groups: Annotated[
        tuple[PrincipalId, ...],
        about("Groups of those who make dashboards.", update="in-place", examples=[[]], max_length=_MOST),
    ] = ()
    viewer_groups: Annotated[
        tuple[PrincipalId, ...],
        about("Groups of those who look.", update="in-place", examples=[[]], max_length=_MOST),
    ] = ()


class SamlAttributes(Section):
    """How the identity provider calls what Grafana asks for. What is left out is AWS's to choose."""

    name: Annotated[
        AttributeName | None,
        about("A person's name.", update="in-place", examples=["displayName"]),
    ] = None
    login: Annotated[
        AttributeName | None, about("The name to log in by.", update="in-place", examples=["mail"])
    ] = None
    email: Annotated[
        AttributeName | None, about("The e-mail address.", update="in-place", examples=["mail"])
    ] = None
    role: Annotated[
        AttributeName | None,
        about(
            "What roles are made of; needed with `admin_roles` and `editor_roles`.",
            update="in-place",
            examples=["role"],
        ),
    ] = None
    groups: Annotated[
        AttributeName | None, about("A person's groups.", update="in-place", examples=["groups"])
    ] = None
    org: Annotated[
        AttributeName | None,
        about("A person's organisation.", update="in-place", examples=["org"]),
    ] = None


class Saml(Section):
    """An identity provider, and who of its people is what in Grafana; all others of them may look."""

    metadata_url: Annotated[
        StrictStr | None,
        about(
            "Where the provider's metadata is. Give this or `metadata_xml`.",
            update="in-place",
            examples=["https://idp.example.com/app/grafana/metadata"],
            pattern=r"^https://[^\s]+$",
            max_length=2048,
            remedy="Give a URL that begins with https://.",
        ),
    ] = None
    metadata_xml: Annotated[
        StrictStr | None,
        about(
            "The provider's metadata itself, for a provider whose metadata AWS cannot reach.",
            update="in-place",
            examples=["<EntityDescriptor>…</EntityDescriptor>"],
            pattern=r"^\s*<",
            max_length=50_000,
            remedy="Give the XML document that the provider exports, of up to 50000 characters, as a YAML "
            "block: `metadata_xml: |` and the lines below it, indented.",
        ),
    ] = None
    attributes: Annotated[
        SamlAttributes,
        about("How the provider calls what Grafana asks for.", update="in-place"),
    ] = Field(default_factory=SamlAttributes)
    admin_roles: Annotated[
        tuple[RoleValue, ...],
        about(
            "Values of the role attribute that make an admin.",
            update="in-place",
            examples=[["gpu-platform"]],
            max_length=50,
        ),
    ] = ()
    editor_roles: Annotated[
        tuple[RoleValue, ...],
        about(
            "Values of the role attribute that make an editor.",
            update="in-place",
            examples=[[]],
            max_length=50,
        ),
    ] = ()
    login_hours: Annotated[
        StrictInt,
        about(
            "After how long somebody logs in again.",
            update="in-place",
            examples=[8],
            ge=1,
            le=720,
        ),
    ] = 8
