"""The diagnosis reads what simulated nodes print: healthy ones pass, and every fault gives its cause."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bedplate.diagnosis.checks import PROBE_CHECKS
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import INSTANCE_TYPES
from bedplate.sandbox.fleet import Fleet

from .asking import collective, exercise, failed_causes, outcomes, probe
from .conftest import MakeFleet, fault, node_id

# One node for each kind of fault that shows inside a node; the last one is healthy.
AT_REST = [
    ("efa-device-lost", {"device": 3}, {"efa-device-lost"}),
    ("gpu-lost", {"gpu": 7}, {"gpu-lost"}),
    ("gpu-other-model", {"gpu": 4}, {"gpu-other-model"}),
    ("row-remap-failure", {"gpu": 2}, {"row-remap-failure"}),
    ("ecc-uncorrected", {"gpu": 1, "count": 3}, {"ecc-uncorrected"}),
    ("nvlink-down", {"gpu": 0, "links": 4}, {"nvlink-down"}),
    ("pcie-degraded", {"gpu": 5, "lanes": 8}, {"pcie-degraded"}),
    ("gpu-throttled", {"gpu": 3}, {"gpu-throttled"}),
    ("gpu-clocks-limited", {"gpu": 6}, {"gpu-clocks-limited"}),
    ("persistence-off", {}, {"persistence-off"}),
    ("fabric-manager-down", {}, {"fabric-manager-down"}),
    ("xid-48", {"gpu": 2}, {"xid-48", "ecc-uncorrected"}),
    ("xid-63", {"gpu": 2}, set()),
    ("xid-64", {"gpu": 2}, {"xid-64"}),
    ("xid-74", {"gpu": 2}, {"xid-74"}),
    ("xid-79", {"gpu": 2}, {"xid-79", "gpu-lost"}),
    ("xid-94", {"gpu": 2}, set()),
    ("xid-95", {"gpu": 2}, {"xid-95", "ecc-uncorrected"}),
    ("xid-119", {"gpu": 2}, {"xid-119"}),
]
UNDER_LOAD = [
    ("nvlink-down", {"gpu": 0, "links": 4}, "nvlink-slow"),
    ("dcgm-hardware", {"gpu": 4}, "dcgm-hardware"),
    ("nvlink-slow", {"speed": 0.7}, "nvlink-slow"),
]
INSIDE = [*((cause, detail) for cause, detail, _ in AT_REST), *((c, d) for c, d, _ in UNDER_LOAD[1:])]
WARD_HEALTHY = len(INSIDE)

# Between nodes: 0 to 2 are healthy, and so are the two ends of the slow link, 3 and 4, but for each other.
BETWEEN = [
    fault("link-slow", 3, peer_index=4, speed=0.5),
    fault("efa-device-slow", 5, device=1, speed=0.5),
    fault("efa-device-slow", 6, device=1, speed=0.75),
    fault("efa-fallback-socket", 7),
    fault("collective-hang", 8),
    fault("efa-device-lost", 9, device=0),
    fault("gpu-lost", 10, gpu=3),
]
SLOW, MILD, FALLEN, HANGING, LOST, SHORT = 5, 6, 7, 8, 9, 10


@pytest.fixture(scope="module")
def ward(make_ready: MakeFleet) -> Fleet:
    """Nodes with every fault that shows inside a node."""
    faults = [fault(cause, index, **detail) for index, (cause, detail) in enumerate(INSIDE)]
    return make_ready(*faults, nodes=len(INSIDE) + 1)


@pytest.fixture(scope="module")
def fabric(make_ready: MakeFleet) -> Fleet:
    """Nodes with every fault that shows between nodes."""
    return make_ready(*BETWEEN, nodes=11)


def of(cause: str) -> int:
    """The index of the ward's node with this fault."""
    return [each for each, _ in INSIDE].index(cause)


def rate(fleet: Fleet, nodes: Sequence[int], name: str) -> float:
    """Bus bandwidth of one collective at 16 GiB; the run must have proven its transport."""
    judged = collective(fleet, nodes, name)
    assert judged.transport.outcome is Outcome.PASS, judged.transport.summary
    assert judged.busbw_gb_per_s is not None
    return judged.busbw_gb_per_s


