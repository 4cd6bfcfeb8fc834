"""Refusals of the played API server, as the Status objects that clients read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.sandbox.kubernetes.kinds import Kind


class ApiStatus(Exception):
    """A refusal with its HTTP code, Kubernetes' reason word and a message."""

    def __init__(
        self, code: int, reason: str, message: str, *, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = dict(details or {})

    def to_json(self) -> dict[str, Any]:
        """The Status object."""
        return {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            **({"details": self.details} if self.details else {}),
            "code": self.code,
        }


def not_found(kind: Kind, name: str) -> ApiStatus:
    """No such object."""
    return ApiStatus(404, "NotFound", f'{kind.resource} "{name}" not found', details=_details(kind, name))


def unknown_path() -> ApiStatus:
    """A path that this server does not have."""
    return ApiStatus(404, "NotFound", "the server could not find the requested resource")


def already_exists(kind: Kind, name: str) -> ApiStatus:
    """A second object of this name."""
    return ApiStatus(
        409, "AlreadyExists", f'{kind.resource} "{name}" already exists', details=_details(kind, name)
    )


def conflict(kind: Kind, name: str) -> ApiStatus:
    """A write that rests on an older version of the object."""
    return ApiStatus(
        409,
        "Conflict",
        f'Operation cannot be fulfilled on {kind.resource} "{name}": the object has been modified; please '
        "apply your changes to the latest version and try again",
        details=_details(kind, name),
    )


def invalid(kind: Kind, name: str, causes: Sequence[tuple[str, str]]) -> ApiStatus:
    """An object that breaks the API's rules: (field, what is wrong) for each."""
    text = ", ".join(f"{field}: {what}" for field, what in causes)
    return ApiStatus(
        422,
        "Invalid",
        f'{kind.kind} "{name}" is invalid: {text if len(causes) == 1 else f"[{text}]"}',
        details={
            **_details(kind, name),
            "causes": [
                {"reason": "FieldValueInvalid", "message": what, "field": field} for field, what in causes
            ],
        },
    )


def bad_request(message: str) -> ApiStatus:
    """A request that cannot be read."""
    return ApiStatus(400, "BadRequest", message)


def expired(wanted: int, oldest: int) -> ApiStatus:
    """A watch that begins before what the server still remembers."""
    return ApiStatus(410, "Expired", f"too old resource version: {wanted} ({oldest})")


def _details(kind: Kind, name: str) -> dict[str, Any]:
    return {"name": name, **({"group": kind.group} if kind.group else {}), "kind": kind.plural}
