"""Errors for requests that nobody plays, in the dialect of the service that was asked."""

from __future__ import annotations

import json
import logging
from xml.sax.saxutils import escape

from moto.core.utils import get_service_model
from moto.utilities.aws_headers import gen_amzn_requestid_long

from bedplate.sandbox.services.service import Answer

LOG = logging.getLogger("bedplate.sandbox.api")
NOT_IMPLEMENTED = 501
"""The status of a refusal: no SDK retries it, whereas every SDK retries 500, 502, 503 and 504."""
_BOTOCORE_NAMES = {"servicequotas": "service-quotas", "aps": "amp", "monitoring": "cloudwatch"}


def unknown_operation(service: str, operation: str) -> Answer:
    """What an operation gets that nobody plays."""
    name = operation or "(unknown operation)"
    return refusal(
        service, "UnknownOperationException", f"SBX-010: the sandbox does not play {service} {name}"
    )


def refusal(service: str, code: str, message: str) -> Answer:
    """An error that the client's SDK understands, and that it does not retry."""
    LOG.error("%s", message)
    protocol = _protocol(service)
    error = f"<Code>{escape(code)}</Code><Message>{escape(message)}</Message>"
    xml = {
        "query": f"<ErrorResponse><Error><Type>Sender</Type>{error}</Error></ErrorResponse>",
        "ec2": f"<Response><Errors><Error>{error}</Error></Errors></Response>",
        "rest-xml": f"<Error>{error}</Error>",
    }
    body = xml.get(protocol) or json.dumps({"__type": code, "message": message, "Message": message})
    headers = {
        "Content-Type": "text/xml" if protocol in xml else "application/x-amz-json-1.1",
        "x-amzn-ErrorType": code,
        "x-amzn-requestid": gen_amzn_requestid_long({}),
    }
    return Answer(NOT_IMPLEMENTED, headers, body.encode())


def _protocol(service: str) -> str:
    try:
        return str(get_service_model(_BOTOCORE_NAMES.get(service, service)).protocol)
    except Exception:  # noqa: BLE001  # botocore's UnknownServiceError: a service that AWS has not
        return "json"
