"""What AWS sells, and what NVIDIA's error codes mean: data with sources, and the arithmetic on it. Standard library only."""

from bedplate.hardware.catalogue import INSTANCE_TYPES, instance_type
from bedplate.hardware.gpu import Gpu
from bedplate.hardware.instance import InstanceType
from bedplate.hardware.network import EFA_ONLY, INTERFACE, Interface, NetworkCard
from bedplate.hardware.unknown import UnknownCollective, UnknownInstanceType, UnknownName, UnknownUltraServer

__all__ = [
    "EFA_ONLY",
    "INSTANCE_TYPES",
    "INTERFACE",
    "Gpu",
    "InstanceType",
    "Interface",
    "NetworkCard",
    "UnknownCollective",
    "UnknownInstanceType",
    "UnknownName",
    "UnknownUltraServer",
    "instance_type",
]
