"""A receiver on loopback that keeps what Alertmanager sends."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Webhook:
    """``sent`` is every message so far, with the receiver's name and its alerts."""

    url: str = ""
    sent: list[dict[str, Any]] = field(default_factory=list)

    def names(self, receiver: str) -> list[list[str]]:
        """The alerts of each message to a receiver, sorted."""
        return [
            sorted(each["labels"]["alertname"] for each in message["alerts"])
            for message in list(self.sent)
            if message["receiver"] == receiver
        ]


@contextmanager
def webhook() -> Iterator[Webhook]:
    """It listens while the block runs."""
    kept = Webhook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            kept.sent.append(json.loads(self.rfile.read(length)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    kept.url = f"http://127.0.0.1:{server.server_port}/"
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
