"""The fleet: nodes boot, answer commands, and carry the faults that the plan gives them."""

from __future__ import annotations

import json
import shutil
import threading
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bedplate.sandbox.fleet import allocation
from bedplate.sandbox.fleet.binding import Binding, bind, write_injected
from bedplate.sandbox.fleet.block_layout import settle_disks
from bedplate.sandbox.fleet.boot import BootReport, run_user_data
from bedplate.sandbox.fleet.daemons import Daemons
from bedplate.sandbox.fleet.effects import Effects
from bedplate.sandbox.fleet.errors import FleetError, NodeUnreachable, UnknownNode
from bedplate.sandbox.fleet.faults import FaultPlan
from bedplate.sandbox.fleet.hardware_facts import read_hardware
from bedplate.sandbox.fleet.host_programs import write_host_programs
from bedplate.sandbox.fleet.layout import lay_out, node_environment
from bedplate.sandbox.fleet.pingpong import write_loopbacks
from bedplate.sandbox.fleet.services import (
    NodeServices,
    S3Access,
    S3Fetch,
    S3List,
    S3Put,
    S3Remove,
    refuse_list,
    refuse_put,
    refuse_remove,
)
from bedplate.sandbox.fleet.shell import ShellResult, half_of, run_script
from bedplate.sandbox.fleet.sysfs import write_devices
from bedplate.sandbox.fleet.truth import ASSOCIATIONS_FILE, NodeTruth, address_key

_BOOTS_AT_ONCE = 4
_LONGEST_BOOT_SECONDS = 900


@dataclass(frozen=True)
class _Node:
    truth: NodeTruth
    environment: Mapping[str, str]
    boot: Future[BootReport]


