"""What an API service of the sandbox is made of.

A service is a name, as botocore spells it, and a table from operation to a function ``(Call) -> result``.
Requests are parsed, and results serialised, by the botocore model of the service, so that a member that AWS
does not have is dropped and a wrong type is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from moto.core.exceptions import ServiceException


class ApiError(ServiceException):
    """An error that an AWS client sees: ``code`` is AWS's error code, ``message`` its text."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)


@dataclass(frozen=True)
class Call:
    """One API request: who calls, where, and with which parameters (named as in the botocore model)."""

    account: str
    region: str
    operation: str
    parameters: Mapping[str, Any]

    def get(self, name: str, default: Any = None) -> Any:
        """The parameter, or ``default`` where the caller left it out."""
        return self.parameters.get(name, default)

    def need(self, name: str) -> Any:
        """The parameter; refused where the caller left it out."""
        value = self.parameters.get(name)
        if value is None or value == "":
            raise ApiError("ValidationException", f"{self.operation}: parameter {name} is required")
        return value


@dataclass(frozen=True)
class Answer:
    """An HTTP answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Operation = Callable[[Call], Mapping[str, Any] | None]


@dataclass(frozen=True)
class Service:
    """A table of operations.

    ``exclusive``: operations that are not in the table are refused, save those in ``passes_on``, which go on
    to moto; not exclusive: every other operation goes on to moto.
    ``signing_name``: how requests name the service in their signature, where that differs from ``name``.
    """

    name: str
    operations: Mapping[str, Operation]
    exclusive: bool = True
    signing_name: str = ""
    passes_on: frozenset[str] = field(default=frozenset())

    @property
    def signed_as(self) -> str:
        """The name under which requests for this service are signed."""
        return self.signing_name or self.name

    def leaves_to_moto(self, operation: str) -> bool:
        """Whether moto plays the operation."""
        return operation not in self.operations and (not self.exclusive or operation in self.passes_on)
