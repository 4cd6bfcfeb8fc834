"""The reference pages of the environment file, made from the models and the rules.

``python -m bedplate.spec.reference DOCS`` writes ``DOCS/reference/environment.md`` and
``DOCS/checks/environment.md``; a test holds the committed pages against what this makes.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from bedplate.explanation_page import explanation_page
from bedplate.spec.base import Section
from bedplate.spec.catalogue import ROWS
from bedplate.spec.environment import Environment
from bedplate.spec.fields import Field, all_fields, sections_in, tag_key, tag_word

_INTRO = """\
# The environment file

One YAML file describes one environment: `environments/NAME.yaml`. `bedplate init` writes a first one,
`bedplate check` checks it offline, `bedplate expand` shows all defaults, and `bedplate schema` prints
the JSON Schema by which editors complete it. Unknown keys are refused. Text that YAML would read as a
number (versions, account ids) stands in quotes.

This page is made from the models in `bedplate/spec` (`python -m bedplate.spec.reference docs`).

**Changing it later** says what happens when a field is changed in an environment that is deployed:

| | |
|---|---|
| in-place | AWS changes the resource while jobs run |
| stop-fleet | the nodes concerned must be idle, and are launched anew |
| replaces | AWS makes a new resource and deletes the old one |
| not-possible | deploy another environment beside this one and move |
"""

_CHECKS_INTRO = """\
What `bedplate check` holds an environment file against. Every problem is shown with its line and one of
these ids; `bedplate explain ID` prints the same text. This page is made from the rules
(`python -m bedplate.spec.reference docs`).
"""


def reference_page() -> str:
    """Return the page of all fields, a table for each section of the file."""
    tables: dict[tuple[str, type[Section]], list[Field]] = {}
    for field in all_fields(Environment):
        prefix = field.path.rpartition(".")[0]
        rows = tables.setdefault((prefix, field.section), [])
        # A section that several kinds of orchestrator have is come by once for each of them.
        if field.path not in [each.path for each in rows]:
            rows.append(field)
    return _INTRO + "".join(
        _table(_heading(prefix, section, list(tables)), section, rows)
        for (prefix, section), rows in tables.items()
    )


def checks_page() -> str:
    """Return the page of all rules."""
    return explanation_page(title="Checks of the environment file", intro=_CHECKS_INTRO, rows=ROWS.values())


def _heading(prefix: str, section: type[Section], tables: Sequence[tuple[str, type[Section]]]) -> str:
    """Name the section by its path, and one of several kinds by its kind too."""
    key = tag_key([kind for path, kind in tables if path == prefix])
    heading = f"`{prefix}`" if prefix else "Top of the file"
    return f"{heading} with `{key}: {tag_word(section, key)}`" if key else heading


def _table(heading: str, section: type[Section], rows: list[Field]) -> str:
    lines = [
        f"\n## {heading}\n",
        f"{inspect.cleandoc(section.__doc__ or '').partition(chr(10) * 2)[0]}\n",
        "| field | type | default | meaning | changing it later |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        name = row.path.rpartition(".")[2]
        cells = (f"`{name}`", _type(row.info), _default(row.info), _meaning(row.info), _policy(row.info))
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _type(info: FieldInfo) -> str:
    return _type_of(info.annotation)


def _type_of(annotation: Any) -> str:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_of(args[0])
    if origin is Literal:
        return " \\| ".join(f"`{value}`" for value in args).replace("\\|", "or")
    if origin is tuple:
        return f"list of {_type_of(args[0])}"
    if origin is dict:
        return "mapping of text to text"
    if args:
        kinds = dict.fromkeys(_type_of(part) for part in args if part is not NoneType)
        return " or ".join(kinds)
    if sections_in(annotation):
        return "section"
    return {str: "text", int: "whole number", bool: "true or false"}[annotation]


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    default = info.get_default(call_default_factory=True, validated_data={})
    if default is None:
        return "none"
    if isinstance(default, Section):
        return "its defaults"
    if isinstance(default, tuple | dict):
        return f"`[{', '.join(default)}]`" if default else "empty"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    assert default is not PydanticUndefined
    return f"`{default}`" if default != "" else "empty"


def _meaning(info: FieldInfo) -> str:
    unit = "characters" if _type(info) == "text" else "entries"
    limits = [limit for part in info.metadata if (limit := _limit(part, unit))]
    return (info.description or "") + (f" ({', '.join(limits)})" if limits else "")


def _limit(constraint: Any, unit: str) -> str:
    words = {
        "ge": "at least {}",
        "le": "at most {}",
        "min_length": f"at least {{}} {unit}",
        "max_length": f"at most {{}} {unit}",
    }
    for name, text in words.items():
        value = getattr(constraint, name, None)
        if value is not None:
            return text.format(value)
    return ""


def _policy(info: FieldInfo) -> str:
    extra = info.json_schema_extra
    return str(extra["update_policy"]) if isinstance(extra, dict) else ""


def main(docs: Path) -> None:
    """Write both pages below ``docs``."""
    for name, text in (("reference", reference_page()), ("checks", checks_page())):
        (docs / name).mkdir(parents=True, exist_ok=True)
        (docs / name / "environment.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
