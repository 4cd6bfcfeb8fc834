"""All exporters of a simulated fleet behind one port: a target is a path, so that many nodes are cheap."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from bedplate.sandbox.telemetry.dcgm import WINDOW_S
from bedplate.sandbox.telemetry.fleet import TelemetryFleet
from bedplate.sandbox.telemetry.targets import TargetDown, answer
from bedplate.telemetry.exposition import exposition

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_ONE_AT_A_TIME = threading.Lock()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    """An agent opens a connection to each target at once."""


class ExporterServer:
    """Serves a fleet on the loopback address while it is open (a context manager). ``clock`` tells the
    seconds of the simulation; without one, those since it was opened.
    """

    def __init__(
        self, fleet: TelemetryFleet, *, clock: Callable[[], float] | None = None, window_s: float = WINDOW_S
    ) -> None:
        self.fleet = fleet
        self._opened_at = time.monotonic()
        self.clock = clock or self._since_opened
        self._window_s = window_s
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True, name="exporters")

    def __enter__(self) -> Self:
        self._opened_at = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    @property
    def address(self) -> str:
        """``HOST:PORT``."""
        host, port = self._server.server_address[:2]
        return f"{host!s}:{port}"

    def _since_opened(self) -> float:
        return time.monotonic() - self._opened_at

    def _text(self, path: str) -> str:
        # One at a time: threads that compute at once only wait for each other.
        with _ONE_AT_A_TIME:
            samples = answer(self.fleet, path, at_s=self.clock(), window_s=self._window_s)
            return exposition(samples)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                try:
                    body = outer._text(self.path).encode("utf-8")
                except TargetDown:
                    # As a machine that is gone: no answer.
                    self.close_connection = True
                    return
                except KeyError:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Type", CONTENT_TYPE)
                self.send_header("Content-Length", str(len(body)))
                # Who asked may have given up meanwhile.
                with suppress(BrokenPipeError, ConnectionResetError):
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                """Say nothing: a line a scrape helps nobody."""

        return Handler
