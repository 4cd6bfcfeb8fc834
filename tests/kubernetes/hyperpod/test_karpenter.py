"""What HyperPod's Karpenter is told of pools with a range."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from bedplate.kubernetes.hyperpod.karpenter import karpenter_objects
from tests.kubernetes.hyperpod.conftest import RANGE, orchestrator
from tests.slurm.pools import pool

SHARED = Path(os.environ.get("BEDPLATE_SHARED", Path(__file__).resolve().parents[4] / "shared"))
CRD = SHARED / "crds/nodepools.karpenter.sh.json"


def _objects(**eks: Any) -> list[dict[str, Any]]:
    pools = [pool(), pool(name="burst", nodes=RANGE)]
    return karpenter_objects(orchestrator(karpenter=True, **eks), pools=pools)


def test_the_pool_with_a_range_has_a_class_and_a_pool() -> None:
    """Named by it, both; the pool with one number has neither, and without Karpenter there is none."""
    node_class, node_pool = _objects()
    assert node_class["spec"] == {"instanceGroups": ["burst"]}
    reference = node_pool["spec"]["template"]["spec"]["nodeClassRef"]
    assert reference["kind"] == node_class["kind"]
    assert reference["name"] == node_class["metadata"]["name"] == "burst"
    assert node_class["apiVersion"] == f"{reference['group']}/v1"
    assert karpenter_objects(orchestrator(), pools=[pool(nodes=RANGE)]) == []


def test_it_grows_to_the_pools_greatest_size() -> None:
    """Counted in GPUs, of which a node of p5en has eight."""
    assert _objects()[1]["spec"]["limits"] == {"nvidia.com/gpu": "128"}


def test_no_job_is_moved() -> None:
    """Nodes go when they are empty, not for age, drift or a tighter packing."""
    spec = _objects()[1]["spec"]
    assert spec["template"]["spec"]["expireAfter"] == "Never"
    assert spec["disruption"]["consolidationPolicy"] == "WhenEmpty"
    closed = {
        reason for each in spec["disruption"]["budgets"] if each["nodes"] == "0" for reason in each["reasons"]
    }
    assert closed == {"Drifted", "Underutilized"}


def test_nodes_start_closed_until_the_gate_opens_them() -> None:
    """As a start-up taint, which Karpenter expects to go; none without a gate."""
    spec = _objects()[1]["spec"]["template"]["spec"]
    assert spec["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]
    assert [each["key"] for each in spec["startupTaints"]] == ["bedplate.dev/gate"]
    assert "startupTaints" not in _objects(gate="none")[1]["spec"]["template"]["spec"]


@pytest.mark.skipif(not CRD.exists(), reason="the schemas of foreign resources are not at hand")
def test_karpenters_own_schema_takes_the_pool() -> None:
    """As its CustomResourceDefinition has it."""
    schema = json.loads(CRD.read_text(encoding="utf-8"))["versions"]["v1"]["schema"]
    assert list(Draft7Validator(schema).iter_errors(_objects()[1])) == []
    wrong = {**_objects()[1], "spec": {**_objects()[1]["spec"], "limits": 3}}
    assert list(Draft7Validator(schema).iter_errors(wrong)) != []
