"""OBS-006: dashboards find a way into a closed workspace."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a bounded access where nothing in the VPC reaches the internet."""
    if draft.grafana is None or draft.grafana.access is None or draft.network is None:
        return
    if draft.network.internet == "none":
        yield Violation(
            path=("observability", "grafana", "access"),
            at_key=True,
            message="what fills the workspace needs a way out, and `network.internet` is none",
            allowed="`access` with `internet: nat`",
            remedy="Remove it: people must log in all the same. Or set `internet: nat`.",
        )


RULE = Rule(
    row=CheckRow(
        id="OBS-006",
        title="dashboards find a way into a closed workspace",
        what="`observability.grafana.access` is given with `internet: nat` alone.",
        why=(
            "A workspace with bounded access lets in what comes through an endpoint in the VPC. So the "
            "function that fills it stands in the control subnets, and calls Grafana's API and "
            "CloudFormation from there, for which a closed network has no endpoints."
        ),
        fix="Leave the access to the log-in, or give the network a way out.",
        by_hand="Read `network.internet` in the file.",
    ),
    check=check,
)
