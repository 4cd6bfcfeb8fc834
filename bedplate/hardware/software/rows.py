"""The tables: what is needed at least, what is known to be bad, what belongs together, what was tested.

Components are named as in a node's versions: ``nvidia-driver``, ``efa-installer``, ``efa-driver``,
``libfabric``, ``nccl``, ``aws-ofi-nccl``.
"""

from __future__ import annotations

from dataclasses import dataclass

_PLUGIN = "aws/aws-ofi-nccl: release notes of "
_EFA = "EC2 User Guide: Elastic Fabric Adapter, change log of the EFA installer"
_CLUSTER = "aws/aws-parallelcluster: CHANGELOG.md"
_DLAMI = "AWS Deep Learning AMI release notes, "


@dataclass(frozen=True)
class Minimum:
    """``component`` must be ``version`` or newer on these instance types."""

    component: str
    version: str
    types: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class Needs:
    """From ``since`` on, ``component`` needs ``other`` in version ``least`` or newer."""

    component: str
    since: str
    other: str
    least: str
    source: str


@dataclass(frozen=True)
class KnownBad:
    """One release with a fault that a later one, ``fixed_in``, mends."""

    component: str
    version: str
    fixed_in: str
    what: str
    source: str


@dataclass(frozen=True)
class Bundle:
    """What one EFA installer brings; empty where no source tells."""

    installer: str
    libfabric: str = ""
    plugin: str = ""
    driver: str = ""
    source: str = _EFA


@dataclass(frozen=True)
class Tested:
    """The NCCL series that a series of the plugin was released and tested with, both ends included."""

    plugin: str
    oldest: str
    newest: str


MINIMUMS = (
    Minimum("aws-ofi-nccl", "1.15.0", ("p6-b200.48xlarge",), f"{_PLUGIN}1.15.0: adds P6-B200"),
    Minimum("aws-ofi-nccl", "1.18.0", ("p6-b300.48xlarge",), f"{_PLUGIN}1.18.0: adds P6-B300"),
    Minimum(
        "nvidia-driver",
        "570.133.20",
        ("p6-b200.48xlarge",),
        "NVIDIA/cloud-native-docs: pull request 184 (HGX B200)",
    ),
)

NEEDS = (
    Needs("aws-ofi-nccl", "1.12.0", "nccl", "2.17.1", f"{_PLUGIN}1.12.0 to 1.19.0"),
    Needs("aws-ofi-nccl", "1.12.0", "libfabric", "1.18.0", f"{_PLUGIN}1.12.0"),
    Needs("aws-ofi-nccl", "1.15.0", "libfabric", "1.22.0", f"{_PLUGIN}1.15.0 to 1.19.0"),
)

_REGRESSION = "it is slower than the releases before and after it"
KNOWN_BAD = (
    KnownBad("aws-ofi-nccl", "1.11.0", "1.11.1", _REGRESSION, f"{_PLUGIN}1.11.1"),
    KnownBad("aws-ofi-nccl", "1.12.0", "1.12.1", _REGRESSION, f"{_PLUGIN}1.12.1"),
)

BUNDLES = (
    Bundle("1.29.1", "1.19.0", source=_CLUSTER),
    Bundle("1.30.0", "1.19.0", source=_CLUSTER),
    Bundle("1.32.0", "1.21.0", source=_CLUSTER),
    Bundle("1.34.0", "1.22.0", source=_CLUSTER),
    Bundle("1.40.0", "2.1.0amzn2.0", "1.14.2"),
    Bundle("1.42.0", "2.1.0amzn3.0", "1.15.0"),
    Bundle("1.43.0", "2.1.0amzn4.0", "1.16.1", "2.17.2"),
    Bundle("1.43.1", "2.1.0amzn5.0", "1.16.2"),
    Bundle("1.43.2", "2.1.0amzn5.0", "1.16.3"),
    Bundle("1.43.3", plugin="1.16.3", source=f"{_DLAMI}2025-11-10"),
    Bundle("1.45.0", plugin="1.17.2", source=f"{_DLAMI}2026-01-02"),
    Bundle("1.45.1", plugin="1.17.2", source=f"{_DLAMI}2025-12-31"),
    Bundle("1.50.0", "2.6.0amzn1.0", "1.21.1", "3.3.0"),
    Bundle("1.51.0", "2.7.0amzn2.0", "1.22.0", "3.3.1"),
)

TESTED = (
    Tested("1.14", "2.26", "2.26"),
    Tested("1.15", "2.26", "2.26"),
    Tested("1.16", "2.27", "2.27"),
    Tested("1.17", "2.28", "2.28"),
    Tested("1.18", "2.29", "2.29"),
    Tested("1.19", "2.27", "2.29"),
    Tested("1.20", "2.30", "2.30"),
    Tested("1.21", "2.31", "2.31"),
)
"""Source: release notes of aws/aws-ofi-nccl."""
