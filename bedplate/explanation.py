"""What a person may read about a check, a rule or an error, by its id. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CheckRow:
    """One id's explanation: the text behind ``bedplate explain ID`` and a section of ``docs/checks/``.

    ``id`` is stable for ever (``CAP-002``). ``title`` is a short sentence without a full stop. ``what`` says
    what is looked at, ``why`` what goes wrong in life without it, ``fix`` how to mend it, and ``by_hand`` how
    a person would make the same check without Bedplate (a command, or a page to read). All may hold Markdown.
    """

    id: str
    title: str
    what: str
    why: str
    fix: str
    by_hand: str
