"""The played API server behind a loopback port: a context manager that the official client works against.

SIMULATED: no etcd, no admission, no webhooks, no RBAC. A request without the bearer token is refused, as is
any path that is not served.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from bedplate.sandbox.kubernetes.discovery import discovery
from bedplate.sandbox.kubernetes.kinds import Kind
from bedplate.sandbox.kubernetes.request_faults import RequestFaults
from bedplate.sandbox.kubernetes.rest import Answer, Request, Rest
from bedplate.sandbox.kubernetes.status import ApiStatus, unknown_path
from bedplate.sandbox.kubernetes.store import Store
from bedplate.sandbox.kubernetes.watch import Watch, WatchCut

DEFAULT_MINOR = 35
_OPEN_PATHS = ("/readyz", "/livez", "/healthz")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


class KubernetesServer:
    """Serves a store on loopback while it is open. ``minor`` is the version 1.N that it claims.

    ``lets_in`` takes bearer tokens besides the server's own; ``refresh`` is called before each request.
    """

    def __init__(
        self,
        *,
        store: Store | None = None,
        minor: int = DEFAULT_MINOR,
        lets_in: Callable[[str], bool] = lambda _token: False,
        refresh: Callable[[], None] = lambda: None,
    ) -> None:
        self._lets_in = lets_in
        self._refresh = refresh
        self.store = store or Store()
        self.rest = Rest(self.store)
        self.faults = RequestFaults()
        self.token = secrets.token_urlsafe(16)
        self._minor = minor
        self._cuts = 0
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True, name="kubernetes"
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    @property
    def url(self) -> str:
        """The address for clients."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def kubeconfig(self) -> dict[str, Any]:
        """A kubeconfig with the token, as ``kubernetes.config.load_kube_config_from_dict`` takes it."""
        name = "bedplate-simulated"
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": {"server": self.url}}],
            "users": [{"name": name, "user": {"token": self.token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        }

    def register(self, kind: Kind) -> None:
        """Serve custom objects of another kind, as after its CustomResourceDefinition."""
        self.store.register(kind)

    def cut_watches(self) -> None:
        """Break the connections of all watches that run now, in the middle of their answers."""
        self._cuts += 1

    def answer(self, request: Request, token: str) -> Answer:
        """Carry a request out. Raises ``ApiStatus`` for a refusal."""
        if request.path in _OPEN_PATHS:
            return Answer(200, text="ok")
        own = secrets.compare_digest(token.encode(), f"Bearer {self.token}".encode())
        if not own and not self._lets_in(token.removeprefix("Bearer ")):
            raise ApiStatus(401, "Unauthorized", "Unauthorized")
        self.faults.strike(request)
        self._refresh()
        if request.method == "GET":
            found = discovery(request.path, self.store, minor=self._minor)
            if found is not None:
                return Answer(200, found)
        if not request.path.startswith(("/api/", "/apis/")):
            raise unknown_path()
        return self.rest.answer(request)

    def _stream(self, handler: BaseHTTPRequestHandler, watch: Watch) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        begun = self._cuts

        def is_cut() -> bool:
            return self._cuts != begun or self._closing.is_set()

        try:
            for event in watch.events(self.store, is_cut=is_cut):
                line = json.dumps(event).encode() + b"\n"
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            handler.wfile.write(b"0\r\n\r\n")
        except (WatchCut, OSError):
            handler.close_connection = True

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = 0

            def _serve(self) -> None:
                parts = urlsplit(self.path)
                length = int(self.headers.get("Content-Length") or 0)
                request = Request(
                    method=self.command,
                    path=parts.path,
                    query=dict(parse_qsl(parts.query, keep_blank_values=True)),
                    content_type=self.headers.get("Content-Type", ""),
                    body=self.rfile.read(length),
                )
                try:
                    answer = outer.answer(request, self.headers.get("Authorization", ""))
                except ApiStatus as error:
                    answer = Answer(error.code, error.to_json())
                except Exception as error:  # noqa: BLE001 - as a server answers when it fails itself
                    text = f"SBX-015: {type(error).__name__}: {error}"
                    answer = Answer(500, ApiStatus(500, "InternalError", text).to_json())
                if answer.watch is not None:
                    outer._stream(self, answer.watch)
                else:
                    self._send(answer)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815

            def _send(self, answer: Answer) -> None:
                if answer.document is None:
                    kind, body = "text/plain", answer.text.encode()
                else:
                    kind, body = "application/json", json.dumps(answer.document).encode()
                self.send_response(answer.code)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                seconds = (answer.document or {}).get("details", {}).get("retryAfterSeconds")
                if seconds is not None:
                    self.send_header("Retry-After", str(seconds))
                with suppress(BrokenPipeError, ConnectionResetError):
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                """Say nothing: a line a request helps nobody."""

        return Handler
