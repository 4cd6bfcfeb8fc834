"""The JSON Schema of the environment file, for editors and other tools."""

from __future__ import annotations

from typing import Any

from bedplate.hardware import INSTANCE_TYPES
from bedplate.spec.environment import Environment
from bedplate.spec.regions import ZONE_PREFIXES

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def environment_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the environment file as plain data.

    It holds each field's description, examples, limits, and what changing it does
    (``x-update-policy``). Rules between fields are beyond it: ``load_environment`` holds those.
    """
    schema = _published(Environment.model_json_schema(by_alias=True))
    pool = schema["$defs"]["Pool"]["properties"]["instance_type"]
    pool["enum"] = sorted(INSTANCE_TYPES)
    schema["properties"]["region"]["enum"] = sorted(ZONE_PREFIXES)
    return {"$schema": DIALECT, **schema, "title": "Bedplate environment"}


def _published(part: Any) -> Any:
    """Copy a part of the schema with our own words marked as such (``x-``), and remedies left out."""
    if isinstance(part, list):
        return [_published(item) for item in part]
    if not isinstance(part, dict):
        return part
    # Where these are text they are our words; as the name of a property they would be a schema.
    ours = {key for key in ("update_policy", "remedy") if isinstance(part.get(key), str)}
    public = {key: _published(value) for key, value in part.items() if key not in ours}
    return {**public, "x-update-policy": part["update_policy"]} if "update_policy" in ours else public
