"""A small CDK app with a cluster, one node group, one add-on, one chart and one manifest.

``eks_app.py VPC SUBNET SUBNET VALUES``: ids of a VPC that is there and of subnets in two zones, the second of
them that of the nodes; the chart's values as JSON.
"""

from __future__ import annotations

import json
import sys

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_eks_v2 as eks
from aws_cdk import aws_iam as iam
from aws_cdk.lambda_layer_kubectl_v35 import KubectlV35Layer

ACCOUNT, REGION, STACK = "123456789012", "us-west-2", "small-eks"
MANAGED = ("AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly")


def main(vpc_id: str, subnet_ids: list[str], values: str) -> None:
    """Synthesise the app."""
    app = cdk.App()
    stack = cdk.Stack(app, STACK, env=cdk.Environment(account=ACCOUNT, region=REGION))
    zones = [f"{REGION}{letter}" for letter in "ab"]
    vpc = ec2.Vpc.from_vpc_attributes(
        stack, "Vpc", vpc_id=vpc_id, availability_zones=zones, private_subnet_ids=subnet_ids
    )
    cluster = eks.Cluster(
        stack,
        "Cluster",
        cluster_name="small",
        vpc=vpc,
        vpc_subnets=[ec2.SubnetSelection(subnets=vpc.private_subnets)],
        version=eks.KubernetesVersion.of("1.35"),
        default_capacity_type=eks.DefaultCapacityType.NODEGROUP,
        default_capacity=0,
        endpoint_access=eks.EndpointAccess.PRIVATE,
        kubectl_provider_options=eks.KubectlProviderOptions(
            kubectl_layer=KubectlV35Layer(stack, "Kubectl"), private_subnets=vpc.private_subnets
        ),
    )
    _node_group(stack, cluster, subnet_ids[-1])
    eks.Addon(stack, "PodIdentity", cluster=cluster, addon_name="eks-pod-identity-agent")
    chart = cluster.add_helm_chart(
        "Plugin",
        chart="plugin",
        release="plugin",
        repository="https://charts.example.com",
        version="1.2.3",
        namespace="gpu",
        values=json.loads(values),
    )
    team = cluster.add_manifest(
        "Team", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}}
    )
    team.node.add_dependency(chart)
    app.synth()


def _node_group(stack: cdk.Stack, cluster: eks.Cluster, subnet_id: str) -> None:
    role = iam.Role(
        stack,
        "NodeRole",
        assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
        managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name(name) for name in MANAGED],
    )
    template = ec2.CfnLaunchTemplate(
        stack,
        "Template",
        launch_template_data=ec2.CfnLaunchTemplate.LaunchTemplateDataProperty(
            instance_type="p5en.48xlarge",
            security_group_ids=[cluster.cluster_security_group_id],
        ),
    )
    eks.CfnNodegroup(
        stack,
        "Nodes",
        cluster_name=cluster.cluster_name,
        nodegroup_name="h200",
        node_role=role.role_arn,
        ami_type="AL2023_x86_64_NVIDIA",
        subnets=[subnet_id],
        scaling_config=eks.CfnNodegroup.ScalingConfigProperty(min_size=0, desired_size=2, max_size=2),
        launch_template=eks.CfnNodegroup.LaunchTemplateSpecificationProperty(
            id=template.ref, version=template.attr_latest_version_number
        ),
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:4], sys.argv[4])
