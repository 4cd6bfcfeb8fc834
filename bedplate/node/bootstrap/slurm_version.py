"""Which version of Slurm the headers are of, and which the daemon; a SPANK plugin must be of the daemon's."""

from __future__ import annotations

import re
from typing import Optional

from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.step import StepFailedError

_HEADERS = ("slurm_version.h", "slurm.h")
_NUMBER = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+SLURM_VERSION_NUMBER[ \t]+0x([0-9a-fA-F]{6})\b", re.MULTILINE
)
_SAID = re.compile(r"^\S+ (\d+)\.(\d+)\.(\d+)", re.MULTILINE)


def version_of_header(text: str) -> Optional[str]:
    """``25.11.2`` of ``#define SLURM_VERSION_NUMBER 0x190b02``; None where there is no such line."""
    found = _NUMBER.search(text)
    if found is None:
        return None
    number = int(found[1], 16)
    return _written(number >> 16, number >> 8 & 0xFF, number & 0xFF)


def version_said(text: str) -> Optional[str]:
    """``25.11.2`` of ``slurm 25.11.2``, which ``slurmd -V`` prints; None where it is nothing of the kind."""
    found = _SAID.search(text)
    return None if found is None else _written(int(found[1]), int(found[2]), int(found[3]))


def matching_version(host: Host, slurm: str) -> str:
    """The version of the headers below ``slurm``, which is the daemon's. Raises ``StepFailedError``.

    Slurm loads no plugin of another major release, which its first two numbers name (spank(8)).
    """
    folder = f"{slurm}/include/slurm"
    texts = [host.read(f"{folder}/{name}") or "" for name in _HEADERS]
    headers = next((found for found in map(version_of_header, texts) if found), None)
    if headers is None:
        raise StepFailedError(
            f"{folder} has no headers of Slurm to build Pyxis against: name the Slurm version that the image "
            "has, or take an image with the headers"
        )
    said = must(host, str(host.path(f"{slurm}/sbin/slurmd")), "-V").stdout
    daemon = version_said(said)
    if daemon is None or daemon.split(".")[:2] != headers.split(".")[:2]:
        raise StepFailedError(
            f"the headers in {folder} are of Slurm {headers}, slurmd there says {said.strip()!r}: Slurm "
            "would not load what is built with them"
        )
    return headers


def _written(*numbers: int) -> str:
    major, minor, micro = numbers
    return f"{major}.{minor:02d}.{micro}"
