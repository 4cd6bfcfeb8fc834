"""Install what an image lacks, from the distribution's own repositories."""

from __future__ import annotations

from typing import Sequence, Tuple

from bedplate.node.bootstrap.attempts import SHORT_PAUSES, must_retry
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.readers.pairs import read_pairs
from bedplate.node.bootstrap.step import StepFailedError

_INSTALL_SECONDS = 300.0
# Another program may hold the lock for minutes at a first boot.
_APT = ("apt-get", "-o", "DPkg::Lock::Timeout=240", "-q")


def distribution(host: Host) -> Tuple[str, str]:
    """``ID`` and ``VERSION_ID`` of os-release(5), e.g. ``("ubuntu", "24.04")``; empty where unknown."""
    for path in ("/etc/os-release", "/usr/lib/os-release"):
        found = read_pairs(host.read(path) or "")
        if found.get("ID"):
            return found["ID"], found.get("VERSION_ID", "")
    return "", ""


def ensure(host: Host, *, program: str, apt: str, dnf: str) -> None:
    """See to it that ``program`` is there, by the package of that name. Raises ``StepFailedError``."""
    if host.has(program):
        return
    install(host, apt=(apt,) if apt else (), dnf=(dnf,) if dnf else ())
    if not host.has(program):
        raise StepFailedError(f"{program} is missing, though its package was installed")


def install(host: Host, *, apt: Sequence[str], dnf: Sequence[str]) -> None:
    """Install packages (none where the distribution has none). Raises ``StepFailedError``."""
    name, version = distribution(host)
    if name in ("ubuntu", "debian") and apt:
        _retry(host, *_APT, "update")
        _retry(host, *_APT, "-y", "--no-install-recommends", "install", *apt)
    elif name in ("amzn", "rhel", "rocky") and dnf:
        _retry(host, "dnf", "-q", "-y", "install", *dnf)
    else:
        system = f"{name or 'this distribution'} {version}".strip()
        raise StepFailedError(
            f"{' '.join(apt or dnf)} is missing, and {system} has no package of it that this bootstrap knows:"
            " put it into the image"
        )


def install_files(host: Host, paths: Sequence[str]) -> None:
    """Install package files, all of one kind, with what they need. Raises ``StepFailedError``.

    Where the files and the image hold all of that, no repository is asked on Ubuntu.
    """
    name, version = distribution(host)
    if name in ("ubuntu", "debian") and all(path.endswith(".deb") for path in paths):
        # Without the last, dpkg would ask about a configuration file that is not the package's.
        options = ("-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold")
        words = (*_APT, *options, "install", *paths)
        if not host.run(*words, seconds=_INSTALL_SECONDS).ok:
            _retry(host, *_APT, "update")
            _retry(host, *words)
    elif name in ("amzn", "rhel", "rocky") and all(path.endswith(".rpm") for path in paths):
        _retry(host, "dnf", "-q", "-y", "install", *paths)
    else:
        system = f"{name or 'this distribution'} {version}".strip()
        files = ", ".join(path.rpartition("/")[2] for path in paths)
        raise StepFailedError(
            f"{files}: {system} takes no such packages; Ubuntu takes .deb, Amazon Linux .rpm"
        )


def _retry(host: Host, *argv: str) -> None:
    must_retry(host, *argv, seconds=_INSTALL_SECONDS, pauses=SHORT_PAUSES)
