"""Kubernetes' own schemas for objects of core kinds, strict; nothing is checked where they are not installed.

A real server only warns of an unknown field unless it is told to be strict: here it is a refusal, so that a
misspelt field is found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import util
from pathlib import Path
from typing import Any

from bedplate.sandbox.kubernetes.kinds import Kind

SCHEMA_VERSION = "1.37.0"
_PACKAGE = "kubernetes_validate"


def schema_problems(kind: Kind, body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(field, what is wrong) for each breach of the kind's schema."""
    if not kind.schema:
        return []
    folder = _folder()
    if folder is None:
        return []
    return [
        (_path(error.absolute_path), error.message)
        for error in sorted(_validator(folder, kind).iter_errors(body), key=lambda error: str(error.path))
    ]


def _path(parts: Any) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.lstrip(".") or "<root>"


@cache
def _folder() -> Path | None:
    found = util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "kubernetes-json-schema" / f"v{SCHEMA_VERSION}-local-strict"
    return folder if folder.is_dir() else None


@cache
def _validator(folder: Path, kind: Kind) -> Any:
    """The package's own function reads all definitions anew for every object: half a second each."""
    from jsonschema.validators import Draft202012Validator
    from referencing import Registry, Resource

    group = f"{kind.group.split('.')[0]}-" if kind.group else ""
    schema = _read(folder / f"{kind.kind.lower()}-{group}{kind.version}.json")
    registry: Any = Resource.from_contents(_definitions(folder)) @ (
        Resource.from_contents(schema) @ Registry()
    )
    return Draft202012Validator(schema, registry=registry)


@cache
def _definitions(folder: Path) -> Any:
    return _read(folder / "_definitions.json")


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
