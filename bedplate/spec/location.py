"""From the place that pydantic names to the place in the file."""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, Discriminator
from pydantic.fields import FieldInfo

from bedplate.spec.base import Section
from bedplate.spec.fields import choose, keys_of, sections_in
from bedplate.spec.problems import Path


def path_in_file(top: type[Section], data: Any, location: tuple[str | int, ...]) -> Path:
    """Drop what pydantic adds to a location: the tag of each union it went through, and ``[key]``.

    The models say where a tag stands: a file may have a key of the same name there.
    """
    path: list[str | int] = []
    section: type[BaseModel] | None = top
    annotation: Any = top
    tag_follows = False
    for number, part in enumerate(location):
        if tag_follows:
            tag_follows = False
        elif isinstance(part, int):
            path.append(part)
            data = data[part] if isinstance(data, list) and part < len(data) else None
            annotation = (get_args(_bare(annotation)) or (None,))[0]
            section, tag_follows = choose(sections_in(annotation), data), _is_tagged(annotation)
        elif isinstance(data, dict) and part in data:
            path.append(part)
            data = data[part]
            info = keys_of(section).get(part) if section else None
            annotation = info.annotation if info else None
            section = choose(sections_in(annotation), data)
            tag_follows = info is not None and _has_tag(info)
        elif number == len(location) - 1 and part != "[key]" and isinstance(data, dict):
            path.append(part)  # a key that is missing
    return tuple(path)


def _is_tagged(annotation: Any) -> bool:
    if get_origin(annotation) is not Annotated:
        return False
    return any(_marks(part) for part in get_args(annotation)[1:])


def _has_tag(info: FieldInfo) -> bool:
    return info.discriminator is not None or any(_marks(part) for part in info.metadata)


def _marks(part: object) -> bool:
    return isinstance(part, Discriminator) or (isinstance(part, FieldInfo) and part.discriminator is not None)


def _bare(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
