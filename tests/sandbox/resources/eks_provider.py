"""CDK's kubectl provider as a template has it: a function with a role that may act in the cluster."""

from __future__ import annotations

import json
from typing import Any

from tests.sandbox.resources.eks_stack import eks_cluster, role

ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"


def _function(variables: dict[str, Any]) -> dict[str, Any]:
    return {
        "Type": "AWS::Lambda::Function",
        "Properties": {
            "Handler": "index.handler",
            "Runtime": "python3.13",
            "Role": {"Fn::GetAtt": ["KubectlRole", "Arn"]},
            "Code": {"ZipFile": "def handler(event, context):\n    raise RuntimeError('never run here')\n"},
            "Environment": {"Variables": variables},
            "VpcConfig": {
                "SubnetIds": [{"Ref": "One"}],
                "SecurityGroupIds": [{"Fn::GetAtt": ["Cluster", "ClusterSecurityGroupId"]}],
            },
        },
    }


def with_provider() -> dict[str, Any]:
    """A private cluster with the provider in its VPC, let in as an administrator."""
    return {
        **eks_cluster(),
        "KubectlRole": role("lambda.amazonaws.com"),
        "Worker": _function({}),
        "Framework": _function({"USER_ON_EVENT_FUNCTION_ARN": {"Fn::GetAtt": ["Worker", "Arn"]}}),
        "Admin": {
            "Type": "AWS::EKS::AccessEntry",
            "Properties": {
                "ClusterName": {"Ref": "Cluster"},
                "PrincipalArn": {"Fn::GetAtt": ["KubectlRole", "Arn"]},
                "AccessPolicies": [{"PolicyArn": ADMIN, "AccessScope": {"Type": "cluster"}}],
            },
        },
    }


def chart(values: Any, **properties: Any) -> dict[str, Any]:
    """A release of the chart ``plugin``; a property that is None is left out."""
    told = {
        "Release": "plugin",
        "Chart": "plugin",
        "Version": "1.2.3",
        "Repository": "https://charts.example.com",
        "Namespace": "gpu",
        "CreateNamespace": True,
        "Values": values if isinstance(values, str) else json.dumps(values),
        **properties,
    }
    return _custom("Custom::AWSCDK-EKS-HelmChart", told, after="Admin")


def manifest(*objects: Any, after: str = "Admin", **properties: Any) -> dict[str, Any]:
    """A manifest of these objects."""
    told = {"Manifest": json.dumps(objects), "PruneLabel": "app", **properties}
    return _custom("Custom::AWSCDK-EKS-KubernetesResource", told, after=after)


def _custom(kind: str, properties: dict[str, Any], *, after: str) -> dict[str, Any]:
    token = {"Fn::GetAtt": ["Framework", "Arn"]}
    told = {"ServiceToken": token, "ClusterName": {"Ref": "Cluster"}, **properties}
    kept = {name: value for name, value in told.items() if value is not None}
    return {"Type": kind, "DependsOn": [after], "Properties": kept}


def settings(name: str, **metadata: Any) -> dict[str, Any]:
    """A ConfigMap that is pruned by the label of :func:`manifest`."""
    labels = {"app": ""}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "labels": labels, **metadata},
    }
