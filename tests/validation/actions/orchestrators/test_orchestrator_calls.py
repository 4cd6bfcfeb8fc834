"""Calls and documents for other orchestrators, held against the services' models and Kubernetes' rules."""

from __future__ import annotations

import re
from typing import Any

import botocore.session
import pytest
from botocore.validate import ParamValidator
from hypothesis import given
from hypothesis import strategies as st

from bedplate.validation.actions.model import Action
from bedplate.validation.actions.orchestrators import eks, hyperpod, kubernetes
from bedplate.validation.actions.orchestrators.api_call import ApiCall
from bedplate.validation.actions.policy import ActionPolicy

NODES = [f"i-{index:017x}" for index in range(60)]
REPLACE = ActionPolicy("replace", at_most_percent=10)


def _calls() -> list[ApiCall]:
    return [
        *hyperpod.replacements(cluster="train", nodes=NODES),
        *hyperpod.reboots(cluster="train", nodes=NODES[:1]),
        eks.node_repair(cluster="c", node_group="g", nodes=64, policy=REPLACE, never=["NvidiaXID63Error"]),
        eks.node_repair(cluster="c", node_group="g", nodes=3, policy=ActionPolicy("report")),
        eks.replacement(instance_id=NODES[0]),
    ]


@pytest.mark.parametrize("call", _calls(), ids=lambda call: call.operation)
def test_every_call_is_one_that_the_service_model_allows(call: ApiCall) -> None:
    """By our own reading of the model, and by botocore's validator."""
    assert call.problems() == []
    model = botocore.session.get_session().get_service_model(call.service)
    shape = model.operation_model(call.operation).input_shape
    assert not ParamValidator().validate(call.parameters, shape).has_errors()


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (ApiCall("sagemaker", "ReplaceEverything", {}), "no operation"),
        (ApiCall("sagemaker", "BatchReplaceClusterNodes", {"NodeIds": NODES[:1]}), "ClusterName is missing"),
        (
            ApiCall("sagemaker", "BatchReplaceClusterNodes", {"ClusterName": "c", "NodeIds": NODES[:26]}),
            "26 is over 25",
        ),
        (ApiCall("sagemaker", "BatchReplaceClusterNodes", {"ClusterName": "c", "NodeIds": []}), "0 is under"),
        (
            ApiCall("sagemaker", "BatchReplaceClusterNodes", {"ClusterName": "c", "NodeIds": ["gpu-1"]}),
            "does not match",
        ),
        (
            ApiCall("eks", "UpdateNodegroupConfig", {"clusterName": "c", "nodegroupName": "g", "x": 1}),
            "no member x",
        ),
        (
            ApiCall(
                "eks",
                "UpdateNodegroupConfig",
                {
                    "clusterName": "c",
                    "nodegroupName": "g",
                    "nodeRepairConfig": {"nodeRepairConfigOverrides": [{"repairAction": "Explode"}]},
                },
            ),
            "none of Replace",
        ),
        (
            ApiCall("autoscaling", "TerminateInstanceInAutoScalingGroup", {"InstanceId": 5}),
            "no string",
        ),
    ],
)
def test_a_call_that_the_service_would_refuse_is_told(call: ApiCall, word: str) -> None:
    """Names, needs, lengths, patterns and words are held to the model."""
    assert any(word in problem for problem in call.problems())


def test_hyperpod_takes_25_nodes_a_call_and_every_node_once() -> None:
    """60 nodes are three calls."""
    calls = list(hyperpod.replacements(cluster="train", nodes=NODES))
    assert [len(call.parameters["NodeIds"]) for call in calls] == [25, 25, 10]
    assert [node for call in calls for node in call.parameters["NodeIds"]] == NODES


def test_hyperpods_partial_failures_and_silence_are_no_success() -> None:
    """The call answers 200 with some nodes refused; a node of which nothing is said was not replaced."""
    answer = {
        "Successful": [NODES[0]],
        "Failed": [{"NodeId": NODES[1], "ErrorCode": "InstanceIdInUse", "Message": "busy"}],
    }
    told = hyperpod.refused(asked=NODES[:3], answer=answer)
    assert told == {NODES[1]: "InstanceIdInUse: busy", NODES[2]: "the answer does not speak of it"}
    assert set(hyperpod.refused(asked=NODES[:2], answer={})) == set(NODES[:2])


def test_hyperpods_slurm_agent_gets_its_exact_words() -> None:
    """Any other reason would drain the node for ever and replace nothing."""
    assert hyperpod.slurm_argv(name="ip-10-0-0-5")[-2:] == ("State=FAIL", "Reason=Action:Replace")
    with pytest.raises(ValueError, match="allowed are"):
        hyperpod.slurm_argv(name="ip-10-0-0-5", reason="bedplate act-1: x")


