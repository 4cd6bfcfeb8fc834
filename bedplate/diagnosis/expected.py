"""What a deploy promised of a node beside its hardware, and what was asked of it."""

from __future__ import annotations

from dataclasses import dataclass

BOOTSTRAP_PROGRAM_STEP = "install_program"
"""The step of the bootstrap that every node needs: without it nothing would have answered."""


@dataclass(frozen=True)
class ExpectedAssociation:
    """A folder of a Lustre file system that is tied to S3: ``path`` from the file system's root,
    ``data_repository`` as ``s3://bucket/prefix``, and the events (``new``, ``changed``, ``deleted``) that
    travel by themselves.
    """

    path: str
    data_repository: str
    imports: tuple[str, ...] = ()
    exports: tuple[str, ...] = ()

    @property
    def automatic(self) -> bool:
        """Whether anything new shows by itself on the other side, in either direction."""
        return "new" in self.imports or "new" in self.exports


@dataclass(frozen=True)
class ExpectedMount:
    """One file system as the node must have it: ``kind`` is lustre, openzfs or efs, ``source`` what mount(8)
    was given, ``efa`` whether Lustre must go over EFA.

    ``share_gb_per_s`` is the file system's own throughput over the nodes that may use it at once, None where
    it is not known.
    """

    kind: str
    source: str
    path: str
    efa: bool = False
    share_gb_per_s: float | None = None
    associations: tuple[ExpectedAssociation, ...] = ()

    @property
    def exports_its_root(self) -> bool:
        """Whether whatever is written anywhere in it goes to a bucket."""
        return any(each.path == "/" and each.exports for each in self.associations)


@dataclass(frozen=True)
class XidPolicy:
    """What an operator makes of an Xid: one of ``bedplate.hardware.xids.policy.POLICIES``, and why."""

    code: int
    policy: str
    reason: str


@dataclass(frozen=True)
class NodeExpectation:
    """The promises. ``lnet_efas`` is how many EFA devices LNet must use (0: none of the mounts is over EFA);
    ``local_nvme`` is ``raid0`` or ``none``; ``bootstrap_steps`` are those that must be done.

    ``dcgm_level`` is the level that was asked for (1 to 4); ``throughput`` whether matrix throughput and
    memory bandwidth of the GPUs, the EFA devices' loopback, NVMe and file systems are measured under load.
    ``xid_policies`` are the environment's own, in place of the project's. ``kubernetes`` says that the nodes
    are a Kubernetes cluster's, and owe it what they offer to pods.
    """

    bootstrap_steps: tuple[str, ...] = (BOOTSTRAP_PROGRAM_STEP,)
    mounts: tuple[ExpectedMount, ...] = ()
    lnet_efas: int = 0
    local_nvme: str = "none"
    dcgm_level: int = 2
    throughput: bool = False
    xid_policies: tuple[XidPolicy, ...] = ()
    kubernetes: bool = False
