"""OBS-002: an identity provider is named once."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse no metadata, and two."""
    if draft.grafana is None or draft.grafana.saml is None:
        return
    saml = draft.grafana.saml
    if (saml.metadata_url is None) == (saml.metadata_xml is None):
        yield Violation(
            path=("observability", "grafana", "saml"),
            at_key=True,
            given="neither of the two" if saml.metadata_url is None else "both",
            message="the identity provider's metadata come from one place",
            allowed="`metadata_url` or `metadata_xml`",
            remedy="Give one: the URL where AWS can reach it, else the document.",
        )


RULE = Rule(
    row=CheckRow(
        id="OBS-002",
        title="an identity provider is named once",
        what="`observability.grafana.saml` has `metadata_url` or `metadata_xml`, and not both.",
        why="Grafana's API takes one of the two, and refuses both.",
        fix="Give the URL where the provider has one that AWS reaches, else the XML document.",
        by_hand="`aws grafana describe-workspace-authentication --workspace-id ID`",
    ),
    check=check,
)
