"""Disks and file systems of simulated nodes, asked by the real probe and judged by the real checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.diagnosis.expected import ExpectedMount, NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.node import judge_probe
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import instance_type
from bedplate.sandbox.fleet import Fleet
from bedplate.validation.steps.ask_scheduler import ask_scheduler
from bedplate.validation.steps.await_agents import await_agents
from bedplate.validation.steps.exercise_nodes import exercise_nodes
from bedplate.validation.steps.find_nodes import find_nodes
from bedplate.validation.steps.probe_nodes import probe_nodes
from bedplate.validation.steps.round_trip import round_trip

from .asking import TYPE, ask
from .buckets import OBJECTS
from .conftest import FSX, MakeFleet, fault, node_id
from .validating import new_context

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


LOADED = (
    ("nvme-slow", {"speed": 0.6}, {"NVM-002"}),
    ("file-system-slow", {"speed": 0.3}, {"FSX-002"}),
    ("lustre-over-tcp", {}, {"FSX-001", "FSX-002"}),
    ("file-system-not-mounted", {}, {"FSX-001"}),
)


@pytest.mark.slow
def test_a_fault_under_load_is_named_beside_nodes_that_are_well(
    make_ready: MakeFleet, tmp_path: Path
) -> None:
    """Up to the exercise: each fault fails its own checks with its own cause, and nobody else fails any."""
    faults = [fault(cause, index, **detail) for index, (cause, detail, _) in enumerate(LOADED)]
    count = len(LOADED) + 2
    context = new_context(make_ready(*faults, nodes=count), nodes=count, folder=tmp_path)
    for step in (find_nodes, await_agents, probe_nodes, ask_scheduler, exercise_nodes):
        step(context)
    storage = [each for each in context.record.verdicts if each.check_id[:3] in ("NVM", "FSX")]
    for index, (cause, _, checks) in enumerate(LOADED):
        mine = [each for each in storage if each.subject.names == (node_id(index),)]
        assert {each.check_id for each in mine if each.outcome is Outcome.FAIL} == checks, cause
        assert {each.cause for each in mine if each.outcome is Outcome.FAIL} == {cause}
    well = [each for each in storage if each.subject.names[0] in map(node_id, range(len(LOADED), count))]
    assert {(each.check_id, each.outcome) for each in well} == {
        (check, Outcome.PASS) for check in ("NVM-001", "NVM-002", "FSX-001", "FSX-002")
    }
    assert len(well) == 8


def round_trip_of(fleet: Fleet, nodes: int, folder: Path) -> Verdict:
    """FSX-003, after the steps that it needs."""
    context = new_context(fleet, nodes=nodes, folder=folder)
    for step in (find_nodes, await_agents, probe_nodes, round_trip):
        step(context)
    return next(each for each in context.record.verdicts if each.check_id == "FSX-003")


def test_files_go_both_ways_and_nothing_is_left(make_ready: MakeFleet, tmp_path: Path) -> None:
    """One way in and one out; afterwards neither the buckets nor the node have anything of it."""
    fleet = make_ready(nodes=1)
    verdict = round_trip_of(fleet, 1, tmp_path)
    assert (verdict.outcome, verdict.measured, verdict.findings) == (Outcome.PASS, 2, ()), verdict.summary
    assert not OBJECTS
    left = fleet.run_shell(node_id(0), "find fsx -name .bedplate-validation", 20).stdout
    assert left == ""


def test_an_association_that_does_not_work_is_nobodys_fault(make_ready: MakeFleet, tmp_path: Path) -> None:
    """Neither way works, which is named for the cluster, and the object that was put is removed."""
    verdict = round_trip_of(make_ready(fault("association-broken", None), nodes=1), 1, tmp_path)
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "association-broken"), verdict.summary
    assert (verdict.subject.kind, verdict.measured) == ("cluster", 0)
    assert not OBJECTS
