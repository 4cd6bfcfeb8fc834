"""EKS clusters: attributes, refusals, updates and deletes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.resources.eks_stack import eks_cluster
from tests.sandbox.stand_in import StandIn, outputs

ATTRIBUTES = (
    "Arn",
    "Endpoint",
    "CertificateAuthorityData",
    "ClusterSecurityGroupId",
    "EncryptionConfigKeyArn",
    "OpenIdConnectIssuerUrl",
)
OUTPUTS = {name: {"Value": {"Fn::GetAtt": ["Cluster", name]}} for name in ATTRIBUTES}


def _encrypted(resources: dict[str, Any]) -> dict[str, Any]:
    resources["Key"] = {"Type": "AWS::KMS::Key", "Properties": {"KeyPolicy": {"Version": "2012-10-17"}}}
    resources["Cluster"]["Properties"]["EncryptionConfig"] = [
        {"Provider": {"KeyArn": {"Fn::GetAtt": ["Key", "Arn"]}}, "Resources": ["secrets"]}
    ]
    return resources


def test_cluster_has_its_attributes_and_a_real_security_group(stand_in: StandIn) -> None:
    """What GetAtt gives is what the API tells, and the group is in EC2 and admits itself."""
    stack = stand_in.create(_encrypted(eks_cluster()), Outputs=OUTPUTS)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    told = outputs(stack)
    cluster = stand_in.client("eks").describe_cluster(name=stack["StackName"])["cluster"]
    assert cluster["status"] == "ACTIVE"
    assert (cluster["arn"], cluster["endpoint"]) == (told["Arn"], told["Endpoint"])
    assert cluster["encryptionConfig"][0]["provider"]["keyArn"] == told["EncryptionConfigKeyArn"]
    assert cluster["identity"]["oidc"]["issuer"] == told["OpenIdConnectIssuerUrl"]
    assert told["Endpoint"].endswith(".us-west-2.eks.amazonaws.com")
    group_id = told["ClusterSecurityGroupId"]
    assert cluster["resourcesVpcConfig"]["clusterSecurityGroupId"] == group_id
    (group,) = stand_in.client("ec2").describe_security_groups(GroupIds=[group_id])["SecurityGroups"]
    assert group["VpcId"] == cluster["resourcesVpcConfig"]["vpcId"]
    assert [pair["GroupId"] for pair in group["IpPermissions"][0]["UserIdGroupPairs"]] == [group_id]
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    assert stack["StackName"] not in stand_in.client("eks").list_clusters()["clusters"]


def test_settings_change_in_place_and_identity_stays(stand_in: StandIn) -> None:
    """Version, logs and tier are taken over; endpoint and security group are those of before."""
    resources = eks_cluster()
    stack = stand_in.create(resources, Outputs=OUTPUTS)
    resources["Cluster"]["Properties"] |= {
        "Version": "1.36",
        "Logging": {"ClusterLogging": {"EnabledTypes": [{"Type": "audit"}]}},
        "ControlPlaneScalingConfig": {"Tier": "tier-xl"},
    }
    updated = stand_in.update(stack["StackName"], resources, Outputs=OUTPUTS)
    assert updated["StackStatus"] == "UPDATE_COMPLETE", stand_in.reasons(stack["StackName"])
    assert outputs(updated) == outputs(stack)
    cluster = stand_in.client("eks").describe_cluster(name=stack["StackName"])["cluster"]
    assert cluster["version"] == "1.36"
    assert cluster["logging"]["clusterLogging"] == [{"types": ["audit"], "enabled": True}]
    assert cluster["controlPlaneScalingConfig"] == {"tier": "tier-xl"}


def test_a_replacement_under_one_name_fails_and_leaves_the_cluster(stand_in: StandIn) -> None:
    """Encryption is given at the making alone: the new cluster cannot have the name of the old one."""
    stack = stand_in.create(eks_cluster(), Outputs=OUTPUTS)
    updated = stand_in.update(stack["StackName"], _encrypted(eks_cluster()), Outputs=OUTPUTS)
    assert updated["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert "Cluster already exists with name" in stand_in.reasons(stack["StackName"])
    cluster = stand_in.client("eks").describe_cluster(name=stack["StackName"])["cluster"]
    assert cluster["endpoint"] == outputs(stack)["Endpoint"]


def test_a_protected_cluster_is_not_deleted(stand_in: StandIn) -> None:
    """Until its protection is taken off."""
    resources = eks_cluster()
    resources["Cluster"]["Properties"]["DeletionProtection"] = True
    stack = stand_in.create(resources)
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_FAILED"
    assert "deletion protection" in stand_in.reasons(stack["StackId"])
    assert stack["StackName"] in stand_in.client("eks").list_clusters()["clusters"]


def _one_zone(properties: dict[str, Any]) -> None:
    properties["ResourcesVpcConfig"]["SubnetIds"] = [{"Ref": "Two"}, {"Ref": "Two"}]


def _no_endpoint(properties: dict[str, Any]) -> None:
    properties["ResourcesVpcConfig"]["EndpointPrivateAccess"] = False


def _old(properties: dict[str, Any]) -> None:
    properties["Version"] = "1.21"


def _stranger(properties: dict[str, Any]) -> None:
    properties["RoleArn"] = "arn:aws:iam::123456789012:role/nobody"


def _other_key(properties: dict[str, Any]) -> None:
    arn = "arn:aws:kms:us-west-2:123456789012:key/none"
    properties["EncryptionConfig"] = [{"Provider": {"KeyArn": arn}, "Resources": ["secrets"]}]


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (_one_zone, "two different AZs"),
        (_no_endpoint, "Private and public endpoint access cannot be false"),
        (_old, "unsupported Kubernetes version 1.21"),
        (_stranger, "role/nobody does not exist"),
        (_other_key, "KMS key"),
    ],
)
def test_what_eks_refuses_fails_the_stack(
    stand_in: StandIn, spoil: Callable[[dict[str, Any]], None], word: str
) -> None:
    """Each thing that EKS would refuse fails the stack, with the reason in its history."""
    resources = eks_cluster()
    spoil(resources["Cluster"]["Properties"])
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])


def test_versions_go_up_one_by_one(stand_in: StandIn) -> None:
    """Two minor versions at once are refused, and so is a step back."""
    resources = eks_cluster()
    resources["Cluster"]["Properties"]["Version"] = "1.34"
    stack = stand_in.create(resources)
    for wanted in ("1.36", "1.33"):
        resources["Cluster"]["Properties"]["Version"] = wanted
        updated = stand_in.update(stack["StackName"], resources)
        assert updated["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        assert f"from 1.34 to {wanted}" in stand_in.reasons(stack["StackName"])
