"""The random environments reach every choice that the file has."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings

from bedplate.hardware import INSTANCE_TYPES
from bedplate.spec.environment import Environment
from bedplate.spec.fields import all_fields, choose, keys_of, sections_in
from bedplate.spec.storage import Storage
from tests.support.legal_environments import environments
from tests.support.legal_storage import Surroundings, file_systems

SETTINGS = settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
NEVER = {
    # Refused under every kind: CAP-011.
    ("Pool", "alternative_types"),
}
"""Fields that a legal file may have and the random ones never do."""
REFUSED = {("Eks", "jobs", "mpi-operator")}
"""Words of the shape that a rule refuses always (ORC-049)."""


@pytest.mark.slow
def test_every_field_and_every_word_is_drawn() -> None:
    """Each field of the file, each word of a field and each instance type is in some random environment."""
    fields: set[tuple[str, str]] = set()
    words: set[tuple[str, str, Any]] = set()
    types: set[str] = set()

    @SETTINGS
    @given(environments())
    def draw(data: dict[str, Any]) -> None:
        types.update(pool["instance_type"] for pool in data["pools"])
        _collect(Environment, data, fields, words)

    @SETTINGS
    @given(file_systems(Surroundings(region="us-west-2", existing=True), most=6))
    def draw_file_systems(data: list[dict[str, Any]]) -> None:
        _collect(Storage, {"file_systems": data}, fields, words)

    draw_file_systems()
    draw()
    wanted = {(field.section.__name__, field.path.rpartition(".")[2]) for field in all_fields(Environment)}
    assert wanted - fields == NEVER
    assert _all_words() - words == REFUSED
    assert types == set(INSTANCE_TYPES)


def _collect(
    section: type[Any], data: dict[str, Any], fields: set[tuple[str, str]], words: set[tuple[str, str, Any]]
) -> None:
    for key, info in keys_of(section).items():
        if key not in data:
            continue
        fields.add((section.__name__, key))
        for value in data[key] if isinstance(data[key], list) else [data[key]]:
            if isinstance(value, dict):
                below = choose(sections_in(info.annotation), value)
                if below is not None:
                    _collect(below, value, fields, words)
            else:
                words.add((section.__name__, key, value))


def _all_words() -> set[tuple[str, str, Any]]:
    return {
        (field.section.__name__, name, word)
        for field in all_fields(Environment)
        if (field.section.__name__, name := field.path.rpartition(".")[2]) not in NEVER
        for word in _words(field.info.annotation)
    }


def _words(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    if isinstance(annotation, type):
        return []
    return [word for part in get_args(annotation) if part not in (str, int) for word in _words(part)]
