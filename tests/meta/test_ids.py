"""Every id that the code can show is explained."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from importlib import import_module

import pytest

from bedplate.cli.registries import REGISTRIES
from bedplate.explanation import CheckRow
from tests.meta.repository import python_files, text_of

ID = re.compile(r"[A-Z]{3}-\d{3}")


def _rows() -> dict[str, CheckRow]:
    rows: dict[str, CheckRow] = {}
    for name in REGISTRIES:
        registry: Mapping[str, CheckRow] = import_module(name).ROWS
        assert not set(rows) & set(registry), f"{name} explains an id that another table explains too"
        rows.update(registry)
    return rows


def _ids_in_code() -> dict[str, str]:
    """Id → where: string literals of the package that are an id and nothing else."""
    return {
        node.value: f"{path}:{node.lineno}"
        for path in python_files("bedplate")
        for node in ast.walk(ast.parse(text_of(path)))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ID.fullmatch(node.value)
    }


def test_every_id_in_the_code_has_a_row() -> None:
    """An id that a check, a rule or an error can show has a row that `bedplate explain` reads."""
    rows = _rows()
    assert {f"{check} at {where}" for check, where in _ids_in_code().items() if check not in rows} == set()


def test_every_row_belongs_to_an_id_of_the_code() -> None:
    """A row that nothing can show is stale."""
    assert set(_rows()) - set(_ids_in_code()) == set()


@pytest.mark.parametrize("field", ["title", "what", "why", "fix", "by_hand"])
def test_every_row_is_whole(field: str) -> None:
    """Each row says what is looked at, why, how to mend it and to look by hand; titles have no full stop."""
    short = [row.id for row in _rows().values() if len(getattr(row, field).strip()) < 6]
    assert short == []
    assert not [row.id for row in _rows().values() if row.title.endswith(".")]


def test_rows_are_filed_under_their_own_id() -> None:
    """The key of a registry is the id of its row, in the form of three letters and three digits."""
    for key, row in _rows().items():
        assert key == row.id
        assert ID.fullmatch(key)
