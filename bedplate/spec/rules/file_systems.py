"""The file systems of a draft, by kind, each with its place in the file."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import (
    ExistingEfs,
    ExistingLustre,
    ExistingOpenZfs,
    FileSystem,
    Lustre,
    LustreTiering,
)
from bedplate.spec.problems import Path


def place_of(index: int, *rest: str | int) -> Path:
    """The path in the file of a file system, or of something in it."""
    return ("storage", "file_systems", index, *rest)


def lustres(draft: Draft) -> Iterator[tuple[int, Lustre]]:
    """The new Lustre file systems on SSD."""
    for index, each in draft.file_systems.items():
        if isinstance(each, Lustre):
            yield index, each


def tierings(draft: Draft) -> Iterator[tuple[int, LustreTiering]]:
    """The new Lustre file systems with Intelligent-Tiering."""
    for index, each in draft.file_systems.items():
        if isinstance(each, LustreTiering):
            yield index, each


def existing_ones(draft: Draft) -> Iterator[tuple[int, ExistingLustre | ExistingOpenZfs | ExistingEfs]]:
    """The file systems that are there already."""
    for index, each in draft.file_systems.items():
        if isinstance(each, ExistingLustre | ExistingOpenZfs | ExistingEfs):
            yield index, each


def wants_efa(each: FileSystem) -> bool:
    """Whether clients reach the file system by EFA."""
    return bool(getattr(each, "efa", False))
