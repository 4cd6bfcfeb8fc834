"""What a node reaches over the network while it boots: S3 objects and its instance metadata, on one loopback
port.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote

S3Fetch = Callable[[str, str], bytes]
"""(bucket, key) → body; raises ``KeyError`` or ``FileNotFoundError`` where there is no such object."""
S3Put = Callable[[str, str, bytes], None]
"""(bucket, key, body): writes an object; raises ``PermissionError`` where the node may not."""


@dataclass(frozen=True)
class ListedObject:
    """One object of a listing; ``modified`` is ISO 8601."""

    key: str
    size_bytes: int
    modified: str


S3List = Callable[[str, str, str], Sequence[ListedObject]]
"""(bucket, prefix, after) → the objects whose keys come later than ``after``; raises ``PermissionError``."""
S3Remove = Callable[[str, str], None]
"""(bucket, key): removes an object, also where there is none; raises ``PermissionError``."""


@dataclass(frozen=True)
class S3Access:
    """What a node may do in S3; by itself nothing but to fetch."""

    fetch: S3Fetch
    put: S3Put
    list: S3List
    remove: S3Remove


def refuse_put(bucket: str, key: str, body: bytes) -> None:
    """For a node that may write nowhere."""
    del body
    raise PermissionError(f"s3://{bucket}/{key}")


def refuse_list(bucket: str, prefix: str, after: str) -> Sequence[ListedObject]:
    """For a node that may list nothing."""
    del after
    raise PermissionError(f"s3://{bucket}/{prefix}")


def refuse_remove(bucket: str, key: str) -> None:
    """For a node that may remove nothing."""
    raise PermissionError(f"s3://{bucket}/{key}")


class NodeServices:
    """Serves ``/s3/INSTANCE/BUCKET/KEY``, ``/s3-list/INSTANCE/BUCKET/PREFIX?after=KEY`` and
    ``/imds/INSTANCE/latest/…`` (IMDSv2) on 127.0.0.1.
    """

    def __init__(self) -> None:
        self._s3: dict[str, S3Access] = {}
        self._metadata: dict[str, dict[str, str]] = {}
        services = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                services._get(self)

            def do_PUT(self) -> None:
                services._put(self)

            def do_DELETE(self) -> None:
                services._delete(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="fleet-services", daemon=True)
        self._thread.start()

    def add(self, instance_id: str, *, s3: S3Access, metadata: dict[str, str]) -> dict[str, str]:
        """Serve one node; returns the environment by which its programs find the services."""
        self._s3[instance_id] = s3
        self._metadata[instance_id] = metadata
        base = f"http://127.0.0.1:{self._server.server_address[1]}"
        return {
            "BEDPLATE_IMDS_ENDPOINT": f"{base}/imds/{instance_id}",
            "BEDPLATE_SANDBOX_S3": f"{base}/s3/{instance_id}",
            "BEDPLATE_SANDBOX_S3_LIST": f"{base}/s3-list/{instance_id}",
        }

    def remove(self, instance_id: str) -> None:
        """Stop serving a node."""
        self._s3.pop(instance_id, None)
        self._metadata.pop(instance_id, None)

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def _get(self, request: BaseHTTPRequestHandler) -> None:
        kind, instance_id, path, query = _parts(request)
        s3 = self._s3.get(instance_id)
        bucket, _, key = path.partition("/")
        if kind == "s3" and s3 is not None:
            _carry_out(request, lambda: s3.fetch(bucket, key))
        elif kind == "s3-list" and s3 is not None:
            after = query.get("after", [""])[0]
            _carry_out(
                request, lambda: json.dumps([asdict(one) for one in s3.list(bucket, key, after)]).encode()
            )
        elif kind == "imds" and request.headers.get("X-aws-ec2-metadata-token"):
            value = self._metadata.get(instance_id, {}).get(path.removeprefix("latest/"))
            _answer(request, 404 if value is None else 200, (value or "").encode())
        else:
            _answer(request, 401 if kind == "imds" else 404, b"")

    def _put(self, request: BaseHTTPRequestHandler) -> None:
        if request.path.endswith("/latest/api/token"):
            _answer(request, 200, b"simulated-token")
            return
        kind, instance_id, path, _ = _parts(request)
        bucket, _, key = path.partition("/")
        s3 = self._s3.get(instance_id)
        if kind != "s3" or s3 is None:
            _answer(request, 404, b"")
            return
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        _carry_out(request, lambda: s3.put(bucket, key, body))

    def _delete(self, request: BaseHTTPRequestHandler) -> None:
        kind, instance_id, path, _ = _parts(request)
        bucket, _, key = path.partition("/")
        s3 = self._s3.get(instance_id)
        if kind != "s3" or s3 is None:
            _answer(request, 404, b"")
            return
        _carry_out(request, lambda: s3.remove(bucket, key))


def _parts(request: BaseHTTPRequestHandler) -> tuple[str, str, str, Mapping[str, list[str]]]:
    """Kind, instance, what follows, and the query."""
    path, _, query = request.path.partition("?")
    kind, _, rest = path.lstrip("/").partition("/")
    instance_id, _, found = unquote(rest).partition("/")
    return kind, instance_id, found, parse_qs(query)


def _carry_out(request: BaseHTTPRequestHandler, call: Callable[[], bytes | None]) -> None:
    try:
        _answer(request, 200, call() or b"")
    except (KeyError, FileNotFoundError):
        _answer(request, 404, b"NoSuchKey")
    except PermissionError:
        _answer(request, 403, b"AccessDenied")
    except Exception as error:  # noqa: BLE001 - whatever it raises must reach the node, not kill the server
        _answer(request, 500, f"{type(error).__name__}: {error}".encode())


def _answer(request: BaseHTTPRequestHandler, code: int, body: bytes) -> None:
    request.send_response(code)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
