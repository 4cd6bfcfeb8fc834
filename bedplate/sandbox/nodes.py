"""What the AWS side of the sandbox asks of the simulated nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

Role = Literal["compute", "login"]


class ShellResult(Protocol):
    """What a script on a node left behind."""

    @property
    def stdout(self) -> str:
        """Everything the script printed."""

    @property
    def stderr(self) -> str:
        """Everything the script complained about."""

    @property
    def rc(self) -> int | None:
        """The exit status; None where the script was killed at its time limit."""


class NodeFleet(Protocol):
    """Simulated nodes, by EC2 instance id. ``bedplate.sandbox.fleet.Fleet`` is the real one."""

    def boot(
        self,
        instance_id: str,
        *,
        instance_type: str,
        role: Role,
        private_ip: str,
        slurm_name: str | None,
        user_data: str,
        tags: Mapping[str, str],
        s3_fetch: Callable[[str, str], bytes],
        s3_put: Callable[[str, str, bytes], None],
        s3_list: Callable[[str, str, str], Sequence[Any]] = ...,
        s3_remove: Callable[[str, str], None] = ...,
        partitions: Sequence[str] = (),
        efa_count: int | None = None,
    ) -> None:
        """Build a node and run its user data; returns when the node is up.

        ``efa_count`` is how many EFAs the launch attaches, None for as many as the type usually has.
        """

    def put_in_partitions(self, instance_id: str, partitions: Sequence[str]) -> None:
        """Tell a node which Slurm partitions it is in; nothing happens where no such node runs."""

    def tie(self, associations: Sequence[Mapping[str, Any]]) -> None:
        """Which folders of Lustre are tied to S3 now; see ``bedplate.sandbox.fleet.Fleet.tie``."""

    def terminate(self, instance_id: str) -> None:
        """Take a node away."""

    def compute_nodes(self) -> list[str]:
        """The compute nodes that run, in the order of their private addresses."""

    def fix(self) -> None:
        """A command has reached a node by another way than ``run_shell``: faults stay where they are."""

    def run_shell(self, instance_id: str, script: str, timeout_s: int) -> ShellResult:
        """Run a script on a node as root."""
