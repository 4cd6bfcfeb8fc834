"""Which resource types the sandbox plays by hand."""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.sandbox.cloudformation.handler import Handler
from bedplate.sandbox.resources.aps_workspace import ApsRuleGroupsHandler, ApsWorkspaceHandler
from bedplate.sandbox.resources.bucket_policy import BucketPolicyHandler
from bedplate.sandbox.resources.capacity_reservation import CapacityReservationHandler
from bedplate.sandbox.resources.codebuild_project import CodeBuildProjectHandler
from bedplate.sandbox.resources.efs_file_system import EfsFileSystemHandler
from bedplate.sandbox.resources.efs_mount_target import EfsMountTargetHandler
from bedplate.sandbox.resources.eks_access_entry import EksAccessEntryHandler
from bedplate.sandbox.resources.eks_addon import EksAddonHandler
from bedplate.sandbox.resources.eks_cluster import EksClusterHandler
from bedplate.sandbox.resources.eks_helm_chart import EksHelmChartHandler
from bedplate.sandbox.resources.eks_manifest import EksManifestHandler
from bedplate.sandbox.resources.eks_node_group import EksNodeGroupHandler
from bedplate.sandbox.resources.eks_pod_identity import EksPodIdentityHandler
from bedplate.sandbox.resources.fsx_association import FsxAssociationHandler
from bedplate.sandbox.resources.fsx_file_system import FsxFileSystemHandler
from bedplate.sandbox.resources.grafana_workspace import GrafanaWorkspaceHandler
from bedplate.sandbox.resources.hyperpod_cluster import HyperPodClusterHandler
from bedplate.sandbox.resources.parallelcluster_cluster import ParallelClusterHandler
from bedplate.sandbox.resources.parallelcluster_provider import ParallelClusterProviderHandler
from bedplate.sandbox.resources.pcs_cluster import PcsClusterHandler
from bedplate.sandbox.resources.pcs_node_group import PcsNodeGroupHandler
from bedplate.sandbox.resources.pcs_queue import PcsQueueHandler
from bedplate.sandbox.resources.placement_group import PlacementGroupHandler
from bedplate.sandbox.resources.rds_cluster import RdsClusterHandler
from bedplate.sandbox.resources.rds_instance import RdsInstanceHandler
from bedplate.sandbox.resources.rds_parameter_group import RdsParameterGroupHandler
from bedplate.sandbox.resources.rds_subnet_group import RdsSubnetGroupHandler
from bedplate.sandbox.resources.scheduler_schedule import SchedulerScheduleHandler
from bedplate.sandbox.resources.secret import SecretHandler
from bedplate.sandbox.resources.security_group import SecurityGroupHandler, SecurityGroupRuleHandler
from bedplate.sandbox.resources.sns_subscription import SnsSubscriptionHandler
from bedplate.sandbox.resources.topic_policy import SnsTopicPolicyHandler
from bedplate.sandbox.sandbox import Sandbox

OWN_TYPES = frozenset(
    {
        "AWS::APS::RuleGroupsNamespace",
        "AWS::APS::Workspace",
        "AWS::CloudFormation::Stack",
        "AWS::CodeBuild::Project",
        "AWS::EC2::CapacityReservation",
        "AWS::EC2::PlacementGroup",
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::SecurityGroupEgress",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EFS::FileSystem",
        "AWS::EFS::MountTarget",
        "AWS::EKS::AccessEntry",
        "AWS::EKS::Addon",
        "AWS::EKS::Cluster",
        "AWS::EKS::Nodegroup",
        "AWS::EKS::PodIdentityAssociation",
        "AWS::FSx::DataRepositoryAssociation",
        "AWS::FSx::FileSystem",
        "AWS::Grafana::Workspace",
        "AWS::PCS::Cluster",
        "AWS::PCS::ComputeNodeGroup",
        "AWS::PCS::Queue",
        "AWS::RDS::DBCluster",
        "AWS::RDS::DBClusterParameterGroup",
        "AWS::RDS::DBInstance",
        "AWS::RDS::DBSubnetGroup",
        "AWS::S3::BucketPolicy",
        "AWS::SageMaker::Cluster",
        "AWS::Scheduler::Schedule",
        "AWS::SecretsManager::Secret",
        "AWS::SNS::Subscription",
        "AWS::SNS::TopicPolicy",
        "Custom::AWSCDK-EKS-HelmChart",
        "Custom::AWSCDK-EKS-KubernetesResource",
        "Custom::PclusterCluster",
    }
)


def own_handlers(sandbox: Sandbox) -> Mapping[str, Handler]:
    """Resource type → handler of ours."""
    return {
        "AWS::APS::RuleGroupsNamespace": ApsRuleGroupsHandler(),
        "AWS::APS::Workspace": ApsWorkspaceHandler(),
        "AWS::CloudFormation::Stack": ParallelClusterProviderHandler(sandbox),
        "AWS::CodeBuild::Project": CodeBuildProjectHandler(sandbox),
        "AWS::EC2::CapacityReservation": CapacityReservationHandler(sandbox),
        "AWS::EC2::PlacementGroup": PlacementGroupHandler(sandbox),
        "AWS::EC2::SecurityGroup": SecurityGroupHandler(),
        "AWS::EC2::SecurityGroupEgress": SecurityGroupRuleHandler("egress"),
        "AWS::EC2::SecurityGroupIngress": SecurityGroupRuleHandler("ingress"),
        "AWS::EFS::FileSystem": EfsFileSystemHandler(),
        "AWS::EFS::MountTarget": EfsMountTargetHandler(),
        "AWS::EKS::AccessEntry": EksAccessEntryHandler(sandbox),
        "AWS::EKS::Addon": EksAddonHandler(sandbox),
        "AWS::EKS::Cluster": EksClusterHandler(sandbox),
        "AWS::EKS::Nodegroup": EksNodeGroupHandler(sandbox),
        "AWS::EKS::PodIdentityAssociation": EksPodIdentityHandler(sandbox),
        "AWS::FSx::DataRepositoryAssociation": FsxAssociationHandler(sandbox),
        "AWS::FSx::FileSystem": FsxFileSystemHandler(sandbox),
        "AWS::Grafana::Workspace": GrafanaWorkspaceHandler(sandbox),
        "AWS::PCS::Cluster": PcsClusterHandler(sandbox),
        "AWS::PCS::ComputeNodeGroup": PcsNodeGroupHandler(sandbox),
        "AWS::PCS::Queue": PcsQueueHandler(sandbox),
        "AWS::RDS::DBCluster": RdsClusterHandler(),
        "AWS::RDS::DBClusterParameterGroup": RdsParameterGroupHandler(),
        "AWS::RDS::DBInstance": RdsInstanceHandler(),
        "AWS::RDS::DBSubnetGroup": RdsSubnetGroupHandler(),
        "AWS::S3::BucketPolicy": BucketPolicyHandler(),
        "AWS::SageMaker::Cluster": HyperPodClusterHandler(sandbox),
        "AWS::Scheduler::Schedule": SchedulerScheduleHandler(),
        "AWS::SecretsManager::Secret": SecretHandler(),
        "AWS::SNS::Subscription": SnsSubscriptionHandler(),
        "AWS::SNS::TopicPolicy": SnsTopicPolicyHandler(),
        "Custom::AWSCDK-EKS-HelmChart": EksHelmChartHandler(sandbox),
        "Custom::AWSCDK-EKS-KubernetesResource": EksManifestHandler(sandbox),
        "Custom::PclusterCluster": ParallelClusterHandler(sandbox),
    }
