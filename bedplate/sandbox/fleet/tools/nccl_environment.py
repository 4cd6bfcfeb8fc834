"""What NCCL is told by its environment, as far as the stand-in obeys it.

Sources: NVIDIA/nccl ``src/plugin/net.cc`` and ``src/init.cc`` at 2.30; aws/aws-ofi-nccl
``src/nccl_ofi_interface_nvidia.cpp``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_DEFAULT_NAME = "Libfabric"
_PLUGIN_NAMES = ("AWS Libfabric", "OFI", _DEFAULT_NAME)


@dataclass(frozen=True)
class NcclEnvironment:
    """``network`` is the only network that NCCL may use, empty where it chooses; ``mnnvl`` is False where
    NVLink between nodes is switched off.
    """

    network: str = ""
    mnnvl: bool = True
    info: bool = False

    @property
    def plugin_name(self) -> str:
        """What the plugin calls itself: the name by which it was asked for, where that is one of its own."""
        asked = self.network.lower()
        return next((name for name in _PLUGIN_NAMES if name.lower() == asked), _DEFAULT_NAME)

    @property
    def wants_plugin(self) -> bool:
        """Whether NCCL may use nothing but the plugin."""
        return self.network.lower() in [name.lower() for name in _PLUGIN_NAMES]


def nccl_environment(variables: Mapping[str, str]) -> NcclEnvironment:
    """From a process's environment."""
    return NcclEnvironment(
        network=variables.get("NCCL_NET", ""),
        mnnvl=variables.get("NCCL_MNNVL_ENABLE", "2") != "0",
        info=variables.get("NCCL_DEBUG", "").upper() == "INFO",
    )
