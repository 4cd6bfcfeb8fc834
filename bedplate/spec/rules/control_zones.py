"""NET-002: there are two control zones, and they differ."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse any number but two, and the same zone twice."""
    if draft.network is None:
        return
    zones = draft.network.control_zones
    if len(zones) == 2 and zones[0] != zones[1]:
        return
    what = (
        f"{zones[0]} stands there twice"
        if len(zones) == 2
        else f"{len(zones)} {'is' if len(zones) == 1 else 'are'} given"
    )
    yield Violation(
        path=("network", "control_zones"),
        message=f"two different control zones are needed, and {what}",
        given=f"[{', '.join(zones)}]",
        allowed="two AZ ids of the Region that differ",
        remedy="Name `network.zone`, unless that is a Local Zone, and one other zone.",
    )


RULE = Rule(
    row=CheckRow(
        id="NET-002",
        title="there are two different control zones",
        what="`network.control_zones` lists two zones, and not one twice.",
        why=(
            "What must outlive the loss of a zone (metrics scraper, dashboards, interface "
            "endpoints) gets a subnet in each, and AWS asks for two different zones."
        ),
        fix="Name the zone of the capacity and one other of the same Region.",
        by_hand="`aws ec2 describe-availability-zones --region REGION` lists the zones.",
    ),
    check=check,
)
