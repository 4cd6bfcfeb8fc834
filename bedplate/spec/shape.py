"""From pydantic's errors to problems with a place, the value given, what is allowed and how to mend it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bedplate.spec import not_built
from bedplate.spec.environment import Environment
from bedplate.spec.fields import keys_of, remedy_at, section_holding, sections_at, tag_key, tag_word
from bedplate.spec.location import path_in_file
from bedplate.spec.moved import INSTEAD, written_now
from bedplate.spec.problems import Path, Problem, dotted
from bedplate.spec.source import Place, SourceMap
from bedplate.spec.wording import (
    as_yaml_text,
    given_text,
    kind_of,
    looks_like_version,
    mapping_at,
    named,
    quoted,
)

_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "model_type": "a section of keys",
    "model_attributes_type": "a section of keys",
    "dict_type": "a mapping of keys to values",
    "tuple_type": "a list",
}


def shape_problems(source: SourceMap, error: ValidationError) -> list[Problem]:
    """Turn all errors of one validation into problems."""
    found = [_problem(source, details) for details in error.errors(include_url=False)]
    problems = [problem for problem in found if problem is not None]
    # A misspelt key is one mistake, not an unknown key and a missing one.
    meant = {_beside(problem.path, _meant(problem)) for problem in problems if problem.id == "SPC-002"}
    return [problem for problem in problems if problem.id != "SPC-003" or problem.path not in meant]


def _meant(problem: Problem) -> str:
    match = re.fullmatch(r"Did you mean '(.*)'\?", problem.remedy)
    return match[1] if match else ""


def _beside(path: str, key: str) -> str:
    return f"{path.rpartition('.')[0]}.{key}" if "." in path else key


def _problem(source: SourceMap, details: ErrorDetails) -> Problem | None:
    path = path_in_file(Environment, source.data, details["loc"])
    kind = details["type"]
    if kind == "too_short" and len(details["input"]) >= details["ctx"]["min_length"]:
        return None  # its items are wrong, and are reported themselves
    make = _MAKERS.get(kind)
    if make is None and kind in _KINDS:
        make = _wrong_kind
    return (make or _other)(source, details, path)


def _missing(source: SourceMap, _details: ErrorDetails, path: Path) -> Problem:
    key = str(path[-1])
    section = section_holding(Environment, source.data, path)
    info = keys_of(section).get(key) if section else None
    example = f", such as `{key}: {as_yaml_text(info.examples[0])}`" if info and info.examples else ""
    return source.problem(
        id="SPC-003",
        place=source.key_at(path[:-1]),
        path=path,
        message=f"'{key}' is missing from {named(path[:-1])}",
        given="",
        allowed=(info.description or "").rstrip(".") if info else "",
        remedy=f"Add `{key}:`{example or ', as in a file that `bedplate init` writes'}.",
    )


def _unknown_key(source: SourceMap, _details: ErrorDetails, path: Path) -> Problem:
    key = str(path[-1])
    place = source.key_at(path)
    generic = re.sub(r"\[\d+\]", "[]", dotted(path))
    section = section_holding(Environment, source.data, path)
    known = list(keys_of(section)) if section else []
    absent = [name for name in known if name not in mapping_at(source.data, path[:-1], {})]
    return source.problem(
        id="SPC-002",
        place=place,
        path=path,
        message=f"{named(path[:-1])} has no key '{key}'",
        given=key,
        allowed=", ".join(known),
        remedy=_unmerged(source, path)
        or INSTEAD.get(generic)
        or written_now(section, key)
        or _nearest_key(source, path, absent or known),
    )


def _unmerged(source: SourceMap, path: Path) -> str:
    """What to do about a key that a merge brought, which cannot be taken out here; empty for others.

    Where it is written it may well be right, so its spelling is of no interest.
    """
    merge = source.merged.get(path)
    if merge is None:
        return ""
    return (
        f"Write the keys out instead of the '<<' on line {merge.line}, which brings '{path[-1]}', or merge a "
        "mapping that has only keys of both."
    )


def _nearest_key(source: SourceMap, path: Path, known: list[str]) -> str:
    key = str(path[-1])
    close = get_close_matches(key, known, n=1, cutoff=0.6)
    section = section_holding(Environment, source.data, path)
    other = _of_another_kind(source, path, close)
    # A key that other kinds have is meant as it is, unless one that must be here is nearly the same.
    if close and (not other or (section and keys_of(section)[close[0]].is_required())):
        return f"Did you mean '{close[0]}'?"
    return other or f"Remove '{key}', or correct its spelling."


def _of_another_kind(source: SourceMap, path: Path, close: list[str]) -> str:
    """What to do about a key that other kinds of the section have; empty for one that none has."""
    key = str(path[-1])
    kinds = sections_at(Environment, source.data, path[:-1])
    tag = tag_key(kinds)
    having = [tag_word(kind, tag) for kind in kinds if key in keys_of(kind)] if tag else []
    if not having:
        return ""
    words = " or ".join(f"`{tag}: {word}`" for word in having)
    longer = [f", or write '{name}' if that is meant" for name in close if name.startswith(key)]
    return f"'{key}' is a field of {words}; remove it, or change `{tag}:`{''.join(longer)}."


def _wrong_kind(source: SourceMap, details: ErrorDetails, path: Path) -> Problem:
    wanted = _KINDS[details["type"]]
    given = details["input"]
    place = source.value_at(path)
    if given is None:
        return source.problem(
            id="SPC-004",
            place=source.key_at(path),
            path=path,
            message=f"{named(path)} has no value{_as_written(source, path)}",
            given=source.value_at(path).text or "nothing",
            allowed=wanted,
            remedy=f"Give it a value, or remove the line. {_remedy(source, path)}".rstrip(),
        )
    if _only_quoted(given, wanted):
        return source.problem(
            id="SPC-004",
            place=place,
            path=path,
            message=f"{named(path)} must be {wanted}, and in quotes {given} is text",
            given=f'"{given}"',
            allowed=wanted,
            remedy=_without_quotes(given),
        )
    if wanted == "text" and not isinstance(given, dict | list):
        return source.problem(
            id="SPC-008",
            place=place,
            path=path,
            message=f"{named(path)} must be text, and without quotes YAML reads {kind_of(given)}",
            given=place.text,
            allowed="text in quotes",
            remedy=f'Write "{place.text}" in quotes.',
        )
    return source.problem(
        id="SPC-004",
        place=place,
        path=path,
        message=f"{named(path)} must be {wanted}",
        given=given_text(place, given),
        allowed=wanted,
        remedy=_remedy(source, path) or _how_to_write(source, path, wanted),
    )


def _only_quoted(given: object, wanted: str) -> bool:
    """Whether text would be what is wanted, had it no quotes: as YAML reads it, and not as people do (08)."""
    form = {"a whole number": "-?(0|[1-9][0-9]*)", "true or false": "true|false"}.get(wanted)
    return form is not None and isinstance(given, str) and re.fullmatch(form, given) is not None


def _without_quotes(given: str) -> str:
    return f"Write {given} without quotes."


def _how_to_write(source: SourceMap, path: Path, wanted: str) -> str:
    if not path:
        return "Give an environment file: write one with `bedplate init`, or copy environments/demo.yaml."
    return f"Write {wanted} here{_example(source, path)}."


def _not_allowed(source: SourceMap, details: ErrorDetails, path: Path) -> Problem:
    if details["type"] == "union_tag_invalid":
        path = (*path, _tag(details))
        expected = details["ctx"]["expected_tags"]
    else:
        expected = details["ctx"]["expected"]
    allowed = re.findall(r"'([^']*)'|(\d+)", expected)
    options = [text or number for text, number in allowed]
    place = source.value_at(path)
    given = details["input"]
    if details["type"] == "union_tag_invalid":
        given = given.get(path[-1])
    generic = re.sub(r"\[\d+\]", "[]", dotted(path))
    planned = not_built.VALUES.get(generic, ())
    if place.text in planned:
        return source.problem(
            id="SPC-015",
            place=place,
            path=path,
            message=f"{named(path)} '{place.text}' is not built in this version",
            allowed=", ".join(options),
            remedy=f"Use {' or '.join(options)}.",
        )
    if isinstance(given, float | bool) and any(looks_like_version(option) for option in options):
        return _unquoted_version(source, path, place, options)
    if isinstance(given, str) and given in options and given.isdigit():
        return source.problem(
            id="SPC-004",
            place=place,
            path=path,
            message=f"{named(path)} must be a whole number, and in quotes {given} is text",
            given=f'"{given}"',
            allowed=", ".join(options),
            remedy=_without_quotes(given),
        )
    if isinstance(given, list | dict):
        return _not_one_word(source, path, given, options)
    close = [] if options[0].isdigit() else get_close_matches(place.text, options, n=1, cutoff=0.6)
    return source.problem(
        id="SPC-005",
        place=place,
        path=path,
        message=f"{named(path)} cannot be {quoted(place, given)}",
        given=given_text(place, given),
        allowed=", ".join(options),
        remedy=f"Did you mean '{close[0]}'?" if close else f"Use one of: {', '.join(options)}.",
    )


def _not_one_word(source: SourceMap, path: Path, given: object, options: list[str]) -> Problem:
    place = source.value_at(path)
    meant = [each for each in given if each in options] if isinstance(given, list) else []
    form = "a list" if isinstance(given, list) else "a mapping"
    return source.problem(
        id="SPC-004",
        place=place,
        path=path,
        message=f"{named(path)} must be one of the values allowed, not {form}",
        given=given_text(place, given),
        allowed=", ".join(options),
        remedy=f"Write `{path[-1]}: {as_yaml_text(meant[0])}`, without brackets."
        if len(meant) == 1
        else f"Use one of: {', '.join(options)}.",
    )


def _unquoted_version(source: SourceMap, path: Path, place: Place, options: list[str]) -> Problem:
    close = get_close_matches(place.text, options, n=1, cutoff=0.0)[0]
    return source.problem(
        id="SPC-008",
        place=place,
        path=path,
        message=f"{named(path)} must be text, and without quotes YAML reads a number",
        allowed=", ".join(f'"{option}"' for option in options),
        remedy=f'Write "{close}", in quotes; as a number, 25.10 would be 25.1.',
    )


def _no_tag(source: SourceMap, details: ErrorDetails, path: Path) -> Problem:
    given = details["input"]
    if not isinstance(given, dict):
        return _wrong_kind(source, {**details, "type": "model_type"}, path)
    tag = _tag(details)
    kinds = sections_at(Environment, source.data, path)
    words = [str(tag_word(kind, tag)) for kind in kinds]
    fitting = [len(given.keys() & keys_of(kind).keys()) for kind in kinds]
    best = words[fitting.index(max(fitting))]
    return source.problem(
        id="SPC-003",
        place=source.key_at(path),
        path=(*path, tag),
        message=f"'{tag}' is missing from {named(path)}",
        given="",
        allowed=", ".join(words),
        remedy=f"Add `{tag}: {best}`, or another of those allowed.",
    )


def _tag(details: ErrorDetails) -> str:
    """Return the key that the union is told apart by."""
    return str(details["ctx"]["discriminator"]).strip("'")


def _out_of_range(source: SourceMap, details: ErrorDetails, path: Path) -> Problem:
    context: Mapping[str, Any] = details.get("ctx", {})
    what, allowed = _RANGES[details["type"]](context)
    place = source.value_at(path)
    return source.problem(
        id="SPC-012",
        place=place,
        path=path,
        message=f"{named(path)} {what}",
        given=given_text(place, details["input"]),
        allowed=allowed,
        remedy=_remedy(source, path) or f"Give {allowed}.",
    )


_RANGES: dict[str, Callable[[Mapping[str, Any]], tuple[str, str]]] = {
    "greater_than_equal": lambda ctx: ("is too small", f"{ctx['ge']} or more"),
    "less_than_equal": lambda ctx: ("is too large", f"{ctx['le']} or less"),
    "string_too_short": lambda ctx: ("is too short", f"{ctx['min_length']} characters or more"),
    "string_too_long": lambda ctx: ("is too long", f"{ctx['max_length']} characters or fewer"),
    "too_short": lambda ctx: ("has too few items", f"{ctx['min_length']} items or more"),
    "too_long": lambda ctx: ("has too many items", f"{ctx['max_length']} items or fewer"),
}


def _wrong_form(source: SourceMap, details: ErrorDetails, path: Path) -> Problem:
    of_key = details["loc"][-1] == "[key]"
    place = source.key_at(path) if of_key else source.value_at(path)
    if not of_key and not details["input"] and section_holding(Environment, source.data, path) is None:
        return source.problem(
            id="SPC-013",
            place=place,
            path=path,
            message=f"{named(path)} is empty",
            given="nothing",
            allowed=f"text of the form {details['ctx']['pattern']}",
            remedy=f"Give '{path[-1]}' a value, or remove it: what is not set has its default.",
        )
    return source.problem(
        id="SPC-013",
        place=place,
        path=path,
        message=f"{named(path)} is not written as it must be",
        allowed=f"text of the form {details['ctx']['pattern']}",
        remedy=remedy_at(Environment, source.data, path, of_key=of_key) or "Correct the text.",
    )


def _other(source: SourceMap, details: ErrorDetails, path: Path) -> Problem:
    place = source.value_at(path)
    return source.problem(
        id="SPC-004",
        place=place,
        path=path,
        message=f"{named(path)}: {details['msg']}",
        given=given_text(place, details["input"]),
        remedy=_remedy(source, path) or "Correct the value.",
    )


_MAKERS: dict[str, Callable[[SourceMap, ErrorDetails, Path], Problem]] = {
    "missing": _missing,
    "extra_forbidden": _unknown_key,
    "literal_error": _not_allowed,
    "union_tag_invalid": _not_allowed,
    "union_tag_not_found": _no_tag,
    "string_pattern_mismatch": _wrong_form,
    **dict.fromkeys(_RANGES, _out_of_range),
}


def _remedy(source: SourceMap, path: Path) -> str:
    return remedy_at(Environment, source.data, path)


def _as_written(source: SourceMap, path: Path) -> str:
    """Say that `null` and its like mean nothing to YAML, where one of them was written."""
    text = source.value_at(path).text
    return f": YAML reads {text} as nothing" if text else ""


def _example(source: SourceMap, path: Path) -> str:
    section = section_holding(Environment, source.data, path)
    info = keys_of(section).get(str(path[-1])) if section and path else None
    return f", such as {as_yaml_text(info.examples[0])}" if info and info.examples else ""
