"""OBS-004: one role in Grafana for each."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse somebody who is named twice."""
    if draft.grafana is None or draft.grafana.identity_center is None:
        return
    center, seen = draft.grafana.identity_center, dict[str, str]()
    for name in ("admin_groups", "admin_users", "editor_groups", "viewer_groups"):
        for item, principal in enumerate(getattr(center, name)):
            if principal in seen:
                yield Violation(
                    path=("observability", "grafana", "identity_center", name, item),
                    message=f"{principal} stands in `{seen[principal]}` already",
                    allowed="each id once",
                    remedy="Remove one of the two.",
                )
            seen.setdefault(principal, name)


RULE = Rule(
    row=CheckRow(
        id="OBS-004",
        title="one role in Grafana for each",
        what="No id stands twice below `observability.grafana.identity_center`.",
        why="Somebody has one role in a workspace: which of two it were would depend on the order of calls.",
        fix="Leave it in the list of the role that it shall have.",
        by_hand="`aws grafana list-permissions --workspace-id ID`",
    ),
    check=check,
)
