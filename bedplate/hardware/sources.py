"""The documents that several rows stand on, named once."""

from __future__ import annotations

CARD_LIMITS = (
    "aws/karpenter-provider-aws: pkg/providers/instancetype/zz_generated.vpclimits.go, "
    "website/content/en/docs/reference/instance-types.md"
)
LAYOUT = (
    "EC2 User Guide: Maximize network bandwidth on instances with multiple network cards (efa-acc-inst-types)"
)
EFA_GUIDE = "EC2 User Guide: Elastic Fabric Adapter, supported instance types by Nitro and EFA version (efa)"
AC_SPECS = "EC2 instance types guide: Specifications for accelerated computing instances (ac)"
API = "EC2 API: DescribeInstanceTypes"
SOLD_AS = "EC2 API: DescribeInstanceTypes, SupportedUsageClasses; SageMaker API: ReservedCapacityInstanceType"
LNET = "FSx for Lustre User Guide: Configuring EFA clients (configure-efa-clients)"
GDR = "aws/aws-ofi-nccl: src/platform-aws.cpp, issue 547"
CAPACITY_BLOCKS = "EC2 User Guide: Capacity Blocks for ML, UltraServers; SageMaker API: CreateTrainingPlan"
