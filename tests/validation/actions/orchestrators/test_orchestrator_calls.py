"""Calls to other orchestrators' services, held against the services' models."""

from __future__ import annotations

import botocore.session
import pytest
from botocore.validate import ParamValidator

from bedplate.validation.actions.orchestrators import eks, hyperpod
from bedplate.validation.actions.orchestrators.api_call import ApiCall
from bedplate.validation.actions.policy import ActionPolicy

NODES = [f"i-{index:017x}" for index in range(60)]
REPLACE = ActionPolicy("replace", at_most_percent=10)


def _calls() -> list[ApiCall]:
    return [
        *hyperpod.replacements(cluster="train", nodes=NODES),
        *hyperpod.reboots(cluster="train", nodes=NODES[:1]),
        eks.node_repair(
            cluster="c",
            node_group="g",
            nodes=64,
            policy=REPLACE,
            actions=eks.xid_actions({63: "ignore", 79: "replace"}),
        ),
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


def test_an_environments_own_xid_policies_are_eks_repairs_too() -> None:
    """A code that leaves a node fit for work is repaired by nothing; each override names all four members."""
    assert eks.xid_actions({13: "monitor", 48: "reset", 74: "reboot", 79: "replace"}) == {
        "NvidiaXID13Error": "NoAction",
        "NvidiaXID48Error": "Reboot",
        "NvidiaXID74Error": "Reboot",
        "NvidiaXID79Error": "Replace",
    }
    call = eks.node_repair(
        cluster="c", node_group="g", nodes=64, policy=REPLACE, actions=eks.xid_actions({63: "ignore"})
    )
    assert call.parameters["nodeRepairConfig"]["nodeRepairConfigOverrides"] == [
        {
            "nodeMonitoringCondition": "AcceleratedHardwareReady",
            "nodeUnhealthyReason": "NvidiaXID63Error",
            "minRepairWaitTimeMins": 10,
            "repairAction": "NoAction",
        }
    ]
