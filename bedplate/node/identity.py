"""Who this node is: its EC2 instance id, from the metadata service or from what cloud-init wrote down."""

from __future__ import annotations

import os
import re
import socket
import urllib.error
import urllib.request
from pathlib import Path

IMDS_ENDPOINT = "http://169.254.169.254"
_TIMEOUT_SECONDS = 3.0
_INSTANCE_ID = re.compile(r"^i-[0-9a-f]{8,17}$")


class IdentityUnknownError(Exception):
    """The node cannot say who it is, so no answer of it could be trusted."""


def node_root() -> str:
    """The prefix of absolute paths: empty on a real node, the node's own tree in the simulated fleet."""
    return os.environ.get("BEDPLATE_ROOT", "")


def is_simulated() -> bool:
    """Whether this node says of itself that it is simulated."""
    return os.environ.get("BEDPLATE_SIMULATED", "") == "1"


def instance_id() -> str:
    """The EC2 instance id, e.g. ``i-0123456789abcdef0``.

    A simulated node (``BEDPLATE_ROOT`` set, no metadata endpoint named) reads its file only: the metadata
    service of the machine that plays it would answer with a wrong identity. Raises ``IdentityUnknownError``.
    """
    endpoint = os.environ.get("BEDPLATE_IMDS_ENDPOINT", "")
    if endpoint:
        return _checked(_from_imds(endpoint), endpoint)
    path = Path(node_root() + "/var/lib/cloud/data/instance-id")
    if node_root():
        return _checked(_from_file(path), str(path))
    try:
        return _checked(_from_imds(IMDS_ENDPOINT), IMDS_ENDPOINT)
    except IdentityUnknownError:
        return _checked(_from_file(path), str(path))


def hostname() -> str:
    """The node's host name; a simulated node has its own in etc/hostname."""
    if node_root():
        return _text(Path(node_root() + "/etc/hostname")) or socket.gethostname()
    return socket.gethostname()


def boot_id() -> str:
    """The kernel's id of this boot, or empty where it has none; a node's own root goes first."""
    for root in dict.fromkeys((node_root(), "")):
        text = _text(Path(root + "/proc/sys/kernel/random/boot_id"))
        if text:
            return text
    return ""


def _from_imds(endpoint: str) -> str:
    """IMDSv2: a token by PUT, then the id with the token."""
    if not endpoint.startswith("http://"):
        raise IdentityUnknownError(f"the metadata endpoint must be http://…, not {endpoint!r}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    base = endpoint.rstrip("/")
    try:
        ask = urllib.request.Request(  # noqa: S310 - the scheme was checked above
            base + "/latest/api/token", method="PUT", headers={"X-aws-ec2-metadata-token-ttl-seconds": "60"}
        )
        with opener.open(ask, timeout=_TIMEOUT_SECONDS) as answer:
            token = answer.read().decode("ascii")
        get = urllib.request.Request(  # noqa: S310
            base + "/latest/meta-data/instance-id", headers={"X-aws-ec2-metadata-token": token}
        )
        with opener.open(get, timeout=_TIMEOUT_SECONDS) as answer:
            return str(answer.read().decode("ascii")).strip()
    except (OSError, ValueError, urllib.error.URLError) as error:
        raise IdentityUnknownError(
            f"the instance metadata service at {base} gave no instance id: {error}"
        ) from error


def _from_file(path: Path) -> str:
    text = _text(path)
    if not text:
        raise IdentityUnknownError(f"no instance id in {path}")
    return text


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _checked(value: str, where: str) -> str:
    if not _INSTANCE_ID.match(value):
        raise IdentityUnknownError(f"{where} gave {value[:60]!r}, which is no EC2 instance id")
    return value
