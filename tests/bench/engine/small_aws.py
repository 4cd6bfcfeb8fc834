"""SIMULATED: as much of AWS as a validation asks for, on a loopback port.

It plays SSM Run Command, S3 and DescribeInstances for any number of nodes (``answers.Nodes``), answers at
once, and counts the calls. moto is not used here: it would cost more than what is measured, and hold every
answer in memory.
"""

from __future__ import annotations

import json
import threading
import uuid
import zlib
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.bench.engine.answers import Nodes
from tests.bench.faults.cluster import LOGIN

_PAGE = 50  # invocations and instance informations in one answer, as the API's default
_EC2_PAGE = 1000


@dataclass
class _Command:
    """One SendCommand; ``printed`` is what the login node has printed, empty until its jobs have ended."""

    instances: list[str]
    words: list[str]
    printed: str = ""

    @property
    def of_login(self) -> bool:
        return self.instances == [LOGIN]

    @property
    def status(self) -> str:
        return "InProgress" if self.of_login and not self.printed else "Success"


@dataclass
class SmallAws:
    """The state. ``playing`` is held by whoever lets stand-ins print, since they print to one place."""

    nodes: Nodes
    calls: Counter[str] = field(default_factory=Counter)
    objects: dict[str, bytes] = field(default_factory=dict)
    commands: dict[str, _Command] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    playing: threading.Lock = field(default_factory=threading.Lock)

    def count(self, name: str) -> None:
        """One more call."""
        with self.lock:
            self.calls[name] += 1

    def ssm(self, operation: str, asked: dict[str, Any]) -> dict[str, Any]:
        """One call of Systems Manager."""
        played = {
            "DescribeInstanceInformation": self._online,
            "SendCommand": self._send,
            "ListCommandInvocations": self._invocations,
        }
        return played[operation](asked)

    def _online(self, asked: dict[str, Any]) -> dict[str, Any]:
        names = asked["Filters"][0]["Values"]
        return {"InstanceInformationList": [{"InstanceId": n, "PingStatus": "Online"} for n in names]}

    def _send(self, asked: dict[str, Any]) -> dict[str, Any]:
        command_id = str(uuid.uuid4())
        whom = asked.get("InstanceIds") or [
            row[0]
            for target in asked["Targets"]
            for value in target["Values"]
            for row in self.nodes.instances(value)
        ]
        command = _Command(whom, asked["Parameters"]["Arguments"][0].split(" "))
        self.commands[command_id] = command
        if command.of_login:
            threading.Thread(target=self._play, args=(command,), daemon=True).start()
        return {"Command": {"CommandId": command_id}}

    def _play(self, command: _Command) -> None:
        with self.playing:
            command.printed = self.nodes.answer(LOGIN, command.words)

    def _invocations(self, asked: dict[str, Any]) -> dict[str, Any]:
        command = self.commands[asked["CommandId"]]
        start = int(asked.get("NextToken", "0"))
        rows = [
            {
                "CommandId": asked["CommandId"],
                "InstanceId": name,
                "Status": command.status,
                "StatusDetails": command.status,
            }
            for name in command.instances[start : start + _PAGE]
        ]
        more = {"NextToken": str(start + _PAGE)} if start + _PAGE < len(command.instances) else {}
        return {"CommandInvocations": rows, **more}

    def get_object(self, path: str) -> bytes | None:
        """A stored object, or what a node printed; a compute node's answer is made when it is read."""
        if path in self.objects:
            return self.objects[path]
        parts = path.split("/")
        if not (len(parts) > 5 and parts[1] == "answers" and parts[-1] == "stdout"):
            return None
        command = self.commands[parts[3]]
        if command.of_login:
            return command.printed.encode("utf-8")
        with self.playing:
            return self.nodes.answer(parts[4], command.words).encode("utf-8")

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


class _Handler(BaseHTTPRequestHandler):
    """The HTTP side; ``aws`` is set by the server's own subclass."""

    protocol_version = "HTTP/1.1"
    aws: SmallAws

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        """Say nothing."""

    def do_POST(self) -> None:
        """SSM's JSON, or EC2's form."""
        body, target = self._body(), self.headers.get("X-Amz-Target", "")
        if target.startswith("AmazonSSM."):
            operation = target.split(".")[1]
            self.aws.count(f"ssm:{operation}")
            self._send(200, json.dumps(self.aws.ssm(operation, json.loads(body))).encode())
            return
        form = {key: values[0] for key, values in parse_qs(body.decode()).items()}
        self.aws.count(f"ec2:{form.get('Action')}")
        if form.get("Action") == "DescribeInstances":
            self._send(200, self.aws.describe_instances(form).encode(), Content_Type="text/xml")
            return
        error = f"<Code>UnauthorizedOperation</Code><Message>{form.get('Action')}</Message>"
        self._send(403, f"<Response><Errors><Error>{error}</Error></Errors></Response>".encode())

    def do_PUT(self) -> None:
        """PutObject with its conditions."""
        path, body = self._path(), self._body()
        self.aws.count("s3:PutObject")
        old = self.aws.objects.get(path)
        if self.headers.get("If-None-Match") == "*" and old is not None:
            self._error(412, "PreconditionFailed")
            return
        # Evidence is not read again: it would only fill this process.
        self.aws.objects[path] = b"" if "/evidence/" in path else body
        self._send(200, ETag=_tag(body))

    def do_GET(self) -> None:
        """GetObject."""
        self.aws.count("s3:GetObject")
        body = self.aws.get_object(self._path())
        if body is None:
            self._error(404, "NoSuchKey")
        else:
            self._send(200, body, ETag=_tag(body))

    def do_DELETE(self) -> None:
        """DeleteObject."""
        self.aws.count("s3:DeleteObject")
        self.aws.objects.pop(self._path(), None)
        self._send(204)

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
        self.wfile.write(body)

    def _error(self, code: int, name: str) -> None:
        body = f"<Error><Code>{name}</Code><Message>{name}</Message></Error>"
        self._send(code, body.encode(), Content_Type="application/xml")

    def _path(self) -> str:
        return unquote(urlsplit(self.path).path).lstrip("/")


def _tag(body: bytes) -> str:
    return f'"{zlib.crc32(body):08x}"'


class Server:
    """Serves ``nodes`` on loopback until closed."""

    def __init__(self, nodes: Nodes) -> None:
        self.aws = SmallAws(nodes)
        bound = type("Handler", (_Handler,), {"aws": self.aws})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), bound)
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
