"""Disks and file systems of simulated nodes, asked by the real probe and judged by the real checks."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.expected import ExpectedMount, NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.node import judge_probe
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import instance_type
from bedplate.sandbox.fleet import Fleet

from .asking import TYPE, ask
from .conftest import FSX, MakeFleet, fault, node_id

EXPECTED = NodeExpectation(
    mounts=(ExpectedMount("lustre", FSX, "/fsx", efa=True),), lnet_efas=8, local_nvme="raid0"
)
FAULTS = (
    ("nvme-disk-lost", {"disk": 3}, "NVM-001"),
    ("scratch-volume", {}, "NVM-001"),
    ("file-system-not-mounted", {}, "FSX-001"),
    ("file-system-unreachable", {}, "FSX-001"),
    ("lustre-over-tcp", {}, "FSX-001"),
    ("lnet-efa-missing", {"interfaces": 6}, "FSX-001"),
)


@pytest.fixture(scope="module")
def shelf(make_ready: MakeFleet) -> Fleet:
    """One node for each fault of disks and file systems that shows at rest; the last one is healthy."""
    faults = [fault(cause, index, **detail) for index, (cause, detail, _) in enumerate(FAULTS)]
    return make_ready(*faults, nodes=len(FAULTS) + 1)


def storage_verdicts(fleet: Fleet, index: int) -> dict[str, Verdict]:
    """NVM-001 and FSX-001 of one node."""
    node = node_id(index)
    verdicts = judge_probe(
        NodeFacts(
            node=node,
            answer=ask(fleet, node, "probe"),
            instance_type=instance_type(TYPE),
            expected=EXPECTED,
        )
    )
    return {each.check_id: each for each in verdicts if each.check_id in ("NVM-001", "FSX-001")}


def test_a_healthy_nodes_disks_and_file_systems_pass(shelf: Fleet) -> None:
    """Eight disks in one volume, and Lustre over eight EFA interfaces."""
    found = storage_verdicts(shelf, len(FAULTS))
    assert {name: verdict.outcome for name, verdict in found.items()} == {
        "NVM-001": Outcome.PASS,
        "FSX-001": Outcome.PASS,
    }
    assert found["NVM-001"].measured == 8
    assert "over 8 EFA interfaces" in found["FSX-001"].summary


@pytest.mark.parametrize("index", range(len(FAULTS)), ids=[cause for cause, _, _ in FAULTS])
def test_a_fault_of_storage_is_named_by_its_check_alone(shelf: Fleet, index: int) -> None:
    """The check names the cause that was injected, and the other one passes."""
    cause, _, check = FAULTS[index]
    found = storage_verdicts(shelf, index)
    assert (found[check].outcome, found[check].cause) == (Outcome.FAIL, cause), found[check].summary
    assert {each.outcome for name, each in found.items() if name != check} == {Outcome.PASS}
