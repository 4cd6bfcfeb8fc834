"""Refusals that a test asks for: throttling and failures of the API server."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal

from bedplate.sandbox.kubernetes.rest import Request
from bedplate.sandbox.kubernetes.status import ApiStatus

_THROTTLED = 429


@dataclass
class _Fault:
    code: int
    left: int
    method: str
    part_of_path: str
    retry_after_s: int

    def strikes(self, request: Request) -> bool:
        return self.method in ("", request.method) and self.part_of_path in request.path


class RequestFaults:
    """The refusals that are still to come, each for a number of requests; the first that fits is taken."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[_Fault] = []
        self.struck = 0
        """How many requests were refused so far."""

    def refuse(
        self,
        code: Literal[429, 500, 503],
        *,
        times: int,
        method: str = "",
        part_of_path: str = "",
        retry_after_s: int = 1,
    ) -> None:
        """Refuse the next requests of this method whose path has that part; 429 says when to come again."""
        with self._lock:
            self._faults.append(_Fault(code, times, method, part_of_path, retry_after_s))

    def strike(self, request: Request) -> None:
        """Raises ``ApiStatus`` where a fault is due."""
        with self._lock:
            fault = next((one for one in self._faults if one.left > 0 and one.strikes(request)), None)
            if fault is None:
                return
            fault.left -= 1
            self.struck += 1
        if fault.code == _THROTTLED:
            raise ApiStatus(
                429,
                "TooManyRequests",
                "Too many requests, please try again later.",
                details={"retryAfterSeconds": fault.retry_after_s},
            )
        reason = "InternalError" if fault.code == 500 else "ServiceUnavailable"
        raise ApiStatus(fault.code, reason, "injected by the sandbox: the server failed")
