"""What a node reaches over the network while it boots: S3 objects and its instance metadata, on one loopback
port.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

S3Fetch = Callable[[str, str], bytes]
"""(bucket, key) → body; raises ``KeyError`` or ``FileNotFoundError`` where there is no such object."""
S3Put = Callable[[str, str, bytes], None]
"""(bucket, key, body): writes an object; raises ``PermissionError`` where the node may not."""


def refuse_put(bucket: str, key: str, body: bytes) -> None:
    """For a node that may write nowhere."""
    del body
    raise PermissionError(f"s3://{bucket}/{key}")


class NodeServices:
    """Serves ``/s3/INSTANCE/BUCKET/KEY`` and ``/imds/INSTANCE/latest/…`` (IMDSv2) on 127.0.0.1."""

    def __init__(self) -> None:
        self._fetchers: dict[str, S3Fetch] = {}
        self._putters: dict[str, S3Put] = {}
        self._metadata: dict[str, dict[str, str]] = {}
        services = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                services._get(self)

            def do_PUT(self) -> None:
                services._put(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="fleet-services", daemon=True)
        self._thread.start()

    def add(
        self, instance_id: str, *, s3_fetch: S3Fetch, s3_put: S3Put, metadata: dict[str, str]
    ) -> dict[str, str]:
        """Serve one node; returns the environment by which its programs find the services."""
        self._fetchers[instance_id] = s3_fetch
        self._putters[instance_id] = s3_put
        self._metadata[instance_id] = metadata
        base = f"http://127.0.0.1:{self._server.server_address[1]}"
        return {
            "BEDPLATE_IMDS_ENDPOINT": f"{base}/imds/{instance_id}",
            "BEDPLATE_SANDBOX_S3": f"{base}/s3/{instance_id}",
        }

    def remove(self, instance_id: str) -> None:
        """Stop serving a node."""
        self._fetchers.pop(instance_id, None)
        self._putters.pop(instance_id, None)
        self._metadata.pop(instance_id, None)

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def _get(self, request: BaseHTTPRequestHandler) -> None:
        kind, _, rest = request.path.lstrip("/").partition("/")
        instance_id, _, path = unquote(rest).partition("/")
        if kind == "s3" and instance_id in self._fetchers:
            bucket, _, key = path.partition("/")
            try:
                _answer(request, 200, self._fetchers[instance_id](bucket, key))
            except (KeyError, FileNotFoundError):
                _answer(request, 404, b"NoSuchKey")
            except Exception as error:  # noqa: BLE001 - whatever the fetcher raises must reach the node, not kill the server
                _answer(request, 500, f"{type(error).__name__}: {error}".encode())
        elif kind == "imds" and request.headers.get("X-aws-ec2-metadata-token"):
            value = self._metadata.get(instance_id, {}).get(path.removeprefix("latest/"))
            _answer(request, 404 if value is None else 200, (value or "").encode())
        else:
            _answer(request, 401 if kind == "imds" else 404, b"")

    def _put(self, request: BaseHTTPRequestHandler) -> None:
        if request.path.endswith("/latest/api/token"):
            _answer(request, 200, b"simulated-token")
            return
        kind, _, rest = request.path.lstrip("/").partition("/")
        instance_id, _, path = unquote(rest).partition("/")
        bucket, _, key = path.partition("/")
        if kind != "s3" or instance_id not in self._putters:
            _answer(request, 404, b"")
            return
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        try:
            self._putters[instance_id](bucket, key, body)
            _answer(request, 200, b"")
        except PermissionError:
            _answer(request, 403, b"AccessDenied")
        except Exception as error:  # noqa: BLE001 - whatever it raises must reach the node, not kill the server
            _answer(request, 500, f"{type(error).__name__}: {error}".encode())


def _answer(request: BaseHTTPRequestHandler, code: int, body: bytes) -> None:
    request.send_response(code)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
