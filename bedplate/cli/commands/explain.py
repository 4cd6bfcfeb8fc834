"""``bedplate explain``: what an id means, why it matters, how to mend it and how to check by hand."""

from __future__ import annotations

import textwrap

import click

from bedplate.cli.options import json_option
from bedplate.errors import UsageError
from bedplate.explanation import CheckRow

_EPILOG = """\b
Examples:
  bedplate explain CAP-002
  bedplate explain            lists all ids
"""


@click.command(epilog=_EPILOG, short_help="Explain a check, a rule or an error by its id.")
@click.argument("check_id", metavar="[ID]", required=False)
@json_option
def command(check_id: str | None, as_json: bool) -> None:
    """Explain a check, a rule or an error by the ID that reports and messages print; list all without."""
    from bedplate.cli.registries import all_rows, find_row

    if check_id is None:
        _list(sorted(all_rows(), key=lambda row: row.id), as_json=as_json)
        return
    row = find_row(check_id.upper())
    if row is None:
        raise _unknown(check_id, [each.id for each in all_rows()])
    if as_json:
        _json([row])
        return
    click.echo(_page(row))


def _page(row: CheckRow) -> str:
    parts = (("What", row.what), ("Why", row.why), ("To mend", row.fix), ("By hand", row.by_hand))
    body = "\n\n".join(f"{click.style(head, bold=True)}\n{_wrapped(text)}" for head, text in parts)
    return f"{click.style(row.id, bold=True)}: {row.title}\n\n{body}"


def _wrapped(text: str) -> str:
    # Commands must stay whole to be copied, so hyphens are no place to break a line.
    return textwrap.fill(
        text,
        96,
        initial_indent="  ",
        subsequent_indent="  ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def _list(rows: list[CheckRow], *, as_json: bool) -> None:
    if as_json:
        _json(rows)
        return
    for row in rows:
        click.echo(f"{row.id}  {row.title}")


def _json(rows: list[CheckRow]) -> None:
    import json
    from dataclasses import asdict

    click.echo(json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False))


def _unknown(check_id: str, known: list[str]) -> UsageError:
    from difflib import get_close_matches

    close = get_close_matches(check_id.upper(), known, n=1, cutoff=0.5)
    return UsageError(
        f"there is no '{check_id}' to explain",
        error_id="CLI-002",
        remedy=f"Did you mean {close[0]}?" if close else "Run `bedplate explain` for a list of all ids.",
    )
