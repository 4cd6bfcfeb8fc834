"""``efa-counters``: the counters of this node's RDMA devices now, unjudged."""

from __future__ import annotations

import argparse
from typing import Any, Dict

from bedplate.node.infiniband import infiniband_devices, infiniband_folder

HELP = "the counters of the RDMA devices now"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""
    del parser


def run(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Every device with its counters; null where sysfs is not there."""
    del arguments
    return {"infiniband": infiniband_devices(infiniband_folder())}
