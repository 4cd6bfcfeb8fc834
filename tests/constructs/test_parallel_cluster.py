"""ParallelCluster's provider, and a cluster as its custom resource."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]
WITH_DATABASE = {"Scheduling": {"SlurmSettings": {"Database": {"Uri": "db:3306"}}}}


def _cluster(stack: Any, *, provider: Any = None, **props: Any) -> Any:
    from bedplate.constructs.parallel_cluster import ParallelCluster
    from bedplate.constructs.parallelcluster_provider import ParallelClusterProvider

    made = ParallelClusterProvider(stack, "Provider", version="3.16.1", **(provider or {}))
    given: dict[str, Any] = {"name": "research", "configuration": {"Region": "us-west-2"}, **props}
    return ParallelCluster(stack, "Cluster", provider=made, **given)


def _only(template: dict[str, Any], type_: str) -> dict[str, Any]:
    (found,) = [each for each in template["Resources"].values() if each["Type"] == type_]
    properties: dict[str, Any] = found["Properties"]
    return properties


def test_the_provider_is_the_regions_own_of_the_version(synthesise: Synthesise) -> None:
    """The template is in ParallelCluster's bucket in the Region, under the partition's own suffix."""
    stack = _only(synthesise(_cluster), "AWS::CloudFormation::Stack")
    assert stack == {
        "TemplateURL": {
            "Fn::Join": [
                "",
                [
                    "https://us-west-2-aws-parallelcluster.s3.us-west-2.",
                    {"Ref": "AWS::URLSuffix"},
                    "/parallelcluster/3.16.1/templates/custom_resource/cluster.yaml",
                ],
            ]
        }
    }


@pytest.mark.parametrize(
    ("provider", "parameters"),
    [
        ({"policy_arns": ["arn:aws:iam::1:policy/a", "arn:aws:iam::1:policy/b"]}, "AdditionalIamPolicies"),
        ({"role_arn": "arn:aws:iam::1:role/mine"}, "CustomLambdaRole"),
    ],
)
def test_the_providers_rights_are_those_given(
    synthesise: Synthesise, provider: dict[str, Any], parameters: str
) -> None:
    """A role of one's own, or policies beside the provider's, under the names that its template has."""
    stack = _only(synthesise(lambda stack: _cluster(stack, provider=provider)), "AWS::CloudFormation::Stack")
    (given,) = provider.values()
    assert stack["Parameters"] == {parameters: given if isinstance(given, str) else ",".join(given)}


def test_policies_beside_a_role_are_refused(synthesise: Synthesise) -> None:
    """The provider would leave them out in silence."""
    with pytest.raises(ValueError, match="policy_arns: given with role_arn"):
        synthesise(lambda stack: _cluster(stack, provider={"role_arn": "r", "policy_arns": ["p"]}))


def test_the_cluster_is_asked_of_the_provider(synthesise: Synthesise) -> None:
    """Name, configuration as it is given, and that it goes with the stack; nothing that an update refuses."""
    template = synthesise(lambda stack: _cluster(stack, configuration=WITH_DATABASE))
    (provider_id,) = [
        key for key, each in template["Resources"].items() if each["Type"] == "AWS::CloudFormation::Stack"
    ]
    assert _only(template, "Custom::PclusterCluster") == {
        "ServiceToken": {"Fn::GetAtt": [provider_id, "Outputs.ServiceToken"]},
        "ClusterName": "research",
        "ClusterConfiguration": WITH_DATABASE,
        "DeletionPolicy": "Delete",
    }


def test_validators_are_suppressed_where_asked(synthesise: Synthesise) -> None:
    """They are passed on under ParallelCluster's own name."""
    template = synthesise(lambda stack: _cluster(stack, suppress_validators=["type:UrlValidator"]))
    assert _only(template, "Custom::PclusterCluster")["SuppressValidators"] == ["type:UrlValidator"]


def test_what_it_becomes_is_told_by_describe_cluster(synthesise: Synthesise) -> None:
    """Attributes have the names that the provider makes of what ``describe-cluster`` answers."""
    from aws_cdk import CfnOutput

    def build(stack: Any) -> None:
        cluster = _cluster(stack)
        for name in ("head_node_id", "head_node_address", "stack_arn"):
            CfnOutput(stack, name.replace("_", ""), value=getattr(cluster, name))

    told = synthesise(build)["Outputs"]
    assert {key: each["Value"]["Fn::GetAtt"][1] for key, each in told.items()} == {
        "headnodeid": "headNode.instanceId",
        "headnodeaddress": "headNode.privateIpAddress",
        "stackarn": "cloudformationStackArn",
    }


@pytest.mark.parametrize(
    ("props", "word"),
    [
        ({"name": "foreign"}, "'foreign' is the stack's"),
        ({"name": "1st"}, "'1st' given"),
        ({"name": "under_score"}, "'under_score' given"),
        ({"name": "a" * 61}, "60 at most"),
        ({"name": "a" * 41, "configuration": WITH_DATABASE}, "40 at most with a database"),
    ],
)
def test_names_that_parallelcluster_refuses_are_refused(
    synthesise: Synthesise, props: dict[str, Any], word: str
) -> None:
    """The stack's own name, and names that are too long or of other characters."""
    with pytest.raises(ValueError, match=word):
        synthesise(lambda stack: _cluster(stack, **props))


def test_the_longest_names_are_taken(synthesise: Synthesise) -> None:
    """The bounds themselves are within."""
    template = synthesise(lambda stack: _cluster(stack, name="a" * 40, configuration=WITH_DATABASE))
    assert _only(template, "Custom::PclusterCluster")["ClusterName"] == "a" * 40
    assert _only(synthesise(lambda stack: _cluster(stack, name="a" * 60)), "Custom::PclusterCluster")
