"""Add-ons, access entries and pod identities of an EKS cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.resources.eks_stack import eks_cluster, role
from tests.sandbox.stand_in import StandIn

ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"


def _resources() -> dict[str, Any]:
    cluster = {"ClusterName": {"Ref": "Cluster"}}
    role_arn = {"Fn::GetAtt": ["PodRole", "Arn"]}
    return {
        **eks_cluster(),
        "PodRole": role("pods.eks.amazonaws.com", "sts:TagSession"),
        "Addon": {
            "Type": "AWS::EKS::Addon",
            "Properties": {
                **cluster,
                "AddonName": "aws-fsx-csi-driver",
                "ConfigurationValues": '{"node": {"tolerations": []}}',
                "PodIdentityAssociations": [{"ServiceAccount": "fsx-csi", "RoleArn": role_arn}],
            },
        },
        "Entry": {
            "Type": "AWS::EKS::AccessEntry",
            "Properties": {
                **cluster,
                "PrincipalArn": {"Fn::GetAtt": ["PodRole", "Arn"]},
                "AccessPolicies": [{"PolicyArn": ADMIN, "AccessScope": {"Type": "cluster"}}],
            },
        },
        "Identity": {
            "Type": "AWS::EKS::PodIdentityAssociation",
            "Properties": {**cluster, "Namespace": "team-a", "ServiceAccount": "train", "RoleArn": role_arn},
        },
    }


def test_the_api_tells_what_the_stack_made(stand_in: StandIn) -> None:
    """Add-on, entry with its policies, and identities, those of the add-on marked as its own."""
    stack = stand_in.create(_resources())
    name = stack["StackName"]
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(name)
    eks = stand_in.client("eks")
    addon = eks.describe_addon(clusterName=name, addonName="aws-fsx-csi-driver")["addon"]
    assert (addon["status"], addon["namespaceConfig"]) == ("ACTIVE", {"namespace": "kube-system"})
    assert addon["configurationValues"] == '{"node": {"tolerations": []}}'
    (own,) = eks.list_pod_identity_associations(clusterName=name, namespace="kube-system")["associations"]
    assert own["ownerArn"] == addon["addonArn"]
    assert addon["podIdentityAssociations"] == [own["associationArn"]]
    (identity,) = eks.list_pod_identity_associations(clusterName=name, namespace="team-a")["associations"]
    assert identity["associationArn"] == stand_in.physical_id(name, "Identity")
    (principal,) = eks.list_access_entries(clusterName=name)["accessEntries"]
    entry = eks.describe_access_entry(clusterName=name, principalArn=principal)["accessEntry"]
    assert entry["type"] == "STANDARD"
    policies = eks.list_associated_access_policies(clusterName=name, principalArn=principal)
    assert [each["policyArn"] for each in policies["associatedAccessPolicies"]] == [ADMIN]
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"


def test_settings_change_in_place(stand_in: StandIn) -> None:
    """Another configuration of the add-on and fewer policies, under the same ARNs."""
    resources = _resources()
    stack = stand_in.create(resources)
    name, eks = stack["StackName"], stand_in.client("eks")
    before = eks.describe_addon(clusterName=name, addonName="aws-fsx-csi-driver")["addon"]
    resources["Addon"]["Properties"]["ConfigurationValues"] = "{}"
    resources["Addon"]["Properties"]["PodIdentityAssociations"] = []
    resources["Entry"]["Properties"]["AccessPolicies"] = []
    assert stand_in.update(name, resources)["StackStatus"] == "UPDATE_COMPLETE"
    after = eks.describe_addon(clusterName=name, addonName="aws-fsx-csi-driver")["addon"]
    assert (after["addonArn"], after["configurationValues"]) == (before["addonArn"], "{}")
    assert eks.list_pod_identity_associations(clusterName=name, namespace="kube-system")["associations"] == []
    (principal,) = eks.list_access_entries(clusterName=name)["accessEntries"]
    told = eks.list_associated_access_policies(clusterName=name, principalArn=principal)
    assert told["associatedAccessPolicies"] == []


def _unknown_addon(resources: dict[str, Any]) -> None:
    resources["Addon"]["Properties"]["AddonName"] = "nvidia-device-plugin"


def _broken_values(resources: dict[str, Any]) -> None:
    resources["Addon"]["Properties"]["ConfigurationValues"] = "{"


def _second_addon(resources: dict[str, Any]) -> None:
    resources["Second"] = {**resources["Addon"], "DependsOn": ["Addon"]}


def _hyperpod_addon(resources: dict[str, Any]) -> None:
    resources["Addon"]["Properties"]["AddonName"] = "amazon-sagemaker-hyperpod-taskgovernance"


def _config_map(resources: dict[str, Any]) -> None:
    resources["Cluster"]["Properties"]["AccessConfig"]["AuthenticationMode"] = "CONFIG_MAP"


def _system_group(resources: dict[str, Any]) -> None:
    resources["Entry"]["Properties"]["KubernetesGroups"] = ["system:masters"]


def _iam_policy(resources: dict[str, Any]) -> None:
    policy = "arn:aws:iam::aws:policy/AdministratorAccess"
    resources["Entry"]["Properties"]["AccessPolicies"][0]["PolicyArn"] = policy


def _untrusting(resources: dict[str, Any]) -> None:
    resources["PodRole"] = role("pods.eks.amazonaws.com")
    del resources["Addon"]


def _second_identity(resources: dict[str, Any]) -> None:
    resources["Second"] = {**resources["Identity"], "DependsOn": ["Identity"]}


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (_unknown_addon, "Addon nvidia-device-plugin specified is not supported"),
        (_broken_values, "not in JSON or YAML format"),
        (_second_addon, "Addon already exists"),
        (_hyperpod_addon, "the cluster has no HyperPod nodes"),
        (_config_map, "authentication mode"),
        (_system_group, "begins with system:"),
        (_iam_policy, "is no access policy of EKS"),
        (_untrusting, "sts:TagSession"),
        (_second_identity, "Association already exists"),
    ],
)
def test_what_eks_refuses_fails_the_stack(
    stand_in: StandIn, spoil: Callable[[dict[str, Any]], None], word: str
) -> None:
    """Each thing that EKS would refuse fails the stack, with the reason in its history."""
    resources = _resources()
    spoil(resources)
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])
