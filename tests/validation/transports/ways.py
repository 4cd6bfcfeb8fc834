"""The ways to nodes, each over nodes that behave as a test wants: what the contract test runs on."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from bedplate.validation.transports.local import LocalNode, LocalTransport
from bedplate.validation.transports.transport import Transport
from tests.validation.transports.test_ssm_transport import node, transport_with

BEHAVIOURS = ("well", "empty", "cut", "foreign", "stale", "failed", "traceback", "never", "unknown")
_PROGRAM = Path(__file__).parent / "behaving_node.py"


def ssm(behave: Mapping[int, str], _folder: Path) -> Transport:
    """SSM over fakes of its API."""
    transport, _ = transport_with(**{f"n{number}": how for number, how in behave.items()})
    return transport


def local(behave: Mapping[int, str], folder: Path) -> Transport:
    """Child processes of this machine."""
    nodes = {
        node(number): LocalNode(
            environment={"BEHAVE": behave.get(number, "well"), "INSTANCE": node(number)},
            program=(sys.executable, str(_PROGRAM)),
        )
        for number in range(1, 10)
        if behave.get(number) != "unknown"
    }
    return LocalTransport(nodes, folder)


WAYS = {"ssm": ssm, "local": local}