def test_eks_repair_is_capped_by_our_policy_and_off_where_we_only_report() -> None:
    """Six of 64 at once, counted in nodes; on_failure report or drain turns automatic repair off."""
    repair = eks.node_repair(cluster="c", node_group="g", nodes=64, policy=REPLACE).parameters[
        "nodeRepairConfig"
    ]
    assert repair == {
        "enabled": True,
        "maxUnhealthyNodeThresholdCount": 6,
        "maxParallelNodesRepairedCount": 6,
    }
    for mode in ("report", "drain"):
        call = eks.node_repair(cluster="c", node_group="g", nodes=64, policy=ActionPolicy(mode))  # type: ignore[arg-type]
        assert call.parameters["nodeRepairConfig"] == {"enabled": False}


def _action(**changes: Any) -> Action:
    values: dict[str, Any] = {
        "do": "drain",
        "node": NODES[5],
        "pool": "h200",
        "cause": "efa-device-lost",
        "checks": ("EFA-001",),
        "why": "15 of 16 devices",
        "reason": "bedplate act-1: efa-device-lost (EFA-001)",
    }
    return Action(**{**values, **changes})


def _node(**spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "ip-10-0-0-5", "resourceVersion": "812"},
        "spec": {"providerID": f"aws:///us-west-2a/{NODES[5]}", **spec},
    }


def _merged(target: Any, patch: Any) -> Any:
    """RFC 7386, as the API server applies a merge patch."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(result.get(key), value)
    return result


@given(st.text(max_size=200))
def test_whatever_text_becomes_a_legal_label_value(text: str) -> None:
    """At most 63 characters of Kubernetes' alphabet, letters or digits at both ends."""
    value = kubernetes.legal_value(text)
    assert kubernetes.is_legal_value(value)
    assert len(value) <= 63
    assert re.fullmatch(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", value, re.ASCII)


@pytest.mark.parametrize("value", ["efa device", "-x", "x-", "a" * 64, "é", "a/b", "x\n", "."])
def test_values_that_kubernetes_refuses_are_known(value: str) -> None:
    """Blanks, ends that are no letter, length, other alphabets, slashes, line ends."""
    assert not kubernetes.is_legal_value(value)


def test_a_cordon_keeps_other_taints_and_carries_the_version_that_was_read() -> None:
    """Taints are replaced whole, so those of others go along; a change in between is a conflict."""
    other = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    patch = kubernetes.cordon_patch(node=_node(taints=[other]), action=_action(), plan_id="act-1")
    assert patch["metadata"]["resourceVersion"] == "812"
    assert patch["spec"]["unschedulable"] is True
    assert patch["spec"]["taints"] == [
        other,
        {"key": "bedplate.io/fault", "value": "efa-device-lost", "effect": "NoSchedule"},
    ]


def test_a_cordon_of_another_instances_node_is_refused() -> None:
    """A node name that has a new instance behind it is not the node that was judged."""
    with pytest.raises(ValueError, match="not i-"):
        kubernetes.cordon_patch(node=_node(), action=_action(node=NODES[6]), plan_id="act-1")


@pytest.mark.parametrize(
    "before", [_node(), _node(unschedulable=True), _node(taints=[{"key": "k", "effect": "NoSchedule"}])]
)
def test_an_uncordon_leaves_the_node_as_it_was(before: dict[str, Any]) -> None:
    """Cordon and uncordon cancel out; a node that was cordoned before stays cordoned."""
    cordoned = _merged(before, kubernetes.cordon_patch(node=before, action=_action(), plan_id="act-1"))
    again = _merged(cordoned, kubernetes.cordon_patch(node=cordoned, action=_action(), plan_id="act-1"))
    patch = kubernetes.uncordon_patch(node=again, plan_id="act-1")
    assert patch is not None
    after = _merged(again, patch)
    assert after["spec"] == before["spec"]
    assert not after["metadata"].get("labels")
    assert not after["metadata"].get("annotations")


def test_an_uncordon_of_another_plan_does_nothing() -> None:
    """Only the plan that drained a node takes it back."""
    node = _merged(_node(), kubernetes.cordon_patch(node=_node(), action=_action(), plan_id="act-1"))
    assert kubernetes.uncordon_patch(node=node, plan_id="act-2") is None
    assert kubernetes.uncordon_patch(node=_node(), plan_id="act-1") is None
