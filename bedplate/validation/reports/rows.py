"""What ``bedplate explain`` says about the errors of result files."""

from __future__ import annotations

from bedplate.explanation import CheckRow

_ROWS = (
    CheckRow(
        id="RES-001",
        title="The result file cannot be read or written",
        what="Whether the path can be opened.",
        why="A report is made from a result file and from nothing else.",
        fix="Give the path of a `result.json` that `bedplate validate` or `bedplate preflight` has written.",
        by_hand="`ls -l FILE`",
    ),
    CheckRow(
        id="RES-002",
        title="The result file is not JSON",
        what="Whether the file is one whole JSON object in UTF-8.",
        why="A file that was cut off may have lost its failed checks; what is left could be a false pass.",
        fix="Run `bedplate validate` again, or fetch the file again from where it was kept.",
        by_hand="`python3 -m json.tool FILE`",
    ),
    CheckRow(
        id="RES-003",
        title="The result file has a version that this Bedplate does not read",
        what="The `version` at the top of the file.",
        why="A later version may say things that this one would overlook.",
        fix="Use the Bedplate that wrote the file; `versions.bedplate` in the file names it.",
        by_hand='`python3 -c \'import json; print(json.load(open("FILE"))["version"])\'`',
    ),
    CheckRow(
        id="RES-004",
        title="The result file does not follow its schema",
        what="Every field of the file against `bedplate schema --result`.",
        why="A field that is unknown or missing means that the file was changed or damaged.",
        fix="Run `bedplate validate` again; do not edit result files by hand.",
        by_hand="Validate the file against `docs/reference/result.schema.json` with any JSON Schema tool.",
    ),
)

ROWS = {row.id: row for row in _ROWS}
