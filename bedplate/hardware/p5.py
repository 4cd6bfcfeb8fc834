"""The P5 family: H100 and H200 instances. All of them come with AMD hosts, save p5en with Intel."""

from __future__ import annotations

from bedplate.hardware import sources
from bedplate.hardware.gpus import H100, H200
from bedplate.hardware.instance import InstanceType
from bedplate.hardware.layout import EVERY_EC2_SOURCE, like_cards, more_addresses, saving_addresses

_SOURCES = (
    sources.CARD_LIMITS,
    sources.LAYOUT,
    sources.EFA_GUIDE,
    sources.API,
    sources.SOLD_AS,
    sources.LNET,
    sources.GDR,
)

_ONE_CARD = like_cards(count=1, max_interfaces=4, gbps=100)
_32_CARDS = like_cards(count=32, max_interfaces=2, gbps=100)
_EVERY_FOURTH_CARD = range(4, 32, 4)
"""Cards of p5 and p5e that take a further ENA interface: 8 addresses and 800 Gbps with card 0 (LAYOUT)."""
_16_CARDS = like_cards(count=16, max_interfaces=4, gbps=200)

P5_4XLARGE = InstanceType(
    name="p5.4xlarge",
    family="p5",
    architecture="x86_64",
    vcpus=16,
    memory_gib=256,
    gpu=H100,
    gpus=1,
    network_cards=_ONE_CARD,
    interfaces=saving_addresses(_ONE_CARD),
    other_layouts=(),
    no_more_addresses="it has one network card, and a second ENA interface on it adds no bandwidth",
    efa_max=1,
    efa_generation=2,
    efa_gbps_each=100,
    ena_gbps=100,
    ebs_gbps=10,
    nvme_count=1,
    nvme_gb_each=3840,
    nvme_api_gb_each=3800,
    lnet_efa_setup=1,
    has_nvlink=False,
    has_nvswitch=False,
    needs_imex=False,
    has_gpudirect_rdma=False,
    capacity_sources=EVERY_EC2_SOURCE,
    sources=_SOURCES,
)

P5_48XLARGE = InstanceType(
    name="p5.48xlarge",
    family="p5",
    architecture="x86_64",
    vcpus=192,
    memory_gib=2048,
    gpu=H100,
    gpus=8,
    network_cards=_32_CARDS,
    interfaces=saving_addresses(_32_CARDS),
    other_layouts=(
        more_addresses(saving_addresses(_32_CARDS), ena_cards=_EVERY_FOURTH_CARD, efa_gbps_each=100),
    ),
    no_more_addresses="",
    efa_max=32,
    efa_generation=2,
    efa_gbps_each=100,
    ena_gbps=800,
    ebs_gbps=80,
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

P5E_48XLARGE = InstanceType(
    name="p5e.48xlarge",
    family="p5e",
    architecture="x86_64",
    vcpus=192,
    memory_gib=2048,
    gpu=H200,
    gpus=8,
    network_cards=_32_CARDS,
    interfaces=saving_addresses(_32_CARDS),
    other_layouts=(
        more_addresses(saving_addresses(_32_CARDS), ena_cards=_EVERY_FOURTH_CARD, efa_gbps_each=100),
    ),
    no_more_addresses="",
    efa_max=32,
    efa_generation=2,
    efa_gbps_each=100,
    ena_gbps=800,
    ebs_gbps=80,
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

P5EN_48XLARGE = InstanceType(
    name="p5en.48xlarge",
    family="p5en",
    architecture="x86_64",
    vcpus=192,
    memory_gib=2048,
    gpu=H200,
    gpus=8,
    network_cards=_16_CARDS,
    # The page has no p5en section; this is its general rule.
    interfaces=saving_addresses(_16_CARDS),
    other_layouts=(),
    no_more_addresses="the EC2 User Guide gives no such layout for p5en, nor its ENA bandwidth",
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
    capacity_sources=EVERY_EC2_SOURCE,
    sources=_SOURCES,
)

P5_FAMILY = (P5_4XLARGE, P5_48XLARGE, P5E_48XLARGE, P5EN_48XLARGE)
