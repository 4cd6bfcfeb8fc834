"""Writes the tables of software versions as one Markdown page: ``python -m bedplate.hardware.software.page``.

The page is committed as ``docs/reference/software.md``; a test holds it against what this module makes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from bedplate.hardware.software.rows import BUNDLES, KNOWN_BAD, MINIMUMS, NEEDS, TESTED

_HEAD = """# Software reference

Made from the tables in `bedplate/hardware/software` by `python -m bedplate.hardware.software.page`; do not
edit by hand. VER-001 fails on the first three tables; the last two are told as findings. What no source
settles has no row: a version that stands in no table is neither well nor at fault. A dash means that no
source was found.
"""


def software_page() -> str:
    """The whole page as Markdown."""
    sections = (
        _HEAD,
        _section(
            "Needed by an instance type",
            ("component", "version or newer", "types", "source"),
            ((row.component, row.version, ", ".join(row.types), row.source) for row in MINIMUMS),
        ),
        _section(
            "Needed by another component",
            ("component", "from", "needs", "version or newer", "source"),
            ((row.component, row.since, row.other, row.least, row.source) for row in NEEDS),
        ),
        _section(
            "Known to be bad",
            ("component", "version", "what", "mended in", "source"),
            ((row.component, row.version, row.what, row.fixed_in, row.source) for row in KNOWN_BAD),
        ),
        _section(
            "What an EFA installer brings",
            ("EFA installer", "libfabric", "aws-ofi-nccl", "EFA driver", "source"),
            ((row.installer, row.libfabric, row.plugin, row.driver, row.source) for row in BUNDLES),
        ),
        _section(
            "NCCL that a series of aws-ofi-nccl was tested with",
            ("aws-ofi-nccl", "NCCL from", "NCCL to"),
            ((row.plugin, row.oldest, row.newest) for row in TESTED),
        ),
    )
    return "\n".join(sections)


def _section(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"## {title}", "", _row(heads), _row(["---"] * len(heads)), *map(_row, rows)]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell or '–' for cell in cells)} |"


if __name__ == "__main__":
    sys.stdout.write(software_page())
