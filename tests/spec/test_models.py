"""Every field of the environment file is described, for people, editors and updates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
from pydantic import TypeAdapter, ValidationError

from bedplate.spec import load_environment
from bedplate.spec.base import Section, UpdatePolicy
from bedplate.spec.capacity_sources import SOURCE_NAMES
from bedplate.spec.environment import Environment
from bedplate.spec.fields import Field, all_fields, sections_in, tag_word
from bedplate.spec.schema import environment_schema

FIELDS = list(all_fields(Environment))
ROOT = Path(__file__).parents[2]
COUNTS = {
    "nodes",
    "min",
    "max",
    "efas",
    "metadata_iops",
    "dcgm_level",
    "xid",
    "share",
    "gpus",
    "max_gpus",
    "max_series",
    "uid",
}
"""Numbers that count or name things, and so have no unit."""
UNITS = ("_gib", "_mib", "_mbps", "_mbps_per_tib", "_days", "_hours", "_percent")


def _extra(field: Field) -> dict[str, object]:
    assert isinstance(field.info.json_schema_extra, dict)
    return dict(field.info.json_schema_extra)


def _is_tag(field: Field) -> bool:
    """Whether the field has one value only, as the tag of a union has."""
    return tag_word(field.section, field.path.rpartition(".")[2]) is not None


def _takes_numbers(annotation: Any) -> bool:
    """Whether a field's own value, or an item of its list, may be a whole number."""
    if annotation is int or (isinstance(annotation, int) and not isinstance(annotation, bool)):
        return True
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return False
    return any(_takes_numbers(part) for part in get_args(annotation))


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: f"{field.section.__name__}.{field.path}")
def test_fields_are_described(field: Field) -> None:
    """Each field has a sentence for its reader, and says what changing it later does."""
    assert field.info.description
    assert field.info.description.endswith(".")
    assert _extra(field)["update_policy"] in get_args(UpdatePolicy)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: f"{field.section.__name__}.{field.path}")
def test_required_fields_have_an_example(field: Field) -> None:
    """A field without a default has an example, which the message for its absence shows."""
    if field.info.is_required() and not sections_in(field.info.annotation):
        assert field.info.examples or _is_tag(field)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: f"{field.section.__name__}.{field.path}")
def test_numbers_carry_their_unit(field: Field) -> None:
    """A number's name ends in its unit, unless it counts things."""
    name = field.path.rpartition(".")[2]
    if _takes_numbers(field.info.annotation):
        assert name in COUNTS or name.endswith(UNITS), name


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: f"{field.section.__name__}.{field.path}")
def test_numbers_to_choose_from_are_whole(field: Field) -> None:
    """A field with a fixed set of numbers takes neither 250.0 nor, for 1, true."""
    numbers = [value for value in _words(field.info.annotation) if isinstance(value, int)]
    for number in numbers:
        checked = TypeAdapter(Annotated[field.info.annotation, "", *field.info.metadata])
        assert checked.validate_python(number) == number
        for other in (float(number), number == 1 or str(number)):
            with pytest.raises(ValidationError):
                checked.validate_python(other)


def _words(annotation: Any) -> list[Any]:
    """What the literals of a field's own type allow."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [word for part in get_args(annotation) for word in _words(part)]


def test_sections_are_frozen_and_closed() -> None:
    """No section takes unknown keys, and none can be changed once it is read."""
    for section in {Environment, *(field.section for field in FIELDS)}:
        assert section.model_config["extra"] == "forbid"
        assert section.model_config["frozen"]
    environment = load_environment(ROOT / "environments" / "demo.yaml")
    with pytest.raises(ValidationError):
        environment.name = "other"  # type: ignore[misc]


def test_all_capacity_sources_are_in_the_union() -> None:
    """The list of source names is that of the tagged union."""
    found = [
        get_args(field.info.annotation)[0] for field in FIELDS if field.path == "pools[].capacity.source"
    ]
    assert tuple(found) == SOURCE_NAMES


def test_examples_are_legal() -> None:
    """Each example in the schema is a value that its own field accepts."""
    import jsonschema

    schema = environment_schema()
    definitions = {"$defs": schema["$defs"]}
    sections = {"Environment": schema, **schema["$defs"]}
    count = 0
    for section in sections.values():
        for name, field in section.get("properties", {}).items():
            for example in field.get("examples", []):
                jsonschema.Draft202012Validator({**definitions, **field}).validate(example)
                count += 1
            target = definitions["$defs"].get(field.get("$ref", "").rpartition("/")[2], field)
            assert "description" in field or "description" in target, name
    assert count > 30


def test_section_docstrings_are_shown_to_readers() -> None:
    """Each section explains itself."""
    for section in {Environment, *(field.section for field in FIELDS)}:
        assert issubclass(section, Section)
        assert section.__doc__
