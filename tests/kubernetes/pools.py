"""Pools for the documents of a Kubernetes cluster, and what validates those documents."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest

from bedplate.hardware import INSTANCE_TYPES
from bedplate.spec.pools import Pool

SHARED = Path(os.environ.get("BEDPLATE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
CRDS = SHARED / "crds"
VERSION = "1.35"


def pool(**changes: Any) -> Pool:
    """Eight nodes of p5en, On-Demand."""
    data: dict[str, Any] = {
        "name": "h200",
        "instance_type": "p5en.48xlarge",
        "nodes": 8,
        "capacity": {"source": "on-demand"},
        **changes,
    }
    return Pool.model_validate(data)


def every_pool() -> list[Pool]:
    """One pool of every instance type in every layout that it has."""
    found = []
    for name, hardware in INSTANCE_TYPES.items():
        for index, layout in enumerate(hardware.layouts):
            changes: dict[str, Any] = {"name": f"pool{len(found)}", "instance_type": name, "nodes": 18}
            changes["interfaces"] = layout.choice
            if hardware.needs_imex:
                changes |= {"ultraserver": "u-p6e-gb200x72", "efas": layout.efa_count}
            assert pool(**changes).name == f"pool{len(found)}", index
            found.append(pool(**changes))
    return found


GB200 = {"name": "gb200", "instance_type": "p6e-gb200.36xlarge", "ultraserver": "u-p6e-gb200x72", "nodes": 18}


def assert_valid(document: dict[str, Any]) -> None:
    """Hold a document against Kubernetes' own schema, or against that of its CRD."""
    group = document["apiVersion"].partition("/")[0]
    if group == "v1" or "." not in group or (group.endswith(".k8s.io") and "x-k8s" not in group):
        kubernetes_validate.validate(document, VERSION, strict=True)
        return
    _crd_validator(document["apiVersion"], document["kind"]).validate(document)


@cache
def _crd_validator(api_version: str, kind: str) -> jsonschema.Draft202012Validator:
    if not CRDS.is_dir():
        pytest.skip(f"{CRDS} is not there: schemas of custom resources are read where they lie")
    group, _, version = api_version.partition("/")
    for file in CRDS.glob(f"*.{group}.json"):
        crd = json.loads(file.read_text(encoding="utf-8"))
        if crd["kind"] == kind:
            return jsonschema.Draft202012Validator(_closed(crd["versions"][version]["schema"]))
    raise AssertionError(f"no schema of {kind} in {CRDS}")


def _closed(schema: Any) -> Any:
    """The schema without room for fields that it does not name: the API server drops those in silence."""
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _closed(value) for key, value in schema.items()}
    if isinstance(made.get("properties"), dict) and made.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made