class Fleet:
    """Simulated nodes below ``state_dir/fleet``; safe to call from many threads.

    Faults are bound to compute nodes by the order of their private addresses. The binding follows the fleet
    while it grows and stays fixed from the first command on, so that a node launched later is healthy.
    ``state_dir/injected.json`` always says what is bound to which instance.
    """

    def __init__(self, state_dir: Path, faults: FaultPlan) -> None:
        self._state_dir = Path(state_dir).resolve()
        self._folder = self._state_dir / "fleet"
        self._plan = faults
        self._lock = threading.RLock()
        self._nodes: dict[str, _Node] = {}
        self._fixed: Binding | None = None
        if self._folder.exists():
            shutil.rmtree(self._folder)
        self._folder.mkdir(parents=True)
        write_host_programs(self._folder)
        self._services = NodeServices()
        self._daemons = Daemons()
        self._pool = ThreadPoolExecutor(_BOOTS_AT_ONCE, thread_name_prefix="fleet-boot")
        self._settle()

    def boot(
        self,
        instance_id: str,
        *,
        instance_type: str,
        role: str,
        private_ip: str,
        slurm_name: str | None,
        user_data: str,
        tags: Mapping[str, str],
        s3_fetch: S3Fetch,
        s3_put: S3Put = refuse_put,
        s3_list: S3List = refuse_list,
        s3_remove: S3Remove = refuse_remove,
        partitions: Sequence[str] = (),
        efa_count: int | None = None,
    ) -> None:
        """Launch a node and return at once; its user data runs in the background, and commands wait for it.

        ``role`` is ``compute`` or ``login``; ``slurm_name`` is the node's name in Slurm, None where Slurm
        does not know it (a login node); ``partitions`` are those that it is in at first; ``user_data`` is as
        EC2 holds it; ``efa_count`` is how many EFAs the launch attaches, None for as many as the type
        usually has. Raises ``UnknownInstanceType`` for
        a compute node's type that the hardware table lacks, ``FleetError`` for a role that there is not or an
        instance that runs already.
        """
        if role not in ("compute", "login"):
            raise FleetError(f"role is {role!r}; allowed are compute and login", error_id="SBX-104")
        truth = NodeTruth(
            instance_id=instance_id,
            hostname="ip-" + private_ip.replace(".", "-"),
            private_ip=private_ip,
            slurm_name=slurm_name,
            role=role,
            instance_type=instance_type,
            partitions=tuple(partitions),
            boot_id=str(uuid.uuid4()),
            booted_at=datetime.now(UTC).isoformat(timespec="seconds"),
            seed=self._plan.seed,
            hardware=read_hardware(instance_type, role=role, efa_count=efa_count),
            folder=self._folder / instance_id,
        )
        with self._lock:
            if instance_id in self._nodes:
                raise FleetError(f"instance {instance_id} runs already", error_id="SBX-105")
            found = self._services.add(
                instance_id,
                s3=S3Access(s3_fetch, s3_put, s3_list, s3_remove),
                metadata=_metadata(truth, tags),
            )
            environment = node_environment(truth, found)
            truth.folder.mkdir()
            lay_out(truth)
            boot: Future[BootReport] = Future()
            self._nodes[instance_id] = _Node(truth, environment, boot)
            # Before the scripts begin: a node that comes up finds its devices as they will stay.
            self._settle()
            self._pool.submit(self._boot, boot, truth=truth, user_data=user_data, environment=environment)

    def terminate(self, instance_id: str) -> None:
        """Take a node away with all its files; nothing happens where no such node runs."""
        with self._lock:
            node = self._nodes.pop(instance_id, None)
            if node is None:
                return
            node.boot.cancel()
            self._services.remove(instance_id)
            if not any(each.truth.role == "compute" for each in self._nodes.values()):
                self._fixed = None
            self._settle()
        if not node.boot.cancelled():
            node.boot.result(timeout=_LONGEST_BOOT_SECONDS)
        self._daemons.stop(instance_id)
        shutil.rmtree(node.truth.folder, ignore_errors=True)

    def run_shell(self, instance_id: str, script: str, timeout_s: int) -> ShellResult:
        """Run a script on a node as root, as the SSM agent does, after the node has booted.

        The agent does not hang on user data: where that failed, commands run and find what it left. Raises
        ``UnknownNode``; ``NodeUnreachable`` where a fault keeps the agent from answering.
        """
        node = self._node(instance_id)
        node.boot.result(timeout=_LONGEST_BOOT_SECONDS)
        self.fix()
        node = self._node(instance_id)
        if node.truth.effects.unreachable:
            raise NodeUnreachable(instance_id, "the agent lost its connection")
        result = run_script(
            script=script, folder=node.truth.root, environment=node.environment, timeout_s=timeout_s
        )
        return half_of(result) if node.truth.effects.agent_lost else result

    def fix(self) -> None:
        """Faults stay with the nodes that they are bound to now, as from the first command on: for a command
        that reaches a node by another way than ``run_shell``.
        """
        with self._lock:
            if self._fixed is None:
                self._fixed = self._bind()

    def inject(self, plan: FaultPlan) -> None:
        """Take all faults away and bind others to the nodes that run now, as the first command would.

        What a bootstrap did stays as it was: the new faults come after it. Jobs and drains are ended too.
        """
        with self._lock:
            self._plan = plan
            for instance_id, node in self._nodes.items():
                allocation.vacate(node.truth.folder)
                truth = replace(node.truth, seed=plan.seed)
                truth.write()
                self._nodes[instance_id] = replace(node, truth=truth)
            self._fixed = None
            self._settle()
            self._fixed = self._bind()

    def answers(self, instance_id: str) -> bool:
        """Whether the node's agent is connected now; False while it boots. Raises ``UnknownNode``."""
        node = self._node(instance_id)
        return node.boot.done() and not node.truth.effects.unreachable

    def truth(self, instance_id: str) -> NodeTruth:
        """What the node really is now. Raises ``UnknownNode``."""
        return self._node(instance_id).truth

    def environment(self, instance_id: str) -> Mapping[str, str]:
        """The environment of what runs on the node, once it has booted; faults stay where they are from then
        on, as with ``run_shell``. Raises ``UnknownNode``; ``NodeUnreachable`` where a fault took it away.
        """
        self.boot_report(instance_id)
        self.fix()
        node = self._node(instance_id)
        if node.truth.effects.unreachable:
            raise NodeUnreachable(instance_id, "the node lost its connection")
        return node.environment

    def boot_report(self, instance_id: str) -> BootReport:
        """How the node's user data ended; waits for it. Raises ``UnknownNode``."""
        return self._node(instance_id).boot.result(timeout=_LONGEST_BOOT_SECONDS)

    def put_in_partitions(self, instance_id: str, partitions: Sequence[str]) -> None:
        """Move a node to other Slurm partitions; nothing happens where no such node runs."""
        with self._lock:
            node = self._nodes.get(instance_id)
            if node is None or node.truth.partitions == tuple(partitions):
                return
            truth = replace(node.truth, partitions=tuple(partitions))
            truth.write()
            self._nodes[instance_id] = replace(node, truth=truth)

    def tie(self, associations: Sequence[Mapping[str, Any]]) -> None:
        """Which folders are tied to S3 now: ``[{"file_system_id", "path", "bucket", "prefix", "imports",
        "exports"}]``, the last two as FSx writes events (``NEW``, …).
        """
        target = self._folder / ASSOCIATIONS_FILE
        partial = target.with_name(f".{ASSOCIATIONS_FILE}")
        partial.write_text(json.dumps(list(associations)), encoding="utf-8")
        partial.replace(target)

    def occupy(self, instance_id: str) -> None:
        """Put a user's job on the node, as Slurm sees it. Raises ``UnknownNode``."""
        allocation.occupy(self._node(instance_id).truth.folder)

    def compute_nodes(self) -> list[str]:
        """The compute nodes that run, in the order of their private addresses: that by which faults and
        leaves count them.
        """
        with self._lock:
            compute = [node.truth for node in self._nodes.values() if node.truth.role == "compute"]
        return [truth.instance_id for truth in sorted(compute, key=lambda one: address_key(one.private_ip))]

    def close(self) -> None:
        """Stop what runs in the background; the files stay for whoever looks into them."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._daemons.close()
        self._services.close()

    def _node(self, instance_id: str) -> _Node:
        with self._lock:
            if instance_id not in self._nodes:
                raise UnknownNode(instance_id)
            return self._nodes[instance_id]

    def _boot(
        self,
        report: Future[BootReport],
        *,
        truth: NodeTruth,
        user_data: str,
        environment: Mapping[str, str],
    ) -> None:
        """Run user data and report, unless the node was terminated before its turn came."""
        if report.set_running_or_notify_cancel():
            try:
                found = run_user_data(truth=truth, user_data=user_data, environment=environment)
                self._daemons.start(truth, environment)
                report.set_result(found)
            except BaseException as error:
                report.set_exception(error)
                raise

    def _bind(self) -> Binding:
        return bind(self._plan.faults, self.compute_nodes())

    def _settle(self) -> None:
        """Bind faults to the nodes that run now, and write what changed. The caller holds the lock."""
        binding = self._fixed or self._bind()
        for instance_id, node in self._nodes.items():
            effects = binding.effects.get(instance_id, Effects())
            if effects != node.truth.effects:
                truth = replace(node.truth, effects=effects)
                truth.write()
                write_loopbacks(truth)
                if effects.lost_efas != node.truth.effects.lost_efas:
                    write_devices(truth)
                settle_disks(truth)
                self._nodes[instance_id] = replace(node, truth=truth)
        write_injected(self._state_dir, self._plan, binding)


def _metadata(truth: NodeTruth, tags: Mapping[str, str]) -> dict[str, str]:
    """The instance metadata paths that programs read."""
    return {
        "meta-data/instance-id": truth.instance_id,
        "meta-data/instance-type": truth.instance_type,
        "meta-data/local-ipv4": truth.private_ip,
        "meta-data/local-hostname": truth.hostname,
        "meta-data/hostname": truth.hostname,
        **{f"meta-data/tags/instance/{name}": value for name, value in tags.items()},
    }
