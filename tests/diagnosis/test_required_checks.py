"""Which checks a type must pass."""

from __future__ import annotations

from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.checks import FAMILIES, ROWS
from bedplate.diagnosis.expected import ExpectedAssociation, ExpectedMount, NodeExpectation
from bedplate.hardware import INSTANCE_TYPES, instance_type

EVERYTHING = NodeExpectation(
    mounts=(
        ExpectedMount(
            "lustre",
            "fs-0@tcp:/a",
            "/fsx",
            efa=True,
            associations=(ExpectedAssociation("/data", "s3://data/", imports=("new",)),),
        ),
    ),
    lnet_efas=8,
    local_nvme="raid0",
    dcgm_level=4,
    throughput=True,
    kubernetes=True,
)
"""A deploy that promised and asked for all that there is."""

ULTRASERVER_ONLY = {"IMX-001", "NCL-004"}


def test_a_cluster_of_p5en_must_pass_every_check() -> None:
    """Every check that has an explanation is required but those of UltraServers, and the other way round."""
    required = required_checks(instance_type("p5en.48xlarge"), nodes=8, expected=EVERYTHING)
    assert required == tuple(sorted(set(ROWS) - ULTRASERVER_ONLY))


def test_an_ultraserver_is_asked_for_its_domain() -> None:
    """IMEX joins the nodes' GPUs, and NVLink between nodes is judged apart from EFA."""
    required = required_checks(instance_type("p6e-gb200.36xlarge"), nodes=9, expected=EVERYTHING)
    assert set(required) >= ULTRASERVER_ONLY


def test_one_node_makes_no_statement_about_a_network() -> None:
    """Nothing between nodes is asked of a single one."""
    ids = required_checks(instance_type("p5en.48xlarge"), nodes=1, expected=EVERYTHING)
    between = {"NCL-002", "NCL-003", "FAB-001", "FAB-002", "VER-002"}
    assert set(ROWS) - set(ids) == between | ULTRASERVER_ONLY


def test_level_1_does_not_ask_for_level_2() -> None:
    """DCG-002 needs a run at level 2."""
    assert "DCG-002" not in required_checks(
        instance_type("p5en.48xlarge"), nodes=8, expected=NodeExpectation(dcgm_level=1)
    )


def test_a_type_with_one_gpu_is_asked_for_no_nvlink_and_no_collective_inside() -> None:
    """There is nothing that it could be run over."""
    ids = required_checks(instance_type("p5.4xlarge"), nodes=2, expected=NodeExpectation(dcgm_level=2))
    assert {"NVL-001", "NCL-001"} & set(ids) == set()
    assert {"EFA-001", "NCL-003"} <= set(ids)


def test_every_type_is_asked_whether_it_answers_and_has_its_gpus() -> None:
    """No type is asked for nothing, and every id has an explanation on a page."""
    pages = {check_id for ids in FAMILIES.values() for check_id in ids}
    assert pages == set(ROWS)
    for kind in INSTANCE_TYPES.values():
        ids = required_checks(kind, nodes=1, expected=NodeExpectation(dcgm_level=1))
        assert {"NOD-001", "GPU-001"} <= set(ids) <= set(ROWS)