def test_a_healthy_node_passes_every_passive_check(ward: Fleet) -> None:
    """Every passive check passes, without a finding."""
    verdicts = probe(ward, node_id(WARD_HEALTHY))
    assert len(verdicts) == len([check for check in PROBE_CHECKS if check.promised(NodeExpectation())])
    assert set(outcomes(verdicts).values()) == {"pass"}
    assert not [verdict.findings for verdict in verdicts if verdict.findings]


def test_a_healthy_node_passes_under_load(ward: Fleet) -> None:
    """DCGM at both levels and the collective inside the node pass."""
    verdicts = exercise(ward, node_id(WARD_HEALTHY), f"gpu-{WARD_HEALTHY + 1}")
    found = outcomes(verdicts)
    assert {"DCG-001", "DCG-002", "GDR-001", "NCL-001"} <= set(found)
    assert set(found.values()) <= {"pass", "not-applicable"}


@pytest.mark.parametrize(
    ("cause", "expected"), [(c, e) for c, _, e in AT_REST], ids=[c for c, _, _ in AT_REST]
)
def test_a_fault_at_rest_is_named_by_its_cause(ward: Fleet, cause: str, expected: set[str]) -> None:
    """The passive checks name the cause and its consequences only; harmless events fail nothing."""
    verdicts = probe(ward, node_id(of(cause)))
    assert failed_causes(verdicts) == expected
    unjudged = {verdict.check_id for verdict in verdicts if verdict.outcome is Outcome.ERROR}
    # Of a GPU that is gone nothing more can be said.
    assert unjudged <= (
        {"GPU-002", "GPU-003", "GPU-005", "GPU-006", "GPU-007", "NVL-001"}
        if "gpu-lost" in expected
        else set()
    )


@pytest.mark.parametrize(
    ("cause", "named"), [(c, n) for c, _, n in UNDER_LOAD], ids=[c for c, _, _ in UNDER_LOAD]
)
def test_a_fault_under_load_is_named_by_its_cause(ward: Fleet, cause: str, named: str) -> None:
    """DCGM or the collective inside the node names it."""
    index = of(cause)
    assert failed_causes(exercise(ward, node_id(index), f"gpu-{index + 1}")) == {named}


def test_a_hardware_fault_of_level_two_is_not_seen_at_level_one(ward: Fleet) -> None:
    """Level 1 tests no hardware, so it passes on the node that level 2 fails."""
    index = of("dcgm-hardware")
    verdicts = exercise(ward, node_id(index), f"gpu-{index + 1}", level=1)
    assert outcomes(verdicts)["DCG-001"] == "pass"


@pytest.mark.parametrize("index", [SLOW, FALLEN, HANGING])
def test_a_fault_between_nodes_leaves_the_node_itself_well(fabric: Fleet, index: int) -> None:
    """Neither the passive facts nor the tests inside the node show it."""
    assert set(outcomes(probe(fabric, node_id(index))).values()) == {"pass"}
    verdicts = exercise(fabric, node_id(index), f"gpu-{index + 1}")
    assert set(outcomes(verdicts).values()) <= {"pass", "not-applicable"}


@pytest.mark.parametrize("name", ["all_reduce", "all_gather", "reduce_scatter", "alltoall"])
@pytest.mark.parametrize("nodes", [2, 3])
def test_healthy_nodes_prove_their_transport(fabric: Fleet, name: str, nodes: int) -> None:
    """EFA, GPUDirect and all ranks are proven by the log, and the table is whole and consistent."""
    judged = collective(fabric, range(nodes), name)
    assert judged.transport.outcome is Outcome.PASS, judged.transport.summary
    assert judged.bandwidth.outcome in (Outcome.PASS, Outcome.NOT_TESTED), judged.bandwidth.summary
    assert judged.ranks == 8 * nodes
    assert judged.problem == ""


@pytest.mark.parametrize("kind", ["p5.48xlarge", "p5e.48xlarge", "p6-b200.48xlarge", "p6-b300.48xlarge"])
def test_other_types_prove_their_transport_too(make_ready: MakeFleet, kind: str) -> None:
    """Each type's own number of EFA devices is found, and a pair passes its floor where there is one."""
    judged = collective(make_ready(nodes=2, instance_type=kind), range(2), "all_reduce", kind=kind)
    assert judged.transport.outcome is Outcome.PASS, judged.transport.summary
    assert judged.bandwidth.outcome in (Outcome.PASS, Outcome.NOT_TESTED), judged.bandwidth.summary


