"""SIMULATED: as much of AWS as a validation asks for, in a process of its own on a loopback port.

It plays SSM Run Command, S3 and DescribeInstances for any number of nodes (``answers.Nodes``), answers at
once, and counts the calls. moto is not used here: it would cost more than what is measured, and hold every
answer in memory. ``python -m tests.bench.engine.small_aws NODES`` prints its port, then serves.
"""

from __future__ import annotations

import json
import sys
import threading
import uuid
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from tests.bench.engine.answers import Nodes

_PAGE = 50  # invocations and instance informations in one answer, as the API's default
_EC2_PAGE = 1000


@dataclass
class SmallAws:
    """The state; one lock, since the stand-ins print to this process's standard output."""

    nodes: Nodes
    calls: Counter[str] = field(default_factory=Counter)
    objects: dict[str, bytes] = field(default_factory=dict)
    commands: dict[str, tuple[list[str], list[str], str, str]] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def ssm(self, operation: str, asked: dict[str, Any]) -> dict[str, Any]:
        """One call of Systems Manager."""
        answer: dict[str, Any] = getattr(self, f"_{operation}")(asked)
        return answer

    def _DescribeInstanceInformation(self, asked: dict[str, Any]) -> dict[str, Any]:
        names = asked["Filters"][0]["Values"]
        return {"InstanceInformationList": [{"InstanceId": n, "PingStatus": "Online"} for n in names]}

    def _SendCommand(self, asked: dict[str, Any]) -> dict[str, Any]:
        command_id = str(uuid.uuid4())
        whom = asked.get("InstanceIds") or [
            row[0]
            for target in asked["Targets"]
            for value in target["Values"]
            for row in self.nodes.instances(value)
        ]
        words = asked["Parameters"]["Arguments"][0].split(" ")
        place = f"{asked['OutputS3BucketName']}/{asked['OutputS3KeyPrefix']}"
        self.commands[command_id] = (whom, words, place, asked["DocumentName"])
        return {"Command": {"CommandId": command_id}}

    def _ListCommandInvocations(self, asked: dict[str, Any]) -> dict[str, Any]:
        instances = self.commands[asked["CommandId"]][0]
        start = int(asked.get("NextToken", "0"))
        rows = [
            {
                "CommandId": asked["CommandId"],
                "InstanceId": n,
                "Status": "Success",
                "StatusDetails": "Success",
            }
            for n in instances[start : start + _PAGE]
        ]
        more = {"NextToken": str(start + _PAGE)} if start + _PAGE < len(instances) else {}
        return {"CommandInvocations": rows, **more}

    def _CancelCommand(self, asked: dict[str, Any]) -> dict[str, Any]:
        return {}

    def get_object(self, path: str) -> bytes | None:
        """A stored object, or what a node printed, made when it is read."""
        if path in self.objects:
            return self.objects[path]
        parts = path.split("/")
        if len(parts) > 5 and parts[1] == "answers" and parts[-1] == "stdout":
            _, words, _, _ = self.commands[parts[3]]
            return self.nodes.answer(parts[4], words).encode("utf-8")
        return None

    def describe_instances(self, form: dict[str, str]) -> str:
        """One page of DescribeInstances in EC2's XML."""
        group = next(
            form[f"Filter.{i}.Value.1"] for i in range(1, 9) if form.get(f"Filter.{i}.Name") == "tag:group"
        )
        start = int(form.get("NextToken") or 0)
        found = self.nodes.instances(group)
        items = "".join(
            f"<item><instanceId>{name}</instanceId><instanceType>{kind}</instanceType>"
            f"<privateIpAddress>{address}</privateIpAddress>"
            "<launchTime>2026-01-01T00:00:00.000Z</launchTime>"
            "<instanceState><code>16</code><name>running</name></instanceState></item>"
            for name, kind, address in found[start : start + _EC2_PAGE]
        )
        more = f"<nextToken>{start + _EC2_PAGE}</nextToken>" if start + _EC2_PAGE < len(found) else ""
        return (
            '<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">'
            f"<reservationSet><item><instancesSet>{items}</instancesSet></item></reservationSet>{more}"
            "</DescribeInstancesResponse>"
        )


