"""Explanations as a page of Markdown, one section for each id. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable

from bedplate.explanation import CheckRow

_PARTS = (("What", "what"), ("Why", "why"), ("To mend", "fix"), ("By hand", "by_hand"))


def explanation_page(*, title: str, intro: str, rows: Iterable[CheckRow]) -> str:
    """Write the page; a section's heading is ``## CAP-002: title``, so that its anchor holds the id."""
    sections = [f"# {title}\n\n{intro}\n"]
    for row in rows:
        body = "\n".join(f"- **{head}.** {getattr(row, name)}" for head, name in _PARTS)
        sections.append(f"## {row.id}: {row.title}\n\n{body}\n")
    return "\n".join(sections)
