"""What a user asks of a job; everything else follows from the environment file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class JobAsked:
    """None and empty where the environment's own is meant.

    ``container`` is an image as Pyxis takes it, None for programs of the node; ``mounts`` are further
    ``HOST:CONTAINER`` folders for it.
    """

    name: str
    partition: str | None = None
    nodes: int | None = None
    account: str | None = None
    hours: int | None = None
    container: str | None = None
    mounts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TrainingAsked:
    """What is trained: ``script`` is a Python file on a file system that all nodes mount.

    ``checkpoints`` is a folder, the first Lustre's own where it is None; ``python`` the interpreter that has
    torch, ``torchrun`` from PATH where it is None.
    """

    script: str
    arguments: tuple[str, ...] = ()
    checkpoints: str | None = None
    python: str | None = None
