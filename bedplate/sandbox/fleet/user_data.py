"""The scripts in an instance's user data, in the order in which cloud-init runs them."""

from __future__ import annotations

import base64
import binascii
import email
import gzip
from dataclasses import dataclass
from email.message import Message

# What cloud-init reads and this fleet has no use for: nothing here configures the machine that plays the
# node. The other type is nodeadm's on EKS: no kubelet runs here.
_NOT_RUN = ("text/cloud-config", "application/node.eks.aws")
_SCRIPTS = ("text/x-shellscript", "text/cloud-boothook")


@dataclass(frozen=True)
class UserData:
    """``scripts`` are whole texts with their ``#!`` line; ``ignored`` names the parts that are not run, with
    why.
    """

    scripts: tuple[str, ...]
    ignored: tuple[str, ...] = ()


def read_user_data(text: str) -> UserData:
    """Read user data as EC2 holds it: a MIME multipart, or one script; base64 and gzip are taken off first.

    Raises ``ValueError`` for anything that cloud-init would not run either.
    """
    text = _decoded(text).replace("\r\n", "\n")
    if not text.strip():
        return UserData(())
    if text.startswith("#!"):
        return UserData((text,))
    if text.startswith("#cloud-config"):
        return UserData((), ("text/cloud-config: not run here",))
    message = email.message_from_string(text)
    if not message.is_multipart():
        raise ValueError(f"user data is neither a script nor a MIME multipart: it begins with {text[:40]!r}")
    scripts: list[str] = []
    ignored: list[str] = []
    for part in message.walk():
        if not part.is_multipart():
            _take(part, scripts, ignored)
    return UserData(tuple(scripts), tuple(ignored))


def _take(part: Message, scripts: list[str], ignored: list[str]) -> None:
    kind = part.get_content_type()
    payload = part.get_payload(decode=True)
    body = payload.decode("utf-8") if isinstance(payload, bytes) else ""
    if kind in _SCRIPTS:
        scripts.append(body.lstrip("\n"))
    elif kind in _NOT_RUN:
        ignored.append(f"{kind}: not run here")
    else:
        raise ValueError(f"user data has a part of type {kind}, which cloud-init would not run")


def _decoded(text: str) -> str:
    head = text.lstrip()[:16]
    if head.startswith(("#", "MIME", "Content")) or not head:
        return text
    try:
        raw = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return text
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    return raw.decode("utf-8")
