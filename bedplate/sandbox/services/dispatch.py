"""Routes a request to the operation that it names, and serialises the answer by the botocore model."""

from __future__ import annotations

import io
import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from moto.core.exceptions import ServiceException
from moto.core.model import OperationModel, ServiceModel
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.request import Request, determine_request_protocol
from moto.core.routing import get_service_router
from moto.core.serialize import XFormedAttributePicker, get_serializer_class
from moto.core.utils import get_service_model
from moto.utilities.aws_headers import gen_amzn_requestid_long
from werkzeug.exceptions import HTTPException

from bedplate.sandbox.options import SandboxOptions
from bedplate.sandbox.services.caller import account_of
from bedplate.sandbox.services.refusal import unknown_operation
from bedplate.sandbox.services.service import Answer, ApiError, Call, Service

LOG = logging.getLogger("bedplate.sandbox.api")


@dataclass(frozen=True)
class Signature:
    """What the authorization header says: who signs, for which service and Region."""

    access_key: str
    region: str
    signing_name: str


def signature_of(environ: Mapping[str, Any]) -> Signature | None:
    """The scope in ``Credential=KEY/date/region/service/aws4_request``, or None for an unsigned request."""
    header = environ.get("HTTP_AUTHORIZATION", "")
    if "Credential=" not in header:
        return None
    parts = header.split("Credential=", 1)[1].split(",", 1)[0].split("/")
    if len(parts) < 5:
        return None
    return Signature(access_key=parts[0], region=parts[-3], signing_name=parts[-2].lower())


class Dispatcher:
    """Knows the services that the sandbox plays itself."""

    def __init__(self, services: Iterable[Service], *, options: SandboxOptions | None = None) -> None:
        self._services = {service.signed_as: service for service in services}
        self._options = options or SandboxOptions()
        self._calls: Counter[str] = Counter()

    def answer(self, environ: dict[str, Any]) -> Answer | None:
        """The answer to a request, or None where moto plays the operation."""
        signature = signature_of(environ)
        service = self._services.get(signature.signing_name) if signature else None
        if signature is None or service is None:
            return None
        length = int(environ.get("CONTENT_LENGTH") or 0)
        environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(length))
        request = Request(environ)
        model = get_service_model(service.name)
        name, uri_parameters = _operation_name(service.name, model, request)
        operation = service.operations.get(name)
        throttled = self._is_throttled(f"{service.name}:{name}")
        if service.leaves_to_moto(name) and not throttled:
            environ["wsgi.input"].seek(0)
            return None
        try:
            operation_model = model.operation_model(name)
        except Exception:  # noqa: BLE001  # botocore: OperationNotFoundError
            return unknown_operation(service.name, name)
        protocol = determine_request_protocol(model, request.content_type)
        if throttled:
            return _serialised(
                model, operation_model, protocol, ApiError("ThrottlingException", "Rate exceeded")
            )
        if operation is None:
            return unknown_operation(service.name, name)
        try:
            parameters = _parameters(operation_model, protocol, request, uri_parameters)
            call = Call(account_of(signature.access_key), signature.region, name, parameters)
            result: Any = operation(call) or {}
        except ServiceException as error:
            result = error
        except HTTPException as error:  # what moto's own models raise
            result = ApiError(
                getattr(error, "error_type", "ValidationException"), getattr(error, "message", str(error))
            )
        except Exception as error:
            LOG.exception("%s %s", service.name, name)
            result = ApiError(
                "InternalFailure", f"SBX-015: {service.name} {name}: {type(error).__name__}: {error}"
            )
        return _serialised(model, operation_model, protocol, result)

    def _is_throttled(self, called: str) -> bool:
        """Whether this call is one of those that the switch ``throttle`` has refused: n of every n + 1."""
        refused = int(self._options.section("throttle", {}).get(called, 0))
        if not refused:
            return False
        self._calls[called] += 1
        return self._calls[called] % (refused + 1) != 0


def _operation_name(service: str, model: ServiceModel, request: Request) -> tuple[str, Mapping[str, Any]]:
    target = request.headers.get("X-Amz-Target", "")
    if target:
        return target.rsplit(".", 1)[-1], {}
    if str(model.protocol) in {"query", "ec2"}:
        return str(request.values.get("Action", "")), {}
    try:
        operation, parameters = get_service_router(service).match(request)
    except Exception:  # noqa: BLE001  # werkzeug's NotFound and moto's NotImplementedError alike
        return "", {}
    return str(operation.name), parameters


def _parameters(
    model: OperationModel, protocol: str, request: Request, uri_parameters: Mapping[str, Any]
) -> Mapping[str, Any]:
    parser = PROTOCOL_PARSERS[protocol](model)
    parsed = parser.parse(
        {
            "method": request.method,
            "values": request.values,
            "headers": request.headers,
            "body": request.data,
            "url_path": request.path,
            "url_params": dict(uri_parameters),
        }
    )
    return cast("Mapping[str, Any]", parsed)


def _serialised(service: ServiceModel, model: OperationModel, protocol: str, result: Any) -> Answer:
    serializer_class = get_serializer_class(service.service_name, protocol)
    serializer = serializer_class(
        operation_model=model,
        pretty_print=False,
        value_picker=XFormedAttributePicker(response_transformers=None),
    )
    serialized = serializer.serialize(result)
    body = serialized["body"]
    headers = {key: str(value) for key, value in serialized["headers"].items()}
    headers.setdefault("x-amzn-requestid", gen_amzn_requestid_long({}))
    return Answer(int(serialized["status_code"]), headers, body if isinstance(body, bytes) else body.encode())
