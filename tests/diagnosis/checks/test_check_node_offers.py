"""KUB-001: exactly the GPUs and EFAs, on a node that is well; nothing else passes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.checks import node_offers
from bedplate.diagnosis.checks.node_offers import EFA_RESOURCE, GPU_RESOURCE, MONITORED
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.parsers.kubernetes_node import KubernetesNode, parse_kubernetes_node
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import INSTANCE_TYPES, instance_type
from bedplate.node.kubernetes import names
from tests.diagnosis.kubernetes_objects import INSTANCE, NAME, WELL, condition, node


def _read(text: str) -> Reading[KubernetesNode]:
    try:
        return Reading(parse_kubernetes_node(text))
    except ParseError as error:
        return Reading(None, str(error))


def _judge(made: dict[str, Any], kind: str = "p5.48xlarge", **more: Any) -> Verdict:
    told = _read(json.dumps(made))
    return node_offers.check(
        node=INSTANCE, told=told, instance_type=instance_type(kind), monitored=MONITORED, **more
    )


@pytest.mark.parametrize("kind", INSTANCE_TYPES)
def test_each_type_passes_with_its_own_counts_and_with_no_others(kind: str) -> None:
    """One less or one more of either, in either list, fails and names the node."""
    row = instance_type(kind)
    passed = _judge(node(kind), kind)
    assert (passed.outcome, passed.measured) == (Outcome.PASS, row.gpus + row.efa_count)
    for resource, wanted in ((GPU_RESOURCE, row.gpus), (EFA_RESOURCE, row.efa_count)):
        for part in ("capacity", "allocatable"):
            for other in {wanted - 1, wanted + 1, 0} - {wanted, -1}:
                made = node(kind)
                made["status"][part][resource] = str(other)
                verdict = _judge(made, kind)
                assert verdict.outcome is Outcome.FAIL
                assert NAME in verdict.summary
                assert verdict.remedy


def test_31_of_32_efas_fail_with_the_nodes_name_and_a_remedy() -> None:
    """A job over all nodes would wait for ever for the 32nd."""
    verdict = _judge(node(efas="31"))
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "devices-short")
    assert verdict.summary == f"Node {NAME} offers 31 of 32 EFAs"
    assert "allow list" in verdict.remedy
    assert "EFA layout" in verdict.remedy


@pytest.mark.parametrize(
    ("made", "cause"),
    [
        (node(efas=""), "device-plugin-off"),
        (node(gpus=""), "device-plugin-off"),
        (node(gpus="0", efas="31"), "device-plugin-off"),
        (node(gpus="80"), "device-plugin-shares"),
        (node(gpus="7"), "devices-short"),
    ],
)
def test_what_is_wrong_with_an_offer_is_named(made: dict[str, Any], cause: str) -> None:
    """No plugin, time-slicing, and a device that is missing want three different remedies."""
    verdict = _judge(made)
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, cause)


@pytest.mark.parametrize(
    "conditions",
    [
        [condition("Ready", "False", reason="KubeletNotReady", message="container runtime is down")],
        [*WELL, condition("AcceleratedHardwareReady", "False", reason="NvidiaXID63Error")],
        [*WELL, condition("NetworkingReady", "Unknown")],
        [*WELL, condition("SomethingElseReady", "False")],
        [*WELL, condition("DiskPressure", "True")],
    ],
)
def test_a_node_that_says_it_is_unwell_fails(conditions: list[dict[str, str]]) -> None:
    """Any condition that ends in Ready and is not true, known or not, and any pressure."""
    verdict = _judge(node(conditions=conditions))
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "node-not-ready")


def test_hyperpods_own_word_against_a_node_counts() -> None:
    """Its deep health checks are not done, or have failed."""
    made = node()
    made["metadata"]["labels"]["sagemaker.amazonaws.com/node-health-status"] = (
        "UnschedulablePendingReplacement"
    )
    assert _judge(made).outcome is Outcome.FAIL
    made["metadata"]["labels"]["sagemaker.amazonaws.com/node-health-status"] = "Schedulable"
    assert _judge(made).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("made", "outcome"),
    [
        (node(metadata__deletionTimestamp="2026-02-03T09:20:00Z"), Outcome.NOT_TESTED),
        (node(conditions=[condition("Ready", "Unknown", reason="NodeStatusUnknown")]), Outcome.NOT_TESTED),
        (node(conditions=[]), Outcome.NOT_TESTED),
        (node(conditions=WELL[:2]), Outcome.NOT_TESTED),
        (node(instance="i-00000000000000001"), Outcome.ERROR),
        (node("p5e.48xlarge"), Outcome.ERROR),
        (node(metadata__labels={}), Outcome.ERROR),
        (node(efas="many"), Outcome.ERROR),
        (node(status__capacity={}), Outcome.ERROR),
        (node(status__allocatable={"cpu": "192"}), Outcome.ERROR),
    ],
)
def test_absent_data_never_passes(made: dict[str, Any], outcome: Outcome) -> None:
    """On its way out, silent, another instance or type, untold, or not a number."""
    assert _judge(made).outcome is outcome


def test_a_node_that_cannot_be_read_is_an_error() -> None:
    """No object, no verdict on the hardware."""
    verdict = node_offers.check(
        node=INSTANCE, told=Reading(None, "404"), instance_type=instance_type("p5.48xlarge")
    )
    assert verdict.outcome is Outcome.ERROR


@pytest.mark.parametrize(
    ("efas", "outcome"),
    [
        (Reading(32), Outcome.PASS),
        (Reading(31), Outcome.FAIL),
        (Reading(None, "pool is not there whole"), Outcome.ERROR),
        (Reading(None), Outcome.ERROR),
        (Reading(32, "cut"), Outcome.ERROR),
    ],
)
def test_with_the_dra_driver_its_slices_are_counted(efas: Reading[int], outcome: Outcome) -> None:
    """The node's own list has no EFAs then, and GPUs are held to as before."""
    assert _judge(node(efas=""), efa_devices=efas).outcome is outcome
    assert _judge(node(efas="", gpus="7"), efa_devices=efas).outcome is Outcome.FAIL


