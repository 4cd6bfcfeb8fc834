"""The real validation finds what a seed injects into the fleet, and blames nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.sandbox.fleet import draw
from bedplate.sandbox.fleet.comparison import compare

from .conftest import MakeFleet, fault
from .validating import injected, validate

NODES = 8
# One seed of each sort of scenario, and the demo's own; `make bench-faults` takes thousands.
SEEDS = ("default", 1, 3, 4, 6, 7, 10, 24)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_seed_injects_is_what_the_validation_names(
    make_ready: MakeFleet, tmp_path: Path, seed: str | int
) -> None:
    """Nothing is missed and nobody is wrongly blamed; without faults the run passes."""
    plan = draw(seed, nodes=NODES)
    faults = [each.to_json() for each in plan.faults]
    fleet = make_ready(*faults, nodes=NODES, seed=plan.seed)
    found = compare(injected(fleet), validate(fleet, nodes=NODES, folder=tmp_path))
    assert found.equal, "\n".join(found.lines())
    assert len(injected(fleet)["faults"]) == len(plan.faults)


@pytest.mark.slow
def test_a_leaf_with_a_slow_way_out_is_named_and_no_node_is(make_ready: MakeFleet, tmp_path: Path) -> None:
    """Pairs under a leaf are well, all nodes together are slow: leaves are covered, and one is named."""
    fleet = make_ready(fault("leaf-slow", None, leaf=1, speed=0.5), nodes=NODES)
    result = validate(fleet, nodes=NODES, folder=tmp_path)
    found = compare(injected(fleet), result)
    assert found.equal, "\n".join(found.lines())
    blamed = [one for one in result.verdicts if one.check_id == "FAB-001" and one.outcome is Outcome.FAIL]
    assert blamed == []
