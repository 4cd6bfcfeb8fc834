"""A fence round the test process: it can talk to itself and to loopback, and to nothing else."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock


class OutsideFenceError(OSError):
    """A test tried to reach another machine."""


def is_loopback(host: object) -> bool:
    """Whether a host, as given to ``connect`` or ``getaddrinfo``, stays on this machine."""
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    text = host.decode() if isinstance(host, bytes) else str(host)
    if text.lower().rstrip(".").endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(text.split("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


@contextmanager
def fenced() -> Iterator[None]:
    """Refuse every connection and name look-up that would leave this machine, with ``OutsideFenceError``."""
    connect, connect_ex, getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def guard(sock: socket.socket, address: Any) -> None:
        if sock.family in (socket.AF_INET, socket.AF_INET6) and not is_loopback(address[0]):
            raise OutsideFenceError(f"a test tried to connect to {address[0]}; tests stay on this machine")

    def guarded_connect(sock: socket.socket, address: Any) -> None:
        guard(sock, address)
        connect(sock, address)

    def guarded_connect_ex(sock: socket.socket, address: Any) -> int:
        guard(sock, address)
        return connect_ex(sock, address)

    def guarded_getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_loopback(host):
            raise OutsideFenceError(f"a test tried to look up {host!r}; tests stay on this machine")
        return getaddrinfo(host, *args, **kwargs)

    with (
        mock.patch.object(socket.socket, "connect", guarded_connect),
        mock.patch.object(socket.socket, "connect_ex", guarded_connect_ex),
        mock.patch.object(socket, "getaddrinfo", guarded_getaddrinfo),
    ):
        yield
