"""The P6 families: B200 and B300 instances, and GB200 instances, which are sold by the UltraServer only."""

from __future__ import annotations

from bedplate.hardware import sources
from bedplate.hardware.gpus import B200, B300, GB200
from bedplate.hardware.instance import InstanceType
from bedplate.hardware.layout import EVERY_EC2_SOURCE, like_cards, more_addresses, saving_addresses
from bedplate.hardware.network import SAVE_ADDRESSES, InterfaceLayout, NetworkCard

_SOURCES = (
    sources.CARD_LIMITS,
    sources.LAYOUT,
    sources.EFA_GUIDE,
    sources.API,
    sources.SOLD_AS,
    sources.LNET,
    sources.GDR,
)

# DescribeInstanceTypes gives 200 for a card (its ENA share), the EFA page 400 for the EFA on it.
_B200_CARDS = like_cards(count=8, max_interfaces=4, gbps=200)

_B300_CARDS = (
    NetworkCard(0, 4, False, 350),
    *(NetworkCard(index, 4, True, 400) for index in range(1, 17)),
)

# 39 interfaces in all: one on each odd card, two on each even one, and the remaining 15 on card 0.
_GB200_CARDS = (
    NetworkCard(0, 15, False, 100),
    *(NetworkCard(index, 1 if index % 2 else 2, True, None) for index in range(1, 17)),
)
_ONE_EFA_A_GPU = (1, 5, 9, 13)
_TWO_EFAS_A_GPU = (1, 3, 5, 7, 9, 11, 13, 15)
"""Each GPU reaches 400 Gbps of EFA by two cards, and no more by two EFAs than by one (LAYOUT)."""

P6_B200_48XLARGE = InstanceType(
    name="p6-b200.48xlarge",
    family="p6-b200",
    architecture="x86_64",
    vcpus=192,
    memory_gib=2048,
    gpu=B200,
    gpus=8,
    network_cards=_B200_CARDS,
    interfaces=saving_addresses(_B200_CARDS),
    other_layouts=(more_addresses(saving_addresses(_B200_CARDS), ena_cards=range(1, 8), efa_gbps_each=400),),
    no_more_addresses="",
    efa_max=8,
    efa_generation=4,
    efa_gbps_each=400,
    ena_gbps=1600,
    ebs_gbps=100,
    nvme_count=8,
    nvme_gb_each=3840,
    nvme_api_gb_each=3800,
    lnet_efa_setup=8,
    has_nvlink=True,
    has_nvswitch=True,
    needs_imex=False,
    has_gpudirect_rdma=True,
    capacity_sources=EVERY_EC2_SOURCE,
    sources=_SOURCES,
)

P6_B300_48XLARGE = InstanceType(
    name="p6-b300.48xlarge",
    family="p6-b300",
    architecture="x86_64",
    vcpus=192,
    memory_gib=4096,
    gpu=B300,
    gpus=8,
    network_cards=_B300_CARDS,
    interfaces=saving_addresses(_B300_CARDS),
    other_layouts=(more_addresses(saving_addresses(_B300_CARDS), ena_cards=range(1, 17), efa_gbps_each=400),),
    no_more_addresses="",
    efa_max=16,
    efa_generation=4,
    efa_gbps_each=400,
    ena_gbps=3870,
    ebs_gbps=100,
    nvme_count=8,
    nvme_gb_each=3840,
    nvme_api_gb_each=3800,
    lnet_efa_setup=16,
    has_nvlink=True,
    has_nvswitch=True,
    needs_imex=False,
    has_gpudirect_rdma=True,
    capacity_sources=EVERY_EC2_SOURCE,
    sources=_SOURCES,
)

P6E_GB200_36XLARGE = InstanceType(
    name="p6e-gb200.36xlarge",
    family="p6e-gb200",
    architecture="arm64",
    vcpus=144,
    memory_gib=960,
    gpu=GB200,
    gpus=4,
    network_cards=_GB200_CARDS,
    interfaces=saving_addresses(_GB200_CARDS, efa_cards=_ONE_EFA_A_GPU),
    other_layouts=(
        InterfaceLayout(
            SAVE_ADDRESSES, saving_addresses(_GB200_CARDS, efa_cards=_TWO_EFAS_A_GPU), efa_gbps_each=200
        ),
    ),
    no_more_addresses="its ENA and EFA cards share physical cards; the EC2 User Guide gives no such layout",
    efa_max=16,
    # The EFA page lists it under Nitro v5 (EFA v3); some third parties call it EFAv4.
    efa_generation=3,
    efa_gbps_each=400,
    ena_gbps=None,
    ebs_gbps=60,
    nvme_count=3,
    nvme_gb_each=7500,
    nvme_api_gb_each=None,
    lnet_efa_setup=8,
    has_nvlink=True,
    has_nvswitch=True,
    needs_imex=True,
    has_gpudirect_rdma=True,
    capacity_sources=("ultraserver-block", "training-plan"),
    sources=(
        sources.LAYOUT,
        sources.EFA_GUIDE,
        sources.AC_SPECS,
        sources.CAPACITY_BLOCKS,
        sources.LNET,
        sources.GDR,
        "EKS User Guide: P6e-GB200 UltraServers",
    ),
)

P6_FAMILY = (P6_B200_48XLARGE, P6_B300_48XLARGE, P6E_GB200_36XLARGE)
