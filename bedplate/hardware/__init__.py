"""What AWS sells, and what NVIDIA's error codes mean: data with sources, and the arithmetic on it.

Standard library only, and Python 3.9, because nodes read it too.
"""

from bedplate.hardware.bandwidth.ceiling import Ceiling, bandwidth_ceiling
from bedplate.hardware.bandwidth.factor import COLLECTIVES, busbw_factor
from bedplate.hardware.bandwidth.floor import Floor, bandwidth_floor
from bedplate.hardware.bandwidth.published import EFA, GIB, MIB, NVLINK, PUBLISHED, Published
from bedplate.hardware.catalogue import INSTANCE_TYPES, instance_type
from bedplate.hardware.gpu import Gpu
from bedplate.hardware.gpus import GPUS
from bedplate.hardware.instance import InstanceType, NoSuchLayout
from bedplate.hardware.layout_rules import layout_problems
from bedplate.hardware.network import (
    EFA_ONLY,
    INTERFACE,
    MORE_ADDRESS_BANDWIDTH,
    SAVE_ADDRESSES,
    Interface,
    InterfaceLayout,
    NetworkCard,
)
from bedplate.hardware.ultraserver import ULTRASERVERS, UltraServer, ultraserver, ultraservers_of
from bedplate.hardware.unknown import UnknownCollective, UnknownInstanceType, UnknownName, UnknownUltraServer
from bedplate.hardware.xids.catalogue import XIDS, xid
from bedplate.hardware.xids.entry import XidEntry
from bedplate.hardware.xids.nvlink5 import NvLinkReading, read_nvlink5
from bedplate.hardware.xids.recovery import RecoveryAction, recovery_action

__all__ = [
    "COLLECTIVES",
    "EFA",
    "EFA_ONLY",
    "GIB",
    "GPUS",
    "INSTANCE_TYPES",
    "INTERFACE",
    "MIB",
    "MORE_ADDRESS_BANDWIDTH",
    "NVLINK",
    "PUBLISHED",
    "SAVE_ADDRESSES",
    "ULTRASERVERS",
    "XIDS",
    "Ceiling",
    "Floor",
    "Gpu",
    "InstanceType",
    "Interface",
    "InterfaceLayout",
    "NetworkCard",
    "NoSuchLayout",
    "NvLinkReading",
    "Published",
    "RecoveryAction",
    "UltraServer",
    "UnknownCollective",
    "UnknownInstanceType",
    "UnknownName",
    "UnknownUltraServer",
    "XidEntry",
    "bandwidth_ceiling",
    "bandwidth_floor",
    "busbw_factor",
    "instance_type",
    "layout_problems",
    "read_nvlink5",
    "recovery_action",
    "ultraserver",
    "ultraservers_of",
    "xid",
]
