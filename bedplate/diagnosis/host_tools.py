"""The command lines that tell of a node's clock, huge pages, EFA loopback and GDRCopy; see
``bedplate.diagnosis.tools``.
"""

from __future__ import annotations

from collections.abc import Mapping

CLOCK = ("chronyc", "-c", "tracking")
HUGE_PAGES = ("sysctl", "-n", "vm.nr_hugepages")
IBV_DEVICES = ("ibv_devices",)

HOST_TOOLS = (CLOCK, HUGE_PAGES, IBV_DEVICES)

GDRCOPY_SANITY = ("gdrcopy_sanity",)
GDRCOPY_COPYBW = ("gdrcopy_copybw", "-s", "16777216", "-c", "16777216")

LOOPBACK_BYTES = 16 * 1024**2
LOOPBACK_ITERATIONS = 100
LOOPBACK_ENVIRONMENT: Mapping[str, str] = {"FI_EFA_ENABLE_SHM_TRANSFER": "0"}
"""Without it libfabric moves what stays on the host through shared memory, and no device is tested
(awslabs/awsome-distributed-ai, pull request 1088). ``FI_EFA_IFACE`` is set beside it, to the device's name.
"""
_FIRST_PORT = 47600


def loopback_argv(*, fabric: str, domain: str, index: int) -> tuple[str, ...]:
    """The server of a loopback over one libfabric domain (its name with the suffix: ``rdmap85s0-rdm``).

    Both ends are given the same words; ``-B`` is the port on which the server waits. Source: ofiwg/libfabric
    ``util/pingpong.c``.
    """
    return (*_both_ends(fabric, domain), "-B", str(_FIRST_PORT + index))


def loopback_client_argv(*, fabric: str, domain: str, index: int) -> tuple[str, ...]:
    """The client of the same loopback, which prints what was measured."""
    return (*_both_ends(fabric, domain), "-P", str(_FIRST_PORT + index), "127.0.0.1")


def _both_ends(fabric: str, domain: str) -> tuple[str, ...]:
    options = ("-e", "rdm", "-p", "efa", "-f", fabric, "-d", domain)
    return ("fi_pingpong", *options, "-S", str(LOOPBACK_BYTES), "-I", str(LOOPBACK_ITERATIONS))
