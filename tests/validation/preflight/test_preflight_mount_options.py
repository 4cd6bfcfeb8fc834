"""Mount options that a kind of file system is known to take."""

from __future__ import annotations

import pytest

from bedplate.node.bootstrap.mounting import DEFAULT_OPTIONS, NFS_OPTIONS_OF_EFS
from bedplate.validation.preflight.mount_options import unknown_options


@pytest.mark.parametrize("kind", DEFAULT_OPTIONS)
def test_what_nodes_use_by_themselves_is_known(kind: str) -> None:
    """No option of the node program's own would be told as unknown."""
    options = (*DEFAULT_OPTIONS[kind], *(NFS_OPTIONS_OF_EFS if kind == "efs" else ()))
    assert list(unknown_options(kind=f"existing-{kind}", options=options)) == []


@pytest.mark.parametrize(
    ("kind", "option", "nearest"),
    [
        ("existing-lustre", "flcok", "flock"),
        ("existing-lustre", "nconnect=16", None),
        ("existing-openzfs", "nconect=16", "nconnect"),
        ("existing-openzfs", "tls", None),
        ("existing-efs", "accespoint=fsap-1", "accesspoint"),
    ],
)
def test_what_a_kind_does_not_take_is_told_with_the_nearest(
    kind: str, option: str, nearest: str | None
) -> None:
    """A slip, or an option of another kind; its value is not looked at."""
    assert list(unknown_options(kind=kind, options=[option, "noatime"])) == [(option, nearest)]


def test_comments_of_fstab_are_any() -> None:
    """What begins with x- is for systemd and others."""
    assert list(unknown_options(kind="existing-efs", options=["x-systemd.automount"])) == []
