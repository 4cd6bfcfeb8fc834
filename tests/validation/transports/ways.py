"""The ways to nodes, each over nodes that behave as a test wants: what the contract test runs on."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from bedplate.validation.transports.desk import DeskLimits, DeskTransport
from bedplate.validation.transports.local import LocalNode, LocalTransport
from bedplate.validation.transports.slurm import SlurmLimits, SlurmTransport
from bedplate.validation.transports.transport import Transport
from tests.support.desk_thread import serving_desk
from tests.support.memory_bucket import MemoryBucket
from tests.validation.transports.fake_slurm import HEAD, FakeSlurm
from tests.validation.transports.kubernetes.played_cluster import PlayedCluster, transport_over
from tests.validation.transports.test_ssm_transport import node, transport_with

BEHAVIOURS = ("well", "empty", "cut", "foreign", "stale", "failed", "traceback", "never", "unknown")
_PROGRAM = Path(__file__).parent / "behaving_node.py"


def ssm(behave: Mapping[int, str], _folder: Path, _stack: ExitStack) -> Transport:
    """SSM over fakes of its API."""
    transport, _ = transport_with(**{f"n{number}": how for number, how in behave.items()})
    return transport


def local(behave: Mapping[int, str], folder: Path, _stack: ExitStack) -> Transport:
    """Child processes of this machine."""
    nodes = {
        node(number): LocalNode(
            environment={"BEHAVE": behave.get(number, "well"), "INSTANCE": node(number)},
            program=(sys.executable, str(_PROGRAM)),
        )
        for number in _there(behave)
    }
    return LocalTransport(nodes, folder)


def desk(behave: Mapping[int, str], folder: Path, stack: ExitStack) -> Transport:
    """Desks that serve in threads, over a bucket in memory."""
    bucket = MemoryBucket()
    for number in _there(behave):
        environment = {"BEHAVE": behave.get(number, "well"), "INSTANCE": node(number)}
        program = (sys.executable, str(_PROGRAM))
        desk = serving_desk(bucket, node(number), folder=folder, program=program, environment=environment)
        stack.enter_context(desk)
    while len(bucket.keys("alive")) < len(_there(behave)):
        time.sleep(0.01)
    limits = DeskLimits(first_pause=0.05, most_pause=0.2)
    return DeskTransport(bucket.clients, "results", limits=limits)


def slurm(behave: Mapping[int, str], folder: Path, _stack: ExitStack) -> Transport:
    """From a head node that this machine plays, by clients of Slurm that start the nodes' programs."""
    played = FakeSlurm(folder, {node(number): behave.get(number, "well") for number in _there(behave)}, {})
    transport = SlurmTransport(played.head, HEAD, "25.05", limits=SlurmLimits(launch=0.5))
    transport.know_nodes(FakeSlurm.known([node(number) for number in range(1, 10)]))
    return transport


def kubernetes(behave: Mapping[int, str], _folder: Path, _stack: ExitStack) -> Transport:
    """A cluster in memory, whose kubelets start the nodes' programs."""
    return transport_over(
        PlayedCluster({node(number): behave.get(number, "well") for number in _there(behave)})
    )


def _there(behave: Mapping[int, str]) -> list[int]:
    return [number for number in range(1, 10) if behave.get(number) != "unknown"]


WAYS = {"ssm": ssm, "local": local, "desk": desk, "slurm": slurm, "kubernetes": kubernetes}