@pytest.mark.parametrize("kind", sorted(INSTANCE_TYPES))
def test_a_healthy_node_of_every_type_passes_its_passive_checks(make_ready: MakeFleet, kind: str) -> None:
    """Whatever its number of GPUs, links and EFA devices; RDMA devices that are no EFA are not counted."""
    told = outcomes(probe(make_ready(nodes=1, instance_type=kind), node_id(0), kind=kind))
    assert set(told.values()) <= {"pass", "not-applicable"}
    assert told["GPU-001"] == "pass"


@pytest.mark.parametrize("name", ["all_reduce", "all_gather"])
def test_a_slow_device_shows_in_a_pair_by_far_more_than_a_tenth(fabric: Fleet, name: str) -> None:
    """A pair with the slow node reaches less than 0.8 of a pair without, in either collective."""
    assert rate(fabric, [0, SLOW], name) < 0.8 * rate(fabric, [0, 1], name)


def test_a_mildly_slow_device_hides_in_all_reduce_and_shows_in_all_gather(fabric: Fleet) -> None:
    """A pair's all-reduce leaves EFA bandwidth unused; only the NIC-bound collective shows the loss."""
    share = {
        name: rate(fabric, [0, MILD], name) / rate(fabric, [0, 1], name)
        for name in ("all_reduce", "all_gather")
    }
    assert share["all_reduce"] > 0.9 > share["all_gather"]


def test_a_fallen_back_node_is_named_by_the_transport(fabric: Fleet) -> None:
    """The log shows the socket transport on that node only."""
    judged = collective(fabric, [0, FALLEN], "all_reduce")
    assert (judged.transport.outcome, judged.transport.cause) == (Outcome.FAIL, "efa-fallback-socket")
    assert f"ip-10-0-1-{FALLEN + 5}" in judged.transport.summary
    assert "ip-10-0-1-5" not in judged.transport.summary.replace(f"ip-10-0-1-{FALLEN + 5}", "")


def test_a_lost_device_shows_in_the_job_as_well(fabric: Fleet) -> None:
    """The plugin finds 15 NICs on that node."""
    judged = collective(fabric, [0, LOST], "all_reduce")
    assert (judged.transport.outcome, judged.transport.cause) == (Outcome.FAIL, "efa-device-lost")


def test_a_hang_ends_at_the_deadline_and_frees_the_nodes(fabric: Fleet) -> None:
    """The job is stopped at its deadline with nothing left behind: the healthy node runs right after."""
    judged = collective(fabric, [0, HANGING], "all_reduce", deadline_s=2)
    assert judged.hung
    assert judged.bandwidth.cause == "collective-hang"
    assert rate(fabric, [0, 1], "all_reduce") > 0


def test_a_slow_link_slows_what_crosses_it_only(fabric: Fleet) -> None:
    """Both ends are well with another node; together, alone or in a larger run, they are slow."""
    good = min(rate(fabric, [0, 3], "all_gather"), rate(fabric, [0, 4], "all_gather"))
    assert rate(fabric, [3, 4], "all_gather") < 0.6 * good
    assert rate(fabric, [0, 3, 4], "all_gather") < 0.6 * good


def test_a_wrong_configuration_slows_every_pair_alike(make_ready: MakeFleet) -> None:
    """All pairs lose two fifths, and what runs inside a node loses nothing."""
    fleet = make_ready(fault("fabric-configuration", None, speed=0.6), nodes=3)
    rates = [rate(fleet, pair, "all_gather") for pair in ((0, 1), (0, 2), (1, 2))]
    assert max(rates) < 1.03 * min(rates)
    assert 0.57 * 340 < min(rates) < 0.63 * 340
    assert outcomes(exercise(fleet, node_id(0), "gpu-1"))["NCL-001"] == "pass"


def test_a_job_with_a_lost_gpu_fails_and_is_never_a_pass(fabric: Fleet) -> None:
    """The rank without a GPU ends with a CUDA error, and no table is printed."""
    judged = collective(fabric, [0, SHORT], "all_reduce")
    assert judged.outcome in (Outcome.FAIL, Outcome.ERROR)
    assert judged.busbw_gb_per_s is None
