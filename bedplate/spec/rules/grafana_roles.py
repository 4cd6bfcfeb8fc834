"""OBS-003: SAML roles are made of an attribute."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse values of an attribute that is not named."""
    if draft.grafana is None or draft.grafana.saml is None:
        return
    saml = draft.grafana.saml
    for name, values in (("admin_roles", saml.admin_roles), ("editor_roles", saml.editor_roles)):
        if values and saml.attributes.role is None:
            yield Violation(
                path=("observability", "grafana", "saml", name),
                at_key=True,
                message=f"`{name}` are values of an attribute that is not named",
                allowed="roles with `attributes.role`",
                remedy="Write `attributes: {role: NAME}` beside it, as the provider calls the attribute.",
            )


RULE = Rule(
    row=CheckRow(
        id="OBS-003",
        title="SAML roles are made of an attribute",
        what="`admin_roles` and `editor_roles` of `saml` are given with `attributes.role` alone.",
        why="Without the attribute no value is ever found, and everybody comes in as a viewer.",
        fix="Name the attribute that the provider sends the roles in.",
        by_hand="Look at an assertion of the provider, which a browser's SAML tracer shows.",
    ),
    check=check,
)
