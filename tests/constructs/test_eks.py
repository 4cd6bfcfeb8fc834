"""Control plane, node groups, add-ons, charts and documents of EKS."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bedplate.constructs.eks_cluster import EksCluster

Resources = Callable[[Any, str], dict[str, Any]]
Synthesise = Callable[[Any], dict[str, Any]]
ROLE = "arn:aws:iam::111122223333:role/"


def _cluster(stack: Any, **props: Any) -> EksCluster:
    from bedplate.constructs.eks_cluster import EksCluster

    return EksCluster(
        stack,
        "Cluster",
        name="one",
        version="1.35",
        vpc_id="vpc-0123456789abcdef0",
        subnet_ids=["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
        zone_names=["us-west-2a", "us-west-2b"],
        security_group_id="sg-0123456789abcdef0",
        **props,
    )


def _one(found: dict[str, Any]) -> dict[str, Any]:
    (resource,) = found.values()
    properties: dict[str, Any] = resource["Properties"]
    return properties


def test_the_api_server_answers_inside_the_vpc_alone(resources: Resources) -> None:
    """Private by default; the group is the shared one, the subnets the two that were given."""
    vpc = _one(resources(_cluster, "AWS::EKS::Cluster"))["ResourcesVpcConfig"]
    assert (vpc["EndpointPrivateAccess"], vpc["EndpointPublicAccess"]) == (True, False)
    assert vpc["SecurityGroupIds"] == ["sg-0123456789abcdef0"]
    assert vpc["SubnetIds"] == ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]


def test_ranges_open_it_to_themselves_alone(resources: Resources) -> None:
    """With ranges it answers them over the internet, and the VPC as before."""
    found = _one(
        resources(lambda stack: _cluster(stack, public_from=["203.0.113.0/24"]), "AWS::EKS::Cluster")
    )
    vpc = found["ResourcesVpcConfig"]
    assert (vpc["EndpointPrivateAccess"], vpc["EndpointPublicAccess"]) == (True, True)
    assert vpc["PublicAccessCidrs"] == ["203.0.113.0/24"]


def test_secrets_have_a_key_and_all_logs_are_kept(synthesise: Synthesise) -> None:
    """The key rotates and stays when the stack goes; no creator is let in; five logs."""
    found = synthesise(_cluster)["Resources"]
    (cluster,) = [each["Properties"] for each in found.values() if each["Type"] == "AWS::EKS::Cluster"]
    (key,) = [each for each in found.values() if each["Type"] == "AWS::KMS::Key"]
    assert cluster["EncryptionConfig"][0]["Resources"] == ["secrets"]
    assert key["Properties"]["EnableKeyRotation"] is True
    assert key["DeletionPolicy"] == "Retain"
    assert cluster["AccessConfig"] == {
        "AuthenticationMode": "API",
        "BootstrapClusterCreatorAdminPermissions": False,
    }
    assert len(cluster["Logging"]["ClusterLogging"]["EnabledTypes"]) == 5
    assert cluster["UpgradePolicy"] == {"SupportType": "STANDARD"}


@pytest.mark.parametrize("tier", ["standard", "tier-xl", "tier-8xl"])
def test_a_tier_is_named_only_where_it_is_none_of_the_standard(resources: Resources, tier: str) -> None:
    """What EKS has by default is not said."""
    found = _one(resources(lambda stack: _cluster(stack, tier=tier), "AWS::EKS::Cluster"))
    expected = None if tier == "standard" else {"Tier": tier}
    assert found.get("ControlPlaneScalingConfig") == expected


def test_each_role_has_one_entry(resources: Resources) -> None:
    """A member of two teams has both groups; an administrator has no groups, whatever teams name the role."""
    groups = {"a": [f"{ROLE}one", f"{ROLE}boss"], "b": [f"{ROLE}one"]}
    found = resources(
        lambda stack: _cluster(stack, administrators=[f"{ROLE}boss"], groups=groups), "AWS::EKS::AccessEntry"
    )
    entries = {
        each["Properties"]["PrincipalArn"]: each["Properties"]
        for each in found.values()
        if isinstance(each["Properties"]["PrincipalArn"], str)
    }
    assert set(entries) == {f"{ROLE}one", f"{ROLE}boss"}
    assert entries[f"{ROLE}one"]["KubernetesGroups"] == ["a", "b"]
    assert "AccessPolicies" not in entries[f"{ROLE}one"]
    assert "KubernetesGroups" not in entries[f"{ROLE}boss"]


def _group(stack: Any, **props: Any) -> None:
    from bedplate.constructs.eks_node_group import EksNodeGroup

    given: dict[str, Any] = {"min_nodes": 2, "max_nodes": 4, **props}
    EksNodeGroup(
        stack,
        "Group",
        cluster_name="one",
        name="h200",
        role_arn=f"{ROLE}node",
        ami_type="AL2023_x86_64_NVIDIA",
        template_id="lt-0123456789abcdef0",
        template_version="3",
        subnet_ids=["subnet-0123456789abcdef0"],
        **given,
    )


def test_a_group_names_no_instance_type(resources: Resources) -> None:
    """The template does, with the interfaces of that type; the version of it is a number."""
    found = _one(resources(_group, "AWS::EKS::Nodegroup"))
    assert "InstanceTypes" not in found
    assert found["LaunchTemplate"] == {"Id": "lt-0123456789abcdef0", "Version": "3"}
    assert found["ScalingConfig"] == {"MinSize": 2, "MaxSize": 4, "DesiredSize": 2}
    assert found["UpdateConfig"] == {"MaxUnavailable": 1}
    assert "NodeRepairConfig" not in found


def test_repair_has_a_cap(resources: Resources) -> None:
    """EKS repairs so many at once, and stops where more are unfit."""
    found = _one(resources(lambda stack: _group(stack, most_repaired=3), "AWS::EKS::Nodegroup"))
    assert found["NodeRepairConfig"] == {
        "Enabled": True,
        "MaxParallelNodesRepairedCount": 3,
        "MaxUnhealthyNodeThresholdCount": 3,
    }


def test_an_add_on_has_its_rights_by_pod_identity(synthesise: Synthesise) -> None:
    """The role is lent by EKS's service for pods; the configuration is text in one order."""
    from bedplate.constructs.eks_add_on import AddOnRights, EksAddOn

    def build(stack: Any) -> None:
        EksAddOn(
            stack,
            "Network",
            cluster_name="one",
            name="vpc-cni",
            configuration={"env": {"B": "2", "A": "1"}},
            rights=AddOnRights(service_account="aws-node", managed_policies=["AmazonEKS_CNI_Policy"]),
        )

    found = synthesise(build)["Resources"].values()
    (add_on,) = [each["Properties"] for each in found if each["Type"] == "AWS::EKS::Addon"]
    (role,) = [each["Properties"] for each in found if each["Type"] == "AWS::IAM::Role"]
    assert add_on["ConfigurationValues"] == '{"env": {"A": "1", "B": "2"}}'
    assert add_on["PodIdentityAssociations"][0]["ServiceAccount"] == "aws-node"
    assert (add_on["PreserveOnDelete"], add_on["ResolveConflicts"]) == (False, "OVERWRITE")
    (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "pods.eks.amazonaws.com"}
    assert statement["Action"] == ["sts:AssumeRole", "sts:TagSession"]


