"""How many policies the rights in tied buckets come to, and how many there may be."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bedplate.spec.association_rights import MOST_POLICIES, grouped
from bedplate.spec.problems import Problem
from bedplate.spec.rules.association_policies import RULE

ProblemsOf = Callable[[str], list[Problem]]
SECTION = "storage:\n  file_systems:\n"
LONG = "p" * 899 + "/"


@pytest.mark.parametrize(
    ("folders", "prefix_characters", "policies"),
    [(0, 0, 0), (1, 0, 1), (14, 0, 1), (15, 0, 2), (64, 0, 5), (64, 84, 7), (64, 85, 8), (64, 900, 32)],
)
def test_folders_fill_policies_by_the_length_of_their_prefixes(
    folders: int, prefix_characters: int, policies: int
) -> None:
    """Each is in one, in their order; 8 file systems with 8 folders each are the most there are."""
    groups = grouped(["p" * prefix_characters] * folders)
    assert len(groups) == policies
    assert [place for group in groups for place in group] == list(range(folders))


def _tied(folders: int, events: str) -> str:
    """Lustre file systems with eight folders each, tied with the longest prefix."""
    lines = []
    for number in range(folders):
        if number % 8 == 0:
            fields = f"mount: /probe-{number // 8}, kind: lustre, capacity_gib: 38400"
            lines.append(f"    - {{{fields}, associations: [")
        association = f"{{path: /f{number}, bucket: acme-{number}, prefix: {LONG}, {events}}}"
        lines.append(f"        {association}" + ("]}" if number % 8 == 7 or number == folders - 1 else ","))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("folders", "events", "refused"),
    [
        (2 * MOST_POLICIES, "import: [new]", False),
        (2 * MOST_POLICIES + 1, "import: [new]", True),
        (2 * MOST_POLICIES + 1, "export: [new, deleted]", True),
        (2 * MOST_POLICIES + 1, "import: [changed]", False),
    ],
)
def test_as_many_folders_as_a_role_has_rights_for(
    folders: int, events: str, refused: bool, demo_text: str, problems_of: ProblemsOf
) -> None:
    """Prefixes as long as may be; a folder through which no file is sent needs no right."""
    found = problems_of(demo_text.replace(SECTION, SECTION + _tied(folders, events), 1))
    assert [each.id for each in found] == [RULE.row.id] * refused
    assert all(each.path == "storage.file_systems[1].associations[6].prefix" for each in found)
