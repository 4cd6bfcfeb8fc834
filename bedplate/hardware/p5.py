"""The P5 family: H100 and H200 instances."""

from __future__ import annotations

from bedplate.hardware.gpus import H200
from bedplate.hardware.instance import InstanceType
from bedplate.hardware.layout import like_cards, saving_addresses

CARD_LIMITS = (
    "aws/karpenter-provider-aws: pkg/providers/instancetype/zz_generated.vpclimits.go and "
    "website/content/en/docs/reference/instance-types.md"
)
LAYOUT = "Amazon EC2 User Guide: Maximize network bandwidth on instances with multiple network cards (efa-acc-inst-types)"
SOLD_AS = "DescribeInstanceTypes, SupportedUsageClasses; SageMaker API, ReservedCapacityInstanceType"
LNET = "Amazon FSx for Lustre User Guide: Configuring EFA clients (configure-efa-clients)"
GDR = "aws/aws-ofi-nccl: src/platform-aws.cpp, and issue 547"

EVERY_SOURCE = (
    "on-demand",
    "open-reservation",
    "targeted-reservation",
    "capacity-block",
    "training-plan",
    "spot",
)

_P5EN_CARDS = like_cards(count=16, max_interfaces=4, gbps=200)

P5EN_48XLARGE = InstanceType(
    name="p5en.48xlarge",
    family="p5en",
    architecture="x86_64",
    vcpus=192,
    memory_gib=2048,
    gpu=H200,
    gpus=8,
    network_cards=_P5EN_CARDS,
    interfaces=saving_addresses(_P5EN_CARDS),
    efa_max=16,
    efa_generation=3,
    efa_gbps_each=200,
    ena_gbps=None,
    ebs_gbps=100,
    nvme_count=8,
    nvme_gb_each=3840,
    nvme_api_gb_each=3800,
    lnet_efa_setup=8,
    has_nvlink=True,
    has_nvswitch=True,
    needs_imex=False,
    has_gpudirect_rdma=True,
    capacity_sources=EVERY_SOURCE,
    sources=(CARD_LIMITS, LAYOUT, SOLD_AS, LNET, GDR),
)

P5_FAMILY = (P5EN_48XLARGE,)
