"""Every id that an error carries can be looked up by ``bedplate explain``."""

from __future__ import annotations

import re
from pathlib import Path

from bedplate.cli.registries import all_rows

PACKAGE = Path(__file__).parents[2] / "bedplate"
_ID = re.compile(r"""["']([A-Z]{3}-[0-9]{3})["']""")


def test_every_id_in_the_source_has_an_explanation() -> None:
    """Each id that stands anywhere in the package's source is in a table, and none is there twice."""
    used = {
        (found, path.relative_to(PACKAGE).as_posix())
        for path in PACKAGE.rglob("*.py")
        for found in _ID.findall(path.read_text(encoding="utf-8"))
    }
    rows = [row.id for row in all_rows()]
    assert len(rows) == len(set(rows))
    assert sorted((found, path) for found, path in used if found not in rows) == []