def _release(stack: Any, values: dict[str, Any], **props: Any) -> None:
    from bedplate.constructs.helm_release import HelmRelease

    HelmRelease(
        stack,
        "Kueue",
        cluster=_cluster(stack).cluster,
        release="kueue",
        chart="kueue",
        repository="oci://registry.k8s.io/kueue/charts/kueue",
        version="0.19.2",
        namespace="kueue-system",
        values=values,
        **props,
    )


def test_a_chart_has_all_of_its_values(resources: Resources) -> None:
    """Every key arrives, false and empty ones too; the release is rolled back where it fails."""
    values = {"a": {"no": False, "none": [], "text": ""}, "b": [1, {"c": 2}]}
    found = _one(resources(lambda stack: _release(stack, values), "Custom::AWSCDK-EKS-HelmChart"))
    assert json.loads(found["Values"]) == values
    assert (found["Release"], found["Version"], found["Atomic"]) == ("kueue", "0.19.2", True)
    assert found["Timeout"] == "600s"


@pytest.mark.parametrize(
    ("values", "where"), [({"a": {"b": None}}, "kueue.a.b"), ({"a": [1, None]}, "kueue.a.1")]
)
def test_a_value_that_is_none_is_refused(resources: Resources, values: dict[str, Any], where: str) -> None:
    """The CDK would leave it out without a word; the error names the place."""
    with pytest.raises(ValueError, match=f"{where} is None"):
        resources(lambda stack: _release(stack, values), "Custom::AWSCDK-EKS-HelmChart")


@pytest.mark.parametrize("minutes", [0, 15])
def test_a_chart_gives_up_before_its_function_does(resources: Resources, minutes: int) -> None:
    """Longer than 14 minutes is refused, and so is no time at all."""
    with pytest.raises(ValueError, match="timeout_minutes is 1 to 14"):
        resources(lambda stack: _release(stack, {}, timeout_minutes=minutes), "Custom::AWSCDK-EKS-HelmChart")


@pytest.mark.parametrize("kind", ["al2023", "bottlerocket"])
def test_user_data_says_what_a_type_has(kind: str) -> None:
    """Disks become one array, EFA gets its huge pages; a node with neither is told nothing."""
    from bedplate.constructs import eks_user_data

    user_data = getattr(eks_user_data, f"{kind}_user_data")
    both = user_data(local_nvme=True, efa=True)
    assert "5128" in both
    assert "RAID0" in both or "ephemeral-storage" in both
    assert "5128" not in user_data(local_nvme=True, efa=False)
    assert user_data(local_nvme=False, efa=False) == ""


def test_parts_for_amazon_linux_are_a_mime_message() -> None:
    """A reader of MIME finds the node's configuration and the script, each under its own type."""
    from email import message_from_string

    import yaml

    from bedplate.constructs.eks_user_data import al2023_user_data

    config, script = message_from_string(al2023_user_data(local_nvme=True, efa=True)).get_payload()
    assert config.get_content_type() == "application/node.eks.aws"
    assert yaml.safe_load(config.get_payload())["spec"]["instance"]["localStorage"] == {"strategy": "RAID0"}
    assert script.get_content_type() == "text/x-shellscript"
    assert script.get_payload().startswith("#!/bin/bash\n")


def test_bottlerocket_reads_its_settings() -> None:
    """They are TOML: the sysctl, and commands that make the array at every boot."""
    import tomllib

    from bedplate.constructs.eks_user_data import bottlerocket_user_data

    settings = tomllib.loads(bottlerocket_user_data(local_nvme=True, efa=True))["settings"]
    assert settings["kernel"]["sysctl"] == {"vm.nr_hugepages": "5128"}
    command = settings["bootstrap-commands"]["ephemeral-storage"]
    assert command["commands"][0] == ["apiclient", "ephemeral-storage", "init"]
    assert (command["essential"], command["mode"]) == (True, "always")