def test_devices_that_are_offered_twice_are_told() -> None:
    """Device plugin and DRA driver on one node would give one device to two jobs."""
    (finding,) = _judge(node(), efa_devices=Reading(32)).findings
    assert "twice" in finding.text


def test_only_a_kubernetes_cluster_owes_the_check() -> None:
    """Slurm's nodes offer nothing to pods."""
    kind = instance_type("p5.48xlarge")
    assert "KUB-001" not in required_checks(kind, nodes=2)
    assert "KUB-001" in required_checks(kind, nodes=2, expected=NodeExpectation(kubernetes=True))


def test_the_resources_are_those_that_the_clusters_documents_ask_for() -> None:
    """Job templates, quotas and the gate speak of the same names."""
    assert (GPU_RESOURCE, EFA_RESOURCE) == (names.GPU_RESOURCE, names.EFA_RESOURCE)


BAD = [
    node(efas="31"),
    node(gpus=""),
    node(
        conditions=[
            *WELL[:2],
            condition("AcceleratedHardwareReady", "False", reason="NvidiaXID63Error"),
            WELL[3],
        ]
    ),
]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(BAD), st.data())
def test_a_cut_anywhere_in_a_bad_node_never_makes_it_pass(made: dict[str, Any], data: st.DataObject) -> None:
    """Answers break off, and lose pieces, without a word."""
    text = json.dumps(made)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for damaged in (text[:start], text[:start] + text[end:]):
        verdict = node_offers.check(
            node=INSTANCE,
            told=_read(damaged),
            instance_type=instance_type("p5.48xlarge"),
            monitored=MONITORED,
        )
        assert verdict.outcome is not Outcome.PASS


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_part_that_is_left_out_of_a_bad_node_never_makes_it_pass(data: st.DataObject) -> None:
    """What is not told is not taken for well."""
    made = json.loads(json.dumps(data.draw(st.sampled_from(BAD))))
    part: Any = made
    while isinstance(part, dict) and part:
        key = data.draw(st.sampled_from(sorted(part)))
        if not isinstance(part[key], dict) or data.draw(st.booleans()):
            del part[key]
            break
        part = part[key]
    assert _judge(made).outcome is not Outcome.PASS
