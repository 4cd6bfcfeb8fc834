"""Every check fails on some fault of the sandbox: a check that nothing can make fail proves nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest

from bedplate.diagnosis.checks import ROWS
from bedplate.diagnosis.verdict import Outcome
from bedplate.sandbox.fleet.fault import KINDS, make_fault
from bedplate.sandbox.fleet.faults import FaultPlan
from tests.bench.faults.draws import Run
from tests.bench.faults.harness import Harness

TRIGGERS: Mapping[str, str] = {
    "NOD-001": "node-unreachable",
    "NOD-003": "huge-pages-missing",
    "CLK-001": "clock-wrong",
    "GPU-001": "gpu-lost",
    "GPU-002": "ecc-uncorrected",
    "GPU-003": "row-remap-failure",
    "GPU-004": "xid-79",
    "GPU-005": "pcie-degraded",
    "GPU-006": "gpu-throttled",
    "GPU-007": "fabric-manager-down",
    "NVL-001": "nvlink-down",
    "NVL-002": "nvlink-errors",
    "EFA-001": "efa-device-lost",
    "EFA-002": "efa-device-faulty",
    "EFA-003": "efa-errors",
    "NVM-001": "scratch-volume",
    "NVM-002": "nvme-slow",
    "FSX-001": "file-system-not-mounted",
    "FSX-002": "file-system-slow",
    "FSX-003": "association-broken",
    "GDR-001": "gdrcopy-off",
    "DCG-001": "persistence-off",
    "DCG-002": "dcgm-hardware",
    "DCG-005": "gpu-slow",
    "DCG-006": "gpu-memory-slow",
    "NCL-001": "nvlink-slow",
    "NCL-003": "link-slow",
    "FAB-001": "efa-device-slow",
    "FAB-002": "link-slow",
    "VER-001": "software-incompatible",
    "VER-002": "version-skew",
}
"""Check → a kind of fault that it fails on, in a validation after a deploy."""

_ASIDE = {"peer_index": 3}
"""The other end of a slow link that the first round of pairs does not hit, so that all together are slow."""

ELSEWHERE: Mapping[str, str] = {
    "NOD-002": "tests/sandbox/fleet/test_fleet_boot.py: a fault that is there when the node boots",
    "NCL-002": "tests/sandbox/fleet/test_fleet_diagnosed.py: told of pairs, which the search names",
    "DCG-003": "tests/sandbox/fleet/test_fleet_gpu_faults.py: levels above 2 are for quarantine",
    "DCG-004": "tests/sandbox/fleet/test_fleet_gpu_faults.py: levels above 2 are for quarantine",
    "IMX-001": "tests/sandbox/fleet/test_fleet_gpu_faults.py: UltraServers only",
    "NCL-004": "tests/sandbox/fleet/test_fleet_ultraserver.py: UltraServers only",
    "KUB-001": "tests/diagnosis/checks/test_check_node_offers.py: Kubernetes only",
}
"""Check → where it fails on a fault, if not here."""


@dataclass(frozen=True)
class _OneFault(Run):
    """A run with one fault that is given, and not drawn."""

    kind: str = ""

    def plan(self) -> FaultPlan:
        """That fault, on the second node where it is a node's."""
        kind = KINDS[self.kind]
        index = None if kind.scope in ("cluster", "half") else 1
        detail = _ASIDE if kind.scope == "link" else {}
        row = {"cause": self.kind, "node_index": index, "detail": detail}
        return FaultPlan(seed="one", faults=(make_fault(row),))

    @property
    def throttled_after(self) -> int | None:
        """AWS answers."""
        return None


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    """One cluster that is booted once."""
    with Harness() as made:
        yield made


def test_every_check_has_a_fault_that_triggers_it() -> None:
    """A new check needs a row: a fault of the table, or a test of its own."""
    assert sorted([*TRIGGERS, *ELSEWHERE]) == sorted(ROWS)
    assert set(TRIGGERS.values()) <= set(KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("check", TRIGGERS)
def test_a_check_fails_on_its_fault(harness: Harness, check: str) -> None:
    """The whole validation, on four nodes: the check says fail, and of no node but the one with the fault."""
    run = _OneFault(0, "one", "p5en.48xlarge", 4, kind=TRIGGERS[check])
    _, result, injected = harness.run(run, how="played")
    (fault,) = injected["faults"]
    failed = [v for v in result.verdicts if v.check_id == check and v.outcome is Outcome.FAIL]
    assert failed
    assert {name for v in failed for name in v.subject.names} <= set(fault["subjects"])


@pytest.mark.slow
@pytest.mark.parametrize("instance_type", ["p5en.48xlarge", "p6-b200.48xlarge"])
def test_a_gpu_of_another_model_is_named_with_its_node(harness: Harness, instance_type: str) -> None:
    """GPU-001 fails by the name that the GPU tells, its node is loaded no more, and no other is blamed."""
    run = _OneFault(0, "one", instance_type, 4, kind="gpu-other-model")
    _, result, injected = harness.run(run, how="played")
    (node,) = injected["faults"][0]["subjects"]
    failed = [v for v in result.verdicts if v.outcome is Outcome.FAIL]
    assert {(v.check_id, v.cause, v.subject.names) for v in failed} == {
        ("GPU-001", "gpu-other-model", (node,))
    }
    assert "1 of 8 GPUs are not of the model" in failed[0].summary
    assert not result.passed()


@pytest.mark.slow
def test_all_nodes_slow_together_is_named_and_no_node_is(harness: Harness) -> None:
    """Every pair is well, and all at once are not: the cluster is named, after all pairs were tested."""
    run = _OneFault(0, "one", "p5en.48xlarge", 4, kind="slow-together")
    _, result, _ = harness.run(run, how="played")
    failed = [v for v in result.verdicts if v.outcome is Outcome.FAIL]
    assert {(v.check_id, v.cause, v.subject.names) for v in failed} == {("NCL-003", "slow-together", ())}
    assert not result.passed()


@pytest.mark.slow
def test_a_slow_link_is_looked_for_where_the_fleet_has_only_itself_to_compare_with(harness: Harness) -> None:
    """Nothing is published for four P6-B300: all together are doubted and not failed, and covered as well."""
    run = _OneFault(0, "one", "p6-b300.48xlarge", 4, kind="link-slow")
    _, result, injected = harness.run(run, how="played")
    ends = set(injected["faults"][0]["subjects"])
    assert ends in [set(v.subject.names) for v in result.verdicts if v.cause == "link-slow"]
