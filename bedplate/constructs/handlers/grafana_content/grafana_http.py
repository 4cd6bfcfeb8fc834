"""Grafana's own HTTP API, by a service account's token.

A workspace restarts when its configuration changes and is out of reach for a while when it is new: what a
proxy or the network says then is asked again until ``patience_seconds`` are over. Grafana's own refusals
are errors at once.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

ANSWER_SECONDS = 30
PAUSE_SECONDS = 5
MESSAGE_LIMIT = 500
PASSING = (429, 502, 503, 504)
"""Answers of a proxy, or of a Grafana that starts: worth asking again."""


class GrafanaError(Exception):
    """What Grafana refused, or that it did not answer in time."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A workspace sends strangers to its login page: the token must not follow them."""

    def redirect_request(self, *_: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


class Grafana:
    """One workspace. ``endpoint`` is as DescribeWorkspace tells it, a host name without a scheme."""

    def __init__(
        self,
        *,
        endpoint: str,
        token: str,
        patience_seconds: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url: str = address(endpoint)
        """Where it answers."""
        self._token = token
        self._clock, self._sleep = clock, sleep
        self._until = clock() + patience_seconds

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The answer's JSON; None where there is no such thing (404). Raises ``GrafanaError`` otherwise."""
        while True:
            status, text = self._ask(method, path, body)
            if status == 404:
                return None
            if 200 <= status < 300:
                return _json(text, f"{method} {path}")
            if status and status not in PASSING:
                break
            if self._clock() + PAUSE_SECONDS > self._until:
                break
            self._sleep(PAUSE_SECONDS)
        said = f"answered {status}" if status else "did not answer"
        raise GrafanaError(f"Grafana {said} to {method} {path}: {_message(text)}")

    def _ask(self, method: str, path: str, body: object) -> tuple[int, str]:
        """Status and text; status 0 and the reason where nobody answered."""
        request = urllib.request.Request(  # noqa: S310 - the scheme is checked in address()
            f"{self.url}{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={
                "Authorization": f"Bearer {self._token}",
                "Accept": "application/json",
                "Content-Type": "application/json",
            },
        )
        try:
            with _OPENER.open(request, timeout=ANSWER_SECONDS) as answer:
                return int(answer.status), answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(errors="replace")
        except OSError as error:  # URLError, time-outs and resets
            return 0, str(getattr(error, "reason", error))


def address(endpoint: str) -> str:
    """The URL of a workspace: https always, for a token goes there; http to this machine alone."""
    url = endpoint if "://" in endpoint else f"https://{endpoint}"
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "https" and (parts.scheme, parts.hostname) != ("http", "localhost"):
        raise GrafanaError(f"the workspace's endpoint {endpoint} is not of https")
    return url.rstrip("/")


def _json(text: str, asked: str) -> Any:
    try:
        return json.loads(text) if text else {}
    except ValueError as error:
        raise GrafanaError(f"Grafana's answer to {asked} is no JSON: {text[:MESSAGE_LIMIT]}") from error


def _message(text: str) -> str:
    """What Grafana says in words, or the beginning of whatever it sent."""
    try:
        said = json.loads(text)
    except ValueError:
        said = None
    words = said.get("message") if isinstance(said, dict) else None
    return str(words or text.strip() or "no reason given")[:MESSAGE_LIMIT]
