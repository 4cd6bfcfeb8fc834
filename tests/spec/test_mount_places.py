"""Where file systems may be mounted: not over what the operating system of an image keeps there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bedplate.spec.problems import Problem

SECTION = "storage:\n  file_systems:\n"


# Top folders of Ubuntu 24.04 and Amazon Linux 2023. Ubuntu has the SSM agent under /snap.
@pytest.mark.parametrize(
    "top",
    [
        "bin",
        "boot",
        "dev",
        "etc",
        "lib",
        "lib32",
        "lib64",
        "libx32",
        "opt",
        "proc",
        "root",
        "run",
        "sbin",
        "snap",
        "sys",
        "tmp",
        "usr",
        "var",
    ],
)
def test_nothing_is_mounted_over_the_system(
    top: str, demo_text: str, problems_of: Callable[[str], list[Problem]]
) -> None:
    """Each folder of the system is refused, and what lies in it."""
    for mount in (f"/{top}", f"/{top}/data"):
        text = demo_text.replace(SECTION, f"{SECTION}    - {{kind: efs, mount: {mount}}}\n", 1)
        assert [each.id for each in problems_of(text)] == ["STO-008"]


@pytest.mark.parametrize("mount", ["/home", "/home/research", "/mnt/efs", "/srv", "/media/data", "/library"])
def test_other_places_are_let_through(
    mount: str, demo_text: str, problems_of: Callable[[str], list[Problem]]
) -> None:
    """Homes, the folders that are there to be mounted on, and names that only begin alike are allowed."""
    assert SECTION in demo_text
    text = demo_text.replace(SECTION, f"{SECTION}    - {{kind: efs, mount: {mount}}}\n", 1)
    assert problems_of(text) == []
