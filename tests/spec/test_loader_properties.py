"""Any text gives an environment or problems; any environment survives expand."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bedplate.errors import SpecRefused
from bedplate.spec.environment import Environment
from bedplate.spec.expand import as_yaml
from bedplate.spec.loader import load_environment, parse_environment
from bedplate.spec.problems import SpecProblems, dotted
from bedplate.spec.schema import environment_schema
from tests.support.legal_environments import disturbed, environments, paths_of, plain

DEMO = (Path(__file__).parents[2] / "environments" / "demo.yaml").read_text(encoding="utf-8")
SCHEMA = jsonschema.Draft202012Validator(environment_schema())
LINES = DEMO.splitlines()
SETTINGS = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])

NASTY = st.sampled_from(
    ["", "\t", "- ", ": ", "[", "{", "&a [*a]", "*a", "<<: *a", "!!python/object:os.system", "? ",
    "---", "~", "no",
     "1e999", "0x", "0b", "0o8", "1:60", "2026-13-45", "2026-02-31", ".inf", "|", ">", "%YAML 3.0",
     "\ufeff", "\x85", "\u2028", "'", '"', "#", "9" * 5000, "_", "0_", "=", "<<"]
)  # fmt: skip


def _read(text: str) -> None:
    try:
        assert isinstance(parse_environment(text, file="any.yaml"), Environment)
    except SpecProblems as error:
        for problem in error.problems:
            assert problem.remedy
            assert problem.line >= 1
            assert problem.column >= 1
            assert "\n" not in problem.source


@SETTINGS
@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text makes the loader fail in another way than by problems with a place."""
    _read(text)


@SETTINGS
@given(st.integers(0, len(LINES)), NASTY, st.booleans(), st.integers(0, 40))
def test_any_disturbed_environment_is_read_or_refused(
    line: int, text: str, own_line: bool, column: int
) -> None:
    """Neither does a real file into which something nasty was put, in a line or as a line."""
    lines = list(LINES)
    if own_line or line == len(LINES):
        lines.insert(line, text)
    else:
        lines[line] = lines[line][:column] + text + lines[line][column:]
    _read("\n".join(lines))


PATHS = paths_of(yaml.safe_load(DEMO))


@SETTINGS
@given(st.sampled_from(PATHS), plain)
def test_any_value_anywhere_is_read_or_refused(path: tuple[str | int, ...], value: Any) -> None:
    """Neither does any value in the place of any other."""
    data: Any = {"top": yaml.safe_load(DEMO)}
    parent, last = data, "top"
    for part in path:
        parent, last = parent[last], part
    parent[last] = value
    _read(yaml.safe_dump(data["top"], allow_unicode=True))


@SETTINGS
@given(disturbed(environments()))
def test_any_mistyped_environment_is_read_or_refused(data: Any) -> None:
    """Neither does any legal environment with a few keys or values mistyped, missing, doubled or added."""
    _read(yaml.safe_dump(data, allow_unicode=True))


@SETTINGS
@given(environments(), st.data())
def test_any_misspelt_key_is_found_where_it_is(data: dict[str, Any], choice: st.DataObject) -> None:
    """Whichever key of a legal environment is misspelt, its own place is named; a tag's key is free."""
    keys = [path for path in paths_of(data) if path and isinstance(path[-1], str) and path[0] != "tags"]
    path = choice.draw(st.sampled_from([*keys, ("tags",)]))
    parent: Any = data
    for part in path[:-1]:
        parent = parent[part]
    wrong = f"{path[-1]}_x"
    parent[wrong] = parent.pop(path[-1])
    with pytest.raises(SpecProblems) as caught:
        parse_environment(yaml.safe_dump(data), file="any.yaml")
    found = {(problem.id, problem.path) for problem in caught.value.problems}
    tag = path[-1] in ("kind", "source")
    parameter = path[-2:-1] == ("settings",)  # Slurm's own names, which a rule knows
    misspelt = ("ORC-012" if parameter else "SPC-002", dotted((*path[:-1], wrong)))
    assert (("SPC-003", dotted(path)) if tag else misspelt) in found


@SETTINGS
@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """No file makes the loader fail in another way, whatever its bytes."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "any.yaml"
        path.write_bytes(content)
        with pytest.raises(SpecRefused) as caught:
            load_environment(path)
    assert caught.value.error_id.startswith("SPC-")


@SETTINGS
@given(environments())
def test_legal_environments_survive_expand(data: dict[str, Any]) -> None:
    """What is written out with all defaults reads back as the same environment, and writes the same."""
    environment = parse_environment(yaml.safe_dump(data), file="any.yaml")
    written = as_yaml(environment)
    again = parse_environment(written, file="expanded.yaml")
    assert again == environment
    assert as_yaml(again) == written


@SETTINGS
@given(environments())
def test_legal_environments_obey_the_schema(data: dict[str, Any]) -> None:
    """The schema for editors refuses nothing that the loader takes."""
    assert SCHEMA.is_valid(data), next(SCHEMA.iter_errors(data))
