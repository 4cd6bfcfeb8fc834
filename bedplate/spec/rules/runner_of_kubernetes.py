"""VAL-008: no runner is asked for where it could validate nothing."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a runner under Kubernetes."""
    if draft.kubernetes is None:
        return
    asked = [("after_deploy", draft.after_deploy), ("schedule", draft.schedule is not None)]
    for name, wanted in asked:
        if wanted:
            yield Violation(
                path=("validation", name),
                at_key=True,
                message="nodes of Kubernetes are not validated in this version, so a runner could do nothing",
                allowed="no runner",
                remedy="Remove it.",
            )


RULE = Rule(
    row=CheckRow(
        id="VAL-008",
        title="no runner is asked for under Kubernetes",
        what="`validation.after_deploy` and `validation.schedule` are not given where `kind` is `eks`.",
        why="Validation asks nodes under Slurm. A runner that failed every day would hide real failures.",
        fix="Remove `after_deploy` and `schedule`.",
        by_hand="Read `validation` in the file.",
    ),
    check=check,
)
