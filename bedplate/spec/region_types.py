"""Regions in which the CDK knows none of a resource type that an environment would make there.

The CDK holds templates against CloudFormation's registry as it was when the CDK was released, Region by
Region, and refuses to synthesise what a Region does not have (its finding F3006). A slow test holds this
table against that registry, for every type that Bedplate makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_WITHOUT_PCS = frozenset(
    {
        "ap-east-1",
        "ap-east-2",
        "ap-south-2",
        "ap-southeast-7",
        "ca-central-1",
        "ca-west-1",
        "cn-north-1",
        "cn-northwest-1",
        "eu-central-2",
        "il-central-1",
        "me-central-1",
        "mx-central-1",
        "us-west-1",
    }
)
_WITHOUT_HYPERPOD = frozenset(
    {
        "af-south-1",
        "ap-east-1",
        "ap-east-2",
        "ap-northeast-3",
        "ap-southeast-5",
        "ap-southeast-6",
        "ap-southeast-7",
        "ca-west-1",
        "cn-north-1",
        "cn-northwest-1",
        "eu-central-2",
        "eu-south-1",
        "eu-west-3",
        "il-central-1",
        "me-central-1",
        "mx-central-1",
        "us-gov-east-1",
        "us-gov-west-1",
    }
)
_WITHOUT_TASK_GOVERNANCE = frozenset(
    {
        "af-south-1",
        "ap-east-1",
        "ap-east-2",
        "ap-northeast-2",
        "ap-northeast-3",
        "ap-south-2",
        "ap-southeast-1",
        "ap-southeast-2",
        "ap-southeast-3",
        "ap-southeast-4",
        "ap-southeast-5",
        "ap-southeast-6",
        "ap-southeast-7",
        "ca-central-1",
        "ca-west-1",
        "cn-north-1",
        "cn-northwest-1",
        "eu-central-2",
        "eu-south-1",
        "eu-west-1",
        "eu-west-2",
        "eu-west-3",
        "il-central-1",
        "me-central-1",
        "mx-central-1",
        "sa-east-1",
        "us-east-2",
        "us-gov-east-1",
        "us-gov-west-1",
        "us-west-2",
    }
)
_WITHOUT_GRAFANA = frozenset(
    {
        "af-south-1",
        "ap-east-1",
        "ap-east-2",
        "ap-northeast-3",
        "ap-south-1",
        "ap-south-2",
        "ap-southeast-3",
        "ap-southeast-4",
        "ap-southeast-5",
        "ap-southeast-6",
        "ap-southeast-7",
        "ca-central-1",
        "ca-west-1",
        "cn-north-1",
        "cn-northwest-1",
        "eu-central-2",
        "eu-north-1",
        "eu-south-1",
        "eu-south-2",
        "eu-west-3",
        "il-central-1",
        "me-central-1",
        "mx-central-1",
        "sa-east-1",
        "us-gov-east-1",
        "us-gov-west-1",
        "us-west-1",
    }
)
_WITHOUT_PROMETHEUS = frozenset({"cn-north-1", "cn-northwest-1"})

REGIONS_WITHOUT: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "AWS::APS::RuleGroupsNamespace": _WITHOUT_PROMETHEUS,
        "AWS::APS::Workspace": _WITHOUT_PROMETHEUS,
        "AWS::CodeBuild::Project": frozenset({"ap-east-2", "ca-west-1", "mx-central-1"}),
        "AWS::FSx::FileSystem": frozenset({"ap-southeast-6"}),
        "AWS::Grafana::Workspace": _WITHOUT_GRAFANA,
        "AWS::PCS::Cluster": _WITHOUT_PCS,
        "AWS::PCS::ComputeNodeGroup": _WITHOUT_PCS,
        "AWS::PCS::Queue": _WITHOUT_PCS,
        "AWS::SageMaker::Cluster": _WITHOUT_HYPERPOD,
        "AWS::SageMaker::ClusterSchedulerConfig": _WITHOUT_TASK_GOVERNANCE,
    }
)
"""Resource type → Regions without it; types that are in every Region are not named."""

_FSX = ("AWS::FSx::FileSystem", "AWS::FSx::DataRepositoryAssociation")

TYPES_OF: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "grafana": ("AWS::Grafana::Workspace",),
        "metrics": ("AWS::APS::Workspace", "AWS::APS::RuleGroupsNamespace"),
        "eks": ("AWS::EKS::Nodegroup", "AWS::EKS::AccessEntry"),
        "slurm-hyperpod": ("AWS::SageMaker::Cluster", "AWS::RDS::DBCluster", "AWS::RDS::DBInstance"),
        "slurm-parallelcluster": ("AWS::RDS::DBCluster", "AWS::RDS::DBInstance"),
        "slurm-pcs": ("AWS::PCS::Cluster", "AWS::PCS::ComputeNodeGroup", "AWS::PCS::Queue"),
        "lustre": _FSX,
        "lustre-tiering": _FSX,
        "openzfs": ("AWS::FSx::FileSystem",),
        "efs": ("AWS::EFS::FileSystem", "AWS::EFS::MountTarget"),
        # The pinned CDK has no AWS::SageMaker::ComputeQuota, so that nothing here says where that is.
        "task-governance": ("AWS::SageMaker::ClusterSchedulerConfig",),
        "runner": ("AWS::CodeBuild::Project",),
    }
)
"""What an environment has (a `kind` of the file, `metrics`, which all have, `grafana`, HyperPod's
`task-governance`, or the `runner` of validation) → the types made for it.
"""


def missing_types(feature: str, region: str) -> tuple[str, ...]:
    """Return the types that a feature needs and a Region lacks; none for a feature that makes nothing."""
    return tuple(kind for kind in TYPES_OF.get(feature, ()) if region in REGIONS_WITHOUT.get(kind, ()))


def regions_without(feature: str) -> frozenset[str]:
    """Return the Regions that lack a type which the feature needs."""
    return frozenset().union(*(REGIONS_WITHOUT.get(kind, frozenset()) for kind in TYPES_OF[feature]))
