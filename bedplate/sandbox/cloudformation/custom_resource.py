"""Custom resources: the real Python handler runs in a child process and answers on a loopback URL."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import uuid
import zipfile
from collections.abc import Mapping
from typing import Any

from moto.awslambda.models import lambda_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest

LOG = logging.getLogger("bedplate.sandbox.custom-resource")
ANSWER_PATH = "/bedplate/cfnresponse/"
# CloudFormation's own limit for the body of an answer (custom resource reference, "Response objects").
LARGEST_ANSWER_BYTES = 4096
DEFAULT_TIMEOUT_S = 120

# Runs in the child: loads module.function from the unpacked package and calls it with the event.
_RUNNER = """
import importlib, json, os, sys
sys.path.insert(0, os.getcwd())
module, function = os.environ["_HANDLER"].rsplit(".", 1)
class Context:
    function_name = os.environ["AWS_LAMBDA_FUNCTION_NAME"]
    invoked_function_arn = os.environ["BEDPLATE_FUNCTION_ARN"]
    aws_request_id = os.environ["BEDPLATE_REQUEST_ID"]
    log_group_name = log_stream_name = "sandbox"
    memory_limit_in_mb = 128
    def get_remaining_time_in_millis(self):
        return 60000
getattr(importlib.import_module(module), function)(json.load(sys.stdin), Context())
"""


class CustomResourceAnswers:
    """Answers that custom resources have been asked for, by the token in their URL."""

    def __init__(self) -> None:
        self._events: dict[str, threading.Event] = {}
        self._answers: dict[str, Mapping[str, Any]] = {}

    def expect(self) -> str:
        """A new token."""
        token = uuid.uuid4().hex
        self._events[token] = threading.Event()
        return token

    def put(self, token: str, body: bytes) -> None:
        """Take an answer; KeyError for a token that nobody expects."""
        event = self._events[token]
        if len(body) > LARGEST_ANSWER_BYTES:
            answer: Any = {
                "Status": "FAILED",
                "Reason": f"the answer holds {len(body)} bytes, over {LARGEST_ANSWER_BYTES}",
            }
        else:
            answer = json.loads(body)
        self._answers[token] = answer
        event.set()

    def wait(self, token: str, seconds: float) -> Mapping[str, Any] | None:
        """The answer, or None where it does not come in time; keeps expecting it until :meth:`forget`."""
        self._events[token].wait(seconds)
        return self._answers.get(token)

    def forget(self, token: str) -> None:
        """Expect the answer no more."""
        self._events.pop(token, None)
        self._answers.pop(token, None)


class CustomResourceHandler:
    """Sends Create, Update and Delete to the function behind ``ServiceToken``."""

    def __init__(self, *, answers: CustomResourceAnswers, endpoint: str) -> None:
        self._answers = answers
        self._endpoint = endpoint

    def create(self, request: ResourceRequest) -> Made:
        """Send ``Create``."""
        return self._made(request, self._ask(request, {"RequestType": "Create"}), None)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Send ``Update``; where the answer holds another physical id, the old one is sent ``Delete``."""
        answer = self._ask(
            request,
            {
                "RequestType": "Update",
                "PhysicalResourceId": made.physical_id,
                "OldResourceProperties": _strings(old),
            },
        )
        new = self._made(request, answer, made)
        if new.physical_id != made.physical_id:
            self.delete(request, made)
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Send ``Delete``."""
        self._ask(request, {"RequestType": "Delete", "PhysicalResourceId": made.physical_id})

    def _made(self, request: ResourceRequest, answer: Mapping[str, Any], old: Made | None) -> Made:
        data = answer.get("Data") or {}
        physical_id = answer.get("PhysicalResourceId") or (old.physical_id if old else "")
        if not physical_id:
            raise ResourceError(f"Invalid PhysicalResourceId in the answer of {request.logical_id}")
        return Made(physical_id=physical_id, attribute=data.__getitem__)

    def _ask(self, request: ResourceRequest, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        function = _function(request)
        token = self._answers.expect()
        event = {
            "ServiceToken": request.properties["ServiceToken"],
            "ResponseURL": f"{self._endpoint}{ANSWER_PATH}{token}",
            "StackId": request.stack_id,
            "RequestId": str(uuid.uuid4()),
            "LogicalResourceId": request.logical_id,
            "ResourceType": request.type_name,
            "ResourceProperties": _strings(request.properties),
            **fields,
        }
        try:
            answer = self._run(request, function, event, token)
        finally:
            self._answers.forget(token)
        if answer.get("Status") != "SUCCESS":
            raise ResourceError(
                f"Received response status [FAILED] from custom resource: {answer.get('Reason')}"
            )
        return answer

    def _run(
        self, request: ResourceRequest, function: Any, event: Mapping[str, Any], token: str
    ) -> Mapping[str, Any]:
        limit_s = float(request.properties.get("ServiceTimeout") or DEFAULT_TIMEOUT_S)
        with tempfile.TemporaryDirectory(prefix="bedplate-function-") as folder:
            zipfile.ZipFile(io.BytesIO(function.code_bytes)).extractall(folder)
            try:
                child = subprocess.run(
                    [sys.executable, "-c", _RUNNER],
                    cwd=folder,
                    env=self._environment(request, function, event),
                    input=json.dumps(event),
                    capture_output=True,
                    text=True,
                    timeout=min(limit_s, float(function.timeout or 3)),
                    check=False,
                )
            except subprocess.TimeoutExpired as error:
                raise ResourceError(
                    f"the handler of {request.logical_id} ran over {error.timeout:.0f} s"
                ) from error
        (LOG.info if child.returncode == 0 else LOG.error)(
            "%s: %s%s", request.logical_id, child.stdout, child.stderr
        )
        answer = self._answers.wait(token, 0.5)
        if answer is None:
            last = (child.stderr.strip().splitlines() or ["no message"])[-1]
            raise ResourceError(
                f"the handler of {request.logical_id} ended ({child.returncode}) without an answer: {last}"
            )
        return answer

    def _environment(
        self, request: ResourceRequest, function: Any, event: Mapping[str, Any]
    ) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": tempfile.gettempdir(),
            "_HANDLER": function.handler,
            "AWS_LAMBDA_FUNCTION_NAME": function.function_name,
            "BEDPLATE_FUNCTION_ARN": function.function_arn,
            "BEDPLATE_REQUEST_ID": str(event["RequestId"]),
            "AWS_ENDPOINT_URL": self._endpoint,
            "AWS_REGION": request.region,
            "AWS_DEFAULT_REGION": request.region,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            **{key: str(value) for key, value in (function.environment_vars or {}).items()},
        }


def _function(request: ResourceRequest) -> Any:
    token = str(request.properties.get("ServiceToken", ""))
    if ":lambda:" not in token:
        raise ResourceError(f"ServiceToken {token!r} of {request.logical_id} is not a Lambda function")
    function = lambda_backends[request.account][request.region].get_function(token)
    if not str(function.run_time).startswith("python"):
        raise ResourceError(f"SBX-016: the sandbox runs Python handlers only, {token} is {function.run_time}")
    return function


def _strings(value: Any) -> Any:
    """CloudFormation hands every scalar to a custom resource as a string."""
    if isinstance(value, Mapping):
        return {key: _strings(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_strings(item) for item in value]
    return str(value).lower() if isinstance(value, bool) else str(value)
