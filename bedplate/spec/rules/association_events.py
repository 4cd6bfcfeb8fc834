"""STO-006: each event is named once."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import place_of
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse an event that is listed twice."""
    for file_system, associations in draft.associations.items():
        for index, association in associations.items():
            for key, events in (("import", association.import_), ("export", association.export)):
                twice = [event for event in dict.fromkeys(events) if events.count(event) > 1]
                if twice:
                    yield Violation(
                        path=place_of(file_system, "associations", index, key),
                        message=f"'{twice[0]}' is listed twice",
                        given=f"[{', '.join(events)}]",
                        allowed="each of new, changed, deleted at most once",
                        remedy=f"Write [{', '.join(dict.fromkeys(events))}].",
                    )


RULE = Rule(
    row=CheckRow(
        id="STO-006",
        title="an association names each event once",
        what=("`import` and `export` of an association list each of new, changed and deleted at most once."),
        why=(
            "A doubled entry is mostly a misspelt other one: `[new, new, deleted]` would never "
            "bring in changes."
        ),
        fix="List each event that you want once.",
        by_hand="Read AutoImportPolicy and AutoExportPolicy in the FSx API reference.",
    ),
    check=check,
)
