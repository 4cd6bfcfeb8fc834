"""What Alertmanager tells: a server that keeps each message, with its rendered text."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


@dataclass(frozen=True)
class Told:
    """One message. ``alerts`` are (alertname, cluster, node, cause) of those that fire in it."""

    receiver: str
    subject: str
    text: str
    alerts: tuple[tuple[str, str, str, str], ...]
    at_s: float


@dataclass
class Pages:
    """Keeps what it is told on a port of the loopback address, while it is open."""

    told: list[Told] = field(default_factory=list)

    def __enter__(self) -> Self:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                (shown,) = body["attachments"]
                outer.told.append(
                    Told(
                        receiver=self.path.rpartition("/")[2],
                        subject=shown["title"],
                        text=shown["text"],
                        alerts=_listed(shown["fallback"]),
                        at_s=time.time(),
                    )
                )
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"


def _listed(text: str) -> tuple[tuple[str, str, str, str], ...]:
    found = []
    for line in text.splitlines():
        state, name, cluster, node, cause = line.split(" ")
        if state == "firing":
            found.append((name, cluster, node, cause))
    return tuple(found)
