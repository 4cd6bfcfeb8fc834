"""Faults of GPUs that show under load, at DCGM's higher levels, or on UltraServers, each named."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.sandbox.fleet import Fleet

from .asking import exercise, failed_causes, outcomes, probe
from .conftest import MakeFleet, fault, node_id

FAULTS = [
    ("gpu-slow", {"gpu": 3, "speed": 0.6}, "DCG-005"),
    ("gpu-memory-slow", {"gpu": 5, "speed": 0.5}, "DCG-006"),
    ("nvlink-errors", {"gpu": 6}, "NVL-002"),
]
STRESS, LONG, HEALTHY, PERSISTENCE, FABRIC = 3, 4, 5, 6, 7
ULTRA = "p6e-gb200.36xlarge"


@pytest.fixture(scope="module")
def ward(make_ready: MakeFleet) -> Fleet:
    """Slow parts, parts that fail at levels 3 and 4 only, settings, and a healthy node."""
    faults = [fault(cause, index, **detail) for index, (cause, detail, _) in enumerate(FAULTS)]
    return make_ready(
        *faults,
        fault("dcgm-hardware", STRESS, gpu=1, level=3),
        fault("dcgm-hardware", LONG, gpu=1, level=4),
        fault("persistence-off", PERSISTENCE),
        fault("fabric-manager-down", FABRIC),
        nodes=8,
    )


def _ask(ward: Fleet, index: int, *, level: int = 1, throughput: bool = False) -> list[Verdict]:
    return exercise(ward, node_id(index), f"gpu-{index + 1}", level=level, throughput=throughput)


def test_a_healthy_node_passes_at_every_level_and_rate(ward: Fleet) -> None:
    """All four levels and both rates, of which each tells what it was held against."""
    verdicts = _ask(ward, HEALTHY, level=4, throughput=True)
    told = outcomes(verdicts)
    assert {told[f"DCG-00{number}"] for number in range(1, 7)} == {"pass"}
    rates = {verdict.check_id: verdict for verdict in verdicts}
    assert isinstance(rates["DCG-005"].measured, float)
    assert (rates["DCG-005"].expected, rates["DCG-006"].expected) == (37_500, 2_333)
    assert told["IMX-001"] == "not-applicable"


@pytest.mark.parametrize("index", range(len(FAULTS)), ids=[cause for cause, _, _ in FAULTS])
def test_a_slow_gpu_is_named(ward: Fleet, index: int) -> None:
    """The check of its rate names it; DCGM's tests at level 2 see nothing."""
    cause, detail, check = FAULTS[index]
    verdicts = _ask(ward, index, level=2, throughput=True)
    assert failed_causes(verdicts) == {cause}
    failed = next(verdict for verdict in verdicts if verdict.check_id == check)
    assert failed.outcome is Outcome.FAIL
    assert f"GPU {detail['gpu']:g}" in failed.summary


@pytest.mark.parametrize(("index", "level"), [(STRESS, 3), (LONG, 4)])
def test_a_fault_of_a_higher_level_shows_there_and_not_below(ward: Fleet, index: int, level: int) -> None:
    """The level below passes, the level itself fails its own check."""
    below = outcomes(_ask(ward, index, level=level - 1))
    assert below[f"DCG-00{level - 1}"] == "pass"
    at = _ask(ward, index, level=level)
    assert failed_causes(at) == {"dcgm-hardware"}
    assert outcomes(at)[f"DCG-00{level}"] == "fail"


def test_settings_fail_as_settings_under_load_too(ward: Fleet) -> None:
    """DCGM weighs both as configuration; without the fabric manager no CUDA program starts."""
    assert failed_causes(_ask(ward, PERSISTENCE)) == {"dcgm-configuration"}
    verdicts = _ask(ward, FABRIC)
    assert failed_causes(verdicts) == {"dcgm-configuration"}
    assert outcomes(verdicts)["NCL-001"] == "error"


def test_an_ultraserver_is_asked_for_its_imex_domain(make_ready: MakeFleet) -> None:
    """Up on one node, down on the other; both have GPUs that joined the NVLink fabric."""
    fleet = make_ready(fault("imex-down", 1), nodes=2, instance_type=ULTRA)
    for index, outcome in ((0, "pass"), (1, "fail")):
        verdicts = exercise(fleet, node_id(index), f"gpu-{index + 1}", level=1, kind=ULTRA)
        assert outcomes(verdicts)["IMX-001"] == outcome
        assert failed_causes(verdicts) == (set() if outcome == "pass" else {"imex-down"})
        passive = outcomes(probe(fleet, node_id(index), kind=ULTRA))
        assert {passive[f"GPU-00{number}"] for number in (5, 6, 7)} == {"pass"}
