"""The pages of ``docs/checks/`` as text, made from the explanations of the checks."""

from __future__ import annotations

from bedplate.diagnosis.checks import FAMILIES, ROWS
from bedplate.explanation import CheckRow

_HEADS = {
    "node": (
        "Checks of a node",
        "What is asked of each node alone: whether it answers, and whether its GPUs and NVLinks are well.",
    ),
    "fabric": (
        "Checks of the fabric",
        "What is asked of EFA and NCCL, inside a node, between two and over all of them.",
    ),
}
_OUTCOMES = (
    "A check says pass, fail, not-tested, error or not-applicable. What could not run, was skipped, ran "
    "on a partial log or has no published figure to be held against is never a pass."
)


def page(family: str) -> str:
    """One family's page (``node`` or ``fabric``) in Markdown, a section for each check."""
    title, lead = _HEADS[family]
    sections = [_section(ROWS[check_id]) for check_id in FAMILIES[family]]
    note = "<!-- Made by `python -m bedplate.diagnosis.checks.pages`: edit the checks, not this page. -->"
    return "\n\n".join([note, f"# {title}", lead, _OUTCOMES, *sections]) + "\n"


def _section(row: CheckRow) -> str:
    return "\n\n".join(
        [
            f"## {row.id}: {row.title}",
            f"**What.** {row.what}",
            f"**Why.** {row.why}",
            f"**Fix.** {row.fix}",
            f"**By hand.** {row.by_hand}",
        ]
    )


def write_pages(folder: str) -> None:
    """Write every family's page to a folder, which must be there."""
    for family in FAMILIES:
        with open(f"{folder}/{family}.md", "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(page(family))


if __name__ == "__main__":
    write_pages("docs/checks")
