"""OBS-001: somebody can log in to Grafana."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

PATH = ("observability", "grafana")


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a workspace without a way in, and one that nobody administers."""
    grafana = draft.grafana
    if grafana is None:
        return
    if grafana.identity_center is None and grafana.saml is None:
        yield Violation(
            path=PATH,
            at_key=True,
            given="neither `identity_center` nor `saml`",
            message="nobody can log in to the workspace",
            allowed="`identity_center`, `saml`, or both",
            remedy="Name groups below `identity_center:`, or your identity provider below `saml:`; without "
            "either write `kind: none`.",
        )
        return
    center, saml = grafana.identity_center, grafana.saml
    if not (center and (center.admin_groups or center.admin_users)) and not (saml and saml.admin_roles):
        yield Violation(
            path=PATH,
            at_key=True,
            given="no admin",
            message="nobody administers the workspace",
            allowed="a group or user of IAM Identity Center, or a SAML role, for admins",
            remedy="Give `identity_center.admin_groups` or `admin_users`, or `saml.admin_roles`.",
        )


RULE = Rule(
    row=CheckRow(
        id="OBS-001",
        title="somebody can log in to Grafana",
        what="A managed Grafana has `identity_center`, `saml`, or both, and admins by one of the two.",
        why=(
            "A workspace has no users of its own: AWS knows these two ways in alone. And where nobody is an "
            "admin, nobody in the workspace can change that."
        ),
        fix="Name groups of IAM Identity Center by id, or an identity provider with the roles of its admins.",
        by_hand="Read `observability.grafana` in the file.",
    ),
    check=check,
)
