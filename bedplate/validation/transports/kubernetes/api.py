"""The API server, with the patience that its throttling and its restarts ask for, and no more.

Every request may be sent twice: objects are created by names that nobody else gives, and a patch or a
deletion says the same however often it is said. So one whose connection broke is repeated too.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from bedplate.validation.transports.kubernetes.cluster import ClusterAddress
from bedplate.validation.transports.kubernetes.refused import ClusterRefused
from bedplate.validation.transports.kubernetes.token import FRESH_SECONDS

_AGAIN = frozenset({429, 500, 502, 503, 504})
_PAGE = 500
_JSON, _MERGE = "application/json", "application/merge-patch+json"


@dataclass(frozen=True)
class Patience:
    """In seconds where no unit is named. ``request`` is for connecting and for each read."""

    attempts: int = 8
    first_pause: float = 0.5
    factor: float = 2.0
    most_pause: float = 20.0
    request: tuple[float, float] = (5.0, 30.0)


@dataclass
class KubernetesApi:
    """``token`` makes a bearer token; it is asked for a new one in time, and at once where one is refused."""

    address: ClusterAddress
    token: Callable[[], str]
    sleep: Callable[[float], None] = field(default=time.sleep)
    patience: Patience = field(default_factory=Patience)
    _held: str = ""
    _held_since: float = 0.0

    def listed(self, path: str, *, labels: str = "", fields: str = "") -> list[dict[str, Any]]:
        """All items, page by page. Raises ``ClusterRefused``."""
        query = {"limit": str(_PAGE), "labelSelector": labels, "fieldSelector": fields}
        items: list[dict[str, Any]] = []
        while True:
            page = json.loads(self._ask("GET", path, query))
            items += page.get("items") or []
            follows = page.get("metadata", {}).get("continue", "")
            if not follows:
                return items
            query["continue"] = follows

    def create(self, path: str, document: Mapping[str, Any]) -> None:
        """What is there by this name already is ours, from a request whose answer was lost."""
        try:
            self._ask("POST", path, {}, document)
        except ClusterRefused as refused:
            if refused.status != 409:
                raise

    def merge(self, path: str, patch: Mapping[str, Any]) -> None:
        """A JSON merge patch: null takes a field away."""
        self._ask("PATCH", path, {}, patch, _MERGE)

    def delete(self, path: str, *, propagation: str = "Background") -> None:
        """What is not there is deleted."""
        try:
            self._ask("DELETE", path, {"propagationPolicy": propagation})
        except ClusterRefused as refused:
            if refused.status != 404:
                raise

    def text(self, path: str, *, query: Mapping[str, str]) -> str:
        """An answer that is no JSON, such as a log."""
        return self._ask("GET", path, query).decode("utf-8", errors="replace")

    def _ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Mapping[str, Any] | None = None,
        content_type: str = _JSON,
    ) -> bytes:
        pause, renewed = self.patience.first_pause, False
        for attempt in range(1, self.patience.attempts + 1):
            status, told, wait = self._once(method, path, query, body, content_type)
            if 200 <= status < 300:
                return told
            if status == 401 and not renewed:
                # A token lasts minutes, a run hours.
                renewed, self._held = True, ""
                continue
            if (status and status not in _AGAIN) or attempt == self.patience.attempts:
                break
            # Many are throttled at the same moment: they must not come back at the same moment.
            self.sleep(max(wait, pause * random.uniform(0.5, 1.0)))  # noqa: S311 - a pause is no secret
            pause = min(pause * self.patience.factor, self.patience.most_pause)
        raise ClusterRefused(f"{method} {path}: {_reason(status, told)}", status=status)

    def _once(
        self, method: str, path: str, query: Mapping[str, str], body: object, content_type: str
    ) -> tuple[int, bytes, float]:
        """Status, what was told, and how long the server asks us to wait; status 0 where nobody answered."""
        from kubernetes.client.exceptions import ApiException
        from urllib3.exceptions import HTTPError

        told = urlencode({key: value for key, value in query.items() if value})
        headers = {"Accept": "*/*", "Content-Type": content_type, "Authorization": f"Bearer {self._token()}"}
        try:
            answer = self._client.call_api(
                method,
                f"{self.address.endpoint}{path}{'?' + told if told else ''}",
                header_params=headers,
                body=body,
                _request_timeout=self.patience.request,
            )
            return answer.status, answer.read() or b"", self._wait(answer.headers.get("Retry-After"))
        except (ApiException, HTTPError, OSError) as error:
            return 0, str(error).encode("utf-8", errors="replace"), 0.0

    def _wait(self, told: str | None) -> float:
        seconds = float(told) if told is not None and told.isdigit() else 0.0
        return min(seconds, self.patience.most_pause)

    def _token(self) -> str:
        now = time.monotonic()
        if not self._held or now - self._held_since > FRESH_SECONDS:
            self._held, self._held_since = self.token(), now
        return self._held

    @cached_property
    def _client(self) -> Any:
        # Half a second to import, which nobody pays who has no such cluster.
        from kubernetes.client import ApiClient, Configuration

        configuration = Configuration()
        configuration.host = self.address.endpoint
        configuration.ca_cert_data = self.address.certificate_authority or None
        # Ours is the only patience.
        configuration.retries = False
        return ApiClient(configuration)


def _reason(status: int, told: bytes) -> str:
    """Kubernetes' own words where it has some."""
    text = told.decode("utf-8", errors="replace")
    if not status:
        return f"no answer: {text[:300]}"
    try:
        message = json.loads(text).get("message", "")
    except (ValueError, AttributeError):
        message = ""
    return f"HTTP {status}: {(message or text)[:500]}"
