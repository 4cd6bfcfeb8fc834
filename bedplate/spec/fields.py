"""Finding a field's description from its path, and all fields in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bedplate.spec.base import Section
from bedplate.spec.problems import Path


@dataclass(frozen=True)
class Field:
    """One field of the file: ``path`` as people write it, with ``[]`` for any item of a list."""

    path: str
    section: type[Section]
    info: FieldInfo


def alias_of(name: str, info: FieldInfo) -> str:
    """Return the key that stands in the file."""
    return info.alias or name


def keys_of(section: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the section's fields by the key that stands in the file."""
    return {alias_of(name, info): info for name, info in section.model_fields.items()}


def sections_in(annotation: Any) -> list[type[Section]]:
    """Return the sections that a field's type mentions, in order."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return [annotation]
    return [section for part in get_args(annotation) for section in sections_in(part)]


def tag_key(sections: Sequence[type[BaseModel]]) -> str | None:
    """Return the key by which the sections of a union are told apart; ``None`` where there is none."""
    if len(sections) < 2:
        return None
    for key in keys_of(sections[0]):
        words = [word for section in sections if (word := tag_word(section, key)) is not None]
        if len(set(words)) == len(sections):
            return key
    return None


def tag_word(section: type[BaseModel], key: str) -> str | None:
    """Return the one word that a section has for the key of its union; ``None`` where there is none."""
    info = keys_of(section).get(key)
    words = get_args(info.annotation) if info and get_origin(info.annotation) is Literal else ()
    return str(words[0]) if len(words) == 1 else None


def choose(options: list[type[Section]], data: Any) -> type[Section] | None:
    """Choose among the sections of a union by the key that tells them apart."""
    if len(options) < 2:
        return options[0] if options else None
    key = tag_key(options)
    if key is None or not isinstance(data, dict):
        return None
    return next((option for option in options if tag_word(option, key) == data.get(key)), None)


def all_fields(section: type[Section], prefix: str = "") -> Iterator[Field]:
    """Walk over all fields below a section, parents first."""
    for key, info in keys_of(section).items():
        path = f"{prefix}.{key}" if prefix else key
        yield Field(path=path, section=section, info=info)
        below = path + "[]" if get_origin(_bare(info.annotation)) is tuple else path
        for part in sections_in(info.annotation):
            yield from all_fields(part, below)


def section_holding(top: type[Section], data: Any, path: Path) -> type[Section] | None:
    """Return the section whose key is the last part of ``path``; ``None`` where that is no section's key."""
    return choose(sections_at(top, data, path[:-1]), _at(data, path[:-1]))


def sections_at(top: type[Section], data: Any, path: Path) -> list[type[Section]]:
    """Return the sections that may stand at ``path``: several for a union, none for no section."""
    options: list[type[Section]] = [top]
    for part in path:
        section = choose(options, data)
        data = _step(data, part)
        if not isinstance(part, int):
            info = keys_of(section).get(part) if section else None
            options = sections_in(info.annotation) if info else []
    return options


def remedy_at(top: type[Section], data: Any, path: Path, *, of_key: bool = False) -> str:
    """Return the remedy of the field, or of the kind of item in its list or mapping; empty for none."""
    named = path
    while named and isinstance(named[-1], int):
        named = named[:-1]
    section = section_holding(top, data, named)
    if section is not None and named and (info := keys_of(section).get(str(named[-1]))):
        extras = [info.json_schema_extra] if named == path else _item_extras(info.annotation)
        return str(extras[-1].get("remedy", "")) if extras and isinstance(extras[-1], dict) else ""
    if len(path) > 1:  # a key of a free mapping, such as a tag
        return _mapping_remedy(top, data, path, of_key=of_key)
    return ""


def _mapping_remedy(top: type[Section], data: Any, path: Path, *, of_key: bool) -> str:
    section = section_holding(top, data, path[:-1])
    info = keys_of(section).get(str(path[-2])) if section else None
    extras = _item_extras(info.annotation) if info else []
    return str(extras[0 if of_key else -1].get("remedy", "")) if extras else ""


def _item_extras(annotation: Any) -> list[dict[str, Any]]:
    """Return the extra data of a list's described item, or of a mapping's described key and value."""
    return [
        meta.json_schema_extra
        for part in get_args(_bare(annotation))
        if get_origin(part) is Annotated
        for meta in get_args(part)[1:]
        if isinstance(meta, FieldInfo) and isinstance(meta.json_schema_extra, dict)
    ]


def _bare(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _at(data: Any, path: Path) -> Any:
    for part in path:
        data = _step(data, part)
    return data


def _step(data: Any, part: str | int) -> Any:
    if isinstance(data, dict):
        return data.get(part)
    if isinstance(data, list) and isinstance(part, int) and part < len(data):
        return data[part]
    return None