def handler(aws: SmallAws) -> type[BaseHTTPRequestHandler]:
    """The HTTP side."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

        def _body(self) -> bytes:
            if self.headers.get("Expect", "").lower() == "100-continue":
                self.send_response_only(100)
                self.end_headers()
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))

        def _send(self, code: int, body: bytes = b"", **headers: str) -> None:
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_POST(self) -> None:
            body = self._body()
            target = self.headers.get("X-Amz-Target", "")
            with aws.lock:
                if target.startswith("AmazonSSM."):
                    operation = target.split(".")[1]
                    aws.calls[f"ssm:{operation}"] += 1
                    self._send(200, json.dumps(aws.ssm(operation, json.loads(body))).encode())
                    return
                form = {key: values[0] for key, values in parse_qs(body.decode()).items()}
                aws.calls[f"ec2:{form.get('Action')}"] += 1
                if form.get("Action") == "DescribeInstances":
                    self._send(200, aws.describe_instances(form).encode(), Content_Type="text/xml")
                    return
            error = f"<Response><Errors><Error><Code>UnsupportedOperation</Code><Message>{form.get('Action')}"
            self._send(400, f"{error}</Message></Error></Errors></Response>".encode())

        def do_PUT(self) -> None:
            path, body = self._path(), self._body()
            with aws.lock:
                aws.calls["s3:PutObject"] += 1
                if self.headers.get("If-None-Match") == "*" and path in aws.objects:
                    self._error(412, "PreconditionFailed")
                    return
                # Evidence is not read again: it would only fill this process.
                aws.objects[path] = b"" if "/evidence/" in path else body
            self._send(200, ETag=f'"{hash(body) & 0xFFFFFFFF:08x}"')

        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            path = self._path()
            if "list-type" in query:
                self._list(path, query.get("prefix", [""])[0])
                return
            with aws.lock:
                aws.calls["s3:GetObject"] += 1
                body = aws.get_object(path)
            if body is None:
                self._error(404, "NoSuchKey")
            else:
                self._send(200, body, ETag=f'"{hash(body) & 0xFFFFFFFF:08x}"')

        def do_HEAD(self) -> None:
            with aws.lock:
                aws.calls["s3:HeadObject"] += 1
            self._send(200 if self._path() in aws.objects else 404)

        def do_DELETE(self) -> None:
            with aws.lock:
                aws.calls["s3:DeleteObject"] += 1
                aws.objects.pop(self._path(), None)
            self._send(204)

        def _list(self, bucket: str, prefix: str) -> None:
            with aws.lock:
                aws.calls["s3:ListObjectsV2"] += 1
                start = f"{bucket.strip('/')}/"
                keys = [p[len(start) :] for p in aws.objects if p.startswith(start + prefix)]
            rows = "".join(f"<Contents><Key>{escape(k)}</Key><Size>1</Size></Contents>" for k in sorted(keys))
            body = f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>"
            self._send(200, body.encode(), Content_Type="application/xml")

        def _error(self, code: int, name: str) -> None:
            body = f"<Error><Code>{name}</Code><Message>{name}</Message></Error>"
            self._send(code, body.encode(), Content_Type="application/xml")

        def _path(self) -> str:
            return unquote(urlsplit(self.path).path).lstrip("/")

    return Handler


class Server:
    """Serves ``nodes`` on loopback until closed."""

    def __init__(self, nodes: Nodes) -> None:
        self.aws = SmallAws(nodes)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler(self.aws))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def endpoint(self) -> str:
        """Its address."""
        return f"http://localhost:{self._server.server_address[1]}"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


__all__ = ["Server", "SmallAws", "sys"]
