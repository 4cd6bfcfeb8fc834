"""What may be bought how: a table written by hand, against what the rules and the launch plan do.

``legality.json`` names for each of nine shapes and ten ways to buy whether AWS sells the pair, which document
says so, and for each orchestrator the rules that must refuse it (none: it is legal).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.capacity import launch_plan
from bedplate.capacity.legality import KINDS, SHAPES, WAYS, Shape, pool_of, refusals
from bedplate.capacity.reference import reference_page
from bedplate.explanation import CheckRow
from bedplate.hardware import instance_type, ultraservers_of
from bedplate.spec.catalogue import ROWS
from bedplate.spec.loader import load_environment
from bedplate.spec.problems import SpecProblems

ROOT = Path(__file__).parents[2]
TABLE: Mapping[str, Any] = json.loads((Path(__file__).parent / "legality.json").read_text(encoding="utf-8"))
BY_NAME = {shape.name: shape for shape in SHAPES}
CONTROL = {"slurm-parallelcluster": "head_node", "slurm-hyperpod": "controller"}
MARKS = {"yes": "yes", "unverified": "yes, unverified", "no": "-"}
PAIRS = [(shape, way, kind) for shape in TABLE["shapes"] for way in TABLE["shapes"][shape] for kind in KINDS]


def _expected(shape: str, way: str) -> Mapping[str, Any]:
    row: Mapping[str, Any] = TABLE["shapes"][shape][way]
    return row


def _file(shape: Shape, way: str, kind: str, folder: Path) -> Path:
    dallas = bool(ultraservers_of(shape.instance_type))
    data = {
        "name": "legality",
        "account": "123456789012",
        "region": "us-east-1" if dallas else "us-west-2",
        "network": {
            "zone": "use1-dfw2-az1" if dallas else "usw2-az2",
            "control_zones": ["use1-az4", "use1-az6"] if dallas else ["usw2-az1", "usw2-az2"],
            "cidr": "10.40.0.0/16",
        },
        "pools": [
            {
                "name": "pool",
                "instance_type": shape.instance_type,
                "nodes": shape.nodes,
                "capacity": {
                    key: value.replace("us-west-2", "us-east-1") if dallas else value
                    for key, value in WAYS[way].items()
                },
                **({"ultraserver": shape.ultraserver} if shape.ultraserver else {}),
            }
        ],
        "orchestrator": {
            "kind": kind,
            "login": {"instance_type": "m7g.4xlarge" if dallas else "m7i.4xlarge"},
            **({CONTROL[kind]: {"instance_type": "m7g.4xlarge"}} if dallas and kind in CONTROL else {}),
            "partitions": [{"name": "train", "pools": ["pool"]}],
        },
    }
    path = folder / "legality.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


def test_the_table_is_whole() -> None:
    """Every shape, every way and every orchestrator that is built has a row, with a document that says so."""
    assert set(TABLE["shapes"]) == set(BY_NAME)
    for rows in TABLE["shapes"].values():
        assert set(rows) == set(WAYS)
        for row in rows.values():
            assert set(row) == {"sold", "by", *KINDS}
            assert row["sold"] in ("yes", "no", "unverified")
            assert TABLE["documents"][row["by"]]
    used = {row["by"] for rows in TABLE["shapes"].values() for row in rows.values()}
    assert used == set(TABLE["documents"])


@pytest.mark.parametrize(("shape", "way", "kind"), PAIRS)
def test_the_code_allows_what_the_table_allows(shape: str, way: str, kind: str, tmp_path: Path) -> None:
    """A file with the pair is refused by exactly the rules of the table, each with a remedy, or loads."""
    expected = _expected(shape, way)[kind]
    path = _file(BY_NAME[shape], way, kind, tmp_path)
    if expected:
        with pytest.raises(SpecProblems) as caught:
            load_environment(path)
        assert sorted(problem.id for problem in caught.value.problems) == expected
        assert all(problem.remedy for problem in caught.value.problems)
        assert all(isinstance(ROWS[check_id], CheckRow) for check_id in expected)
    else:
        (pool,) = load_environment(path).pools
        if way == "training plan":
            # HyperPod's own: there is no launch of EC2's to plan.
            assert kind == "slurm-hyperpod"
            with pytest.raises(ValueError, match="cannot launch"):
                launch_plan(pool=pool, instance_type=instance_type(pool.instance_type), zone_id="a zone")
        else:
            plan = launch_plan(pool=pool, instance_type=instance_type(pool.instance_type), zone_id="a zone")
            assert plan.instance_types == (BY_NAME[shape].instance_type,)
    assert list(refusals(pool=pool_of(BY_NAME[shape], way), kind=kind)) == expected


@pytest.mark.parametrize(("shape", "way", "kind"), PAIRS)
def test_the_plan_refuses_what_is_not_sold(shape: str, way: str, kind: str) -> None:
    """Where AWS does not sell the pair there is no plan; where nothing refuses it there is one."""
    row = _expected(shape, way)
    if BY_NAME[shape].ultraserver is None and ultraservers_of(BY_NAME[shape].instance_type):
        assert row["sold"] == "no"  # its UltraServers are sold, and are shapes of their own
        return
    sold = WAYS[way]["source"] in instance_type(BY_NAME[shape].instance_type).capacity_sources
    assert sold == (row["sold"] != "no")
    assert not sold or row[kind] in ([], ["CAP-004"])
    assert sold or row[kind]


def test_print_the_table() -> None:
    """The whole table is printed (``pytest -s`` shows it): a line a shape, a column a way to buy."""
    lines = []
    for shape, rows in TABLE["shapes"].items():
        for kind in KINDS:
            cells = ["+".join(rows[way][kind]) or MARKS[rows[way]["sold"]] for way in WAYS]
            lines.append(f"{shape:<19} {kind:<10} " + " ".join(f"{cell:<15}" for cell in cells))
    heads = [way.replace("targeted reservation", "targeted").replace("reservation", "") for way in WAYS]
    print(f"\n{'':<30} " + " ".join(f"{head.strip():<15.15}" for head in heads))  # noqa: T201
    print("\n".join(lines))  # noqa: T201
    legal = [not row[kind] for rows in TABLE["shapes"].values() for row in rows.values() for kind in KINDS]
    assert sum(line.count(" yes") for line in lines) == sum(legal) == 6 * (8 + 7 + 3) + 2 * 3


def test_the_committed_page_is_the_generated_one() -> None:
    """``docs/reference/capacity.md`` is what the code makes."""
    assert (ROOT / "docs/reference/capacity.md").read_text(encoding="utf-8") == reference_page()
