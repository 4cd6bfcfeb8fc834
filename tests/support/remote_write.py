"""A receiver of Prometheus remote write on the loopback address that checks the signature as AMP would."""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

PATH = "/workspaces/ws-1/api/v1/remote_write"
GOOD_KEY = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
REGION = "us-west-2"
Labels = tuple[tuple[str, str], ...]


@dataclass
class RemoteWriteReceiver:
    """Takes what is signed with ``GOOD_KEY`` for ``REGION`` and the service aps, and refuses all else with
    403, as a context manager. ``answers`` are statuses to be told first, whatever is asked.
    """

    answers: list[int] = field(default_factory=list)
    series: dict[Labels, list[tuple[float, int]]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    requests: int = 0

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    @property
    def endpoint(self) -> str:
        """The workspace's end point, as CloudFormation gives it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/workspaces/ws-1/"

    def named(self, name: str) -> list[dict[str, str]]:
        """The labels of the series of a name."""
        return [dict(each) for each in list(self.series) if ("__name__", name) in each]

    def _take(self, method: str, path: str, headers: Any, body: bytes) -> int:
        self.requests += 1
        if self.answers:
            return self.answers.pop(0)
        why = why_refused(method=method, path=path, headers=headers, body=body)
        if why:
            self.refused.append(why)
            return 403
        for labels, samples in decode_write_request(unsnap(body)):
            self.series.setdefault(labels, []).extend(samples)
        return 200

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                status = outer._take("POST", self.path, self.headers, body)
                text = b"" if status == 200 else b'{"message": "told by the receiver of the test"}'
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        return Handler


def why_refused(*, method: str, path: str, headers: Any, body: bytes) -> str:
    """Empty where the request is signed as it must be: the signature is made anew and compared."""
    given = headers.get("Authorization", "")
    if not given.startswith("AWS4-HMAC-SHA256 "):
        return f"no signature of version 4: {given[:20]!r}"
    parts = dict(part.strip().split("=", 1) for part in given.partition(" ")[2].split(","))
    scope = parts["Credential"].split("/")
    if scope[0] != GOOD_KEY.access_key:
        return f"an unknown access key {scope[0]}"
    if scope[2:] != [REGION, "aps", "aws4_request"]:
        return f"signed for {'/'.join(scope[2:])}"
    signed = {name: headers.get(name, "") for name in parts["SignedHeaders"].split(";")}
    url = f"http://{headers.get('Host')}{path}"
    request = AWSRequest(method=method, url=url, data=body, headers=signed)
    request.context["timestamp"] = headers.get("X-Amz-Date")
    signer = SigV4Auth(GOOD_KEY, "aps", REGION)
    wanted = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    return "" if wanted == parts["Signature"] else "the signature does not match"


def unsnap(block: bytes) -> bytes:
    """The content of a snappy block (google/snappy: format_description.txt)."""
    wanted, at = _varint(block, 0)
    out = bytearray()
    while at < len(block):
        tag = block[at]
        at += 1
        kind, high = tag & 3, tag >> 2
        if kind == 0:
            length, at = _literal_length(block, at, high)
            out += block[at : at + length]
            at += length
            continue
        if kind == 1:
            length, offset = (high & 7) + 4, (tag >> 5) << 8 | block[at]
            at += 1
        else:
            width = 2 if kind == 2 else 4
            length, offset = high + 1, int.from_bytes(block[at : at + width], "little")
            at += width
        for _ in range(length):
            out.append(out[-offset])
    assert len(out) == wanted, "the block is not whole"
    return bytes(out)


def _literal_length(block: bytes, at: int, high: int) -> tuple[int, int]:
    if high < 60:
        return high + 1, at
    width = high - 59
    return int.from_bytes(block[at : at + width], "little") + 1, at + width


def decode_write_request(body: bytes) -> Iterator[tuple[Labels, list[tuple[float, int]]]]:
    """The labels and the samples (value, milliseconds) of each series (prometheus: prompb/types.proto)."""
    for number, series in _fields(body):
        if number != 1:
            continue
        assert isinstance(series, bytes)
        labels, samples = [], []
        for inner, content in _fields(series):
            assert isinstance(content, bytes)
            pair: dict[int, Any] = dict(_fields(content))
            if inner == 1:
                labels.append((pair[1].decode(), pair.get(2, b"").decode()))
            elif inner == 2:
                samples.append((struct.unpack("<d", pair.get(1, bytes(8)))[0], pair[2]))
        yield tuple(labels), samples


def _fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(message, at)
            yield number, value
            continue
        length, at = (8, at) if kind == 1 else _varint(message, at)
        assert kind in (1, 2), f"wire type {kind}"
        yield number, message[at : at + length]
        at += length


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
