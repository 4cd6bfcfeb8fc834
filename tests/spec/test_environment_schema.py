"""The JSON Schema is published beside the environments, and agrees with the loader."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from bedplate.spec.expand import MODELINE
from bedplate.spec.schema import environment_schema

ENVIRONMENTS = Path(__file__).parents[2] / "environments"
FILES = sorted(ENVIRONMENTS.glob("*.yaml"))
SCHEMA = environment_schema()


def test_the_committed_schema_is_the_generated_one() -> None:
    """``bedplate schema > environments/environment.schema.json`` would change nothing."""
    committed = (ENVIRONMENTS / "environment.schema.json").read_text(encoding="utf-8")
    assert committed == json.dumps(SCHEMA, indent=2, ensure_ascii=False) + "\n"


def test_it_is_a_schema_of_2020_12() -> None:
    """The schema obeys its own dialect."""
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_examples_obey_it_and_name_it(path: Path) -> None:
    """Every example file obeys the schema, and its first line names it for editors."""
    text = path.read_text(encoding="utf-8")
    jsonschema.Draft202012Validator(SCHEMA).validate(yaml.safe_load(text))
    assert text.startswith(MODELINE)


@pytest.mark.parametrize(
    "change",
    [
        {"nmae": "x"},
        {"account": 123456789012},
        {"region": "us-west-3"},
        {"pools": []},
        {"orchestrator": {"kind": "eks-hyperpod"}},
    ],
)
def test_it_refuses_what_the_models_refuse(change: dict[str, object]) -> None:
    """An editor marks unknown keys, wrong kinds and values that are not allowed."""
    demo = yaml.safe_load((ENVIRONMENTS / "demo.yaml").read_text(encoding="utf-8"))
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid({**demo, **change})


def test_every_property_says_what_a_change_does() -> None:
    """Each property carries its update policy under a name that is clearly ours."""
    for name, section in {"Environment": SCHEMA, **SCHEMA["$defs"]}.items():
        for key, field in section.get("properties", {}).items():
            assert "x-update-policy" in field, f"{name}.{key}"
            assert "update_policy" not in field
