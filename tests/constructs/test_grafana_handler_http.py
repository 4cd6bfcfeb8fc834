"""How the handler of Grafana's content speaks to Grafana, against a small server that answers as told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any

import pytest

from tests.constructs.grafana_handler import load

TOKEN = "glsa_secret"


@dataclass
class Server:
    """Answers in the order that they are told in, the last one for ever; remembers what it was asked."""

    url: str = ""
    answers: list[tuple[int, str]] = field(default_factory=list)
    asked: list[tuple[str, str, str]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on loopback."""
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def _any(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told.asked.append((self.command, self.path, self.headers.get("Authorization", "")))
            status, text = told.answers.pop(0) if len(told.answers) > 1 else told.answers[0]
            self.send_response(status)
            if status in (302, 307):
                self.send_header("Location", f"{told.url}/elsewhere")
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        do_GET = do_POST = do_DELETE = _any  # noqa: N815 - http.server's names

        def log_message(self, *_: object) -> None:
            """Nothing."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.url = f"http://localhost:{running.server_port}"
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield told
    running.shutdown()
    thread.join(5)
    running.server_close()


class Clock:
    """Time that passes in sleep alone."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """What time it is."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


@pytest.fixture
def http(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module."""
    return load("grafana_http", monkeypatch)


def _grafana(
    http: ModuleType, url: str, *, patience_seconds: float = 60.0, clock: Clock | None = None
) -> Any:
    clock = clock or Clock()
    return http.Grafana(
        endpoint=url, token=TOKEN, patience_seconds=patience_seconds, clock=clock, sleep=clock.sleep
    )


def test_an_answer_is_read(http: ModuleType, server: Server) -> None:
    """JSON as it is, nothing for an empty body, None for what is not there; the token goes along."""
    server.answers = [(200, '{"uid": "a"}'), (200, ""), (404, '{"message": "not found"}')]
    grafana = _grafana(http, server.url)
    assert [grafana.call("GET", "/api/x") for _ in range(3)] == [{"uid": "a"}, {}, None]
    assert server.asked[0] == ("GET", "/api/x", f"Bearer {TOKEN}")


@pytest.mark.parametrize("status", [502, 503, 504, 429])
def test_a_grafana_that_starts_is_asked_again(http: ModuleType, server: Server, status: int) -> None:
    """What a proxy says meanwhile is no answer."""
    server.answers = [(status, "<html>starting</html>")] * 3 + [(200, "{}")]
    clock = Clock()
    assert _grafana(http, server.url, clock=clock).call("POST", "/api/x", {"a": 1}) == {}
    assert len(server.asked) == 4
    assert clock.now == 3 * http.PAUSE_SECONDS


def test_patience_ends(http: ModuleType, server: Server) -> None:
    """The last answer is the reason, and all calls of a run share one patience."""
    server.answers = [(503, "starting")]
    clock = Clock()
    grafana = _grafana(http, server.url, patience_seconds=20, clock=clock)
    with pytest.raises(http.GrafanaError, match="answered 503 to GET /api/x: starting"):
        grafana.call("GET", "/api/x")
    assert clock.now <= 20
    asked = len(server.asked)
    with pytest.raises(http.GrafanaError):
        grafana.call("GET", "/api/y")
    assert len(server.asked) == asked + 1


def test_nobody_answers(http: ModuleType, server: Server) -> None:
    """A refused connection is asked again for a while, and then told."""
    clock = Clock()
    grafana = _grafana(http, "http://localhost:1", patience_seconds=12, clock=clock)
    with pytest.raises(http.GrafanaError, match=r"did not answer to GET /api/x: .*refused"):
        grafana.call("GET", "/api/x")
    assert clock.now == 2 * http.PAUSE_SECONDS


@pytest.mark.parametrize(
    ("status", "text", "words"),
    [
        (400, json.dumps({"message": "title empty", "status": "empty-name"}), "title empty"),
        (412, json.dumps({"message": "changed by someone else"}), "changed by someone else"),
        (500, "oops", "oops"),
        (403, "", "no reason given"),
        (400, json.dumps([{"fieldNames": ["Title"]}]), "Title"),
    ],
)
def test_a_refusal_is_told_at_once(
    http: ModuleType, server: Server, status: int, text: str, words: str
) -> None:
    """Grafana's own words, without a second try and without the token."""
    server.answers = [(status, text)]
    with pytest.raises(http.GrafanaError) as caught:
        _grafana(http, server.url).call("POST", "/api/dashboards/db", {"dashboard": {}})
    assert f"answered {status} to POST /api/dashboards/db" in str(caught.value)
    assert words in str(caught.value)
    assert TOKEN not in str(caught.value)
    assert len(server.asked) == 1


def test_the_token_follows_no_redirect(http: ModuleType, server: Server) -> None:
    """A workspace sends strangers to its login page; nobody is asked there."""
    server.answers = [(302, "")]
    with pytest.raises(http.GrafanaError, match="answered 302"):
        _grafana(http, server.url).call("GET", "/api/x")
    assert [path for _, path, _ in server.asked] == ["/api/x"]


def test_a_page_for_people_is_no_answer(http: ModuleType, server: Server) -> None:
    """A 200 with HTML, as a login page comes, is an error and not an empty result."""
    server.answers = [(200, "<html>Log in</html>")]
    with pytest.raises(http.GrafanaError, match="is no JSON: <html>"):
        _grafana(http, server.url).call("GET", "/api/x")


def test_tokens_go_by_https_alone(http: ModuleType) -> None:
    """A host name is asked by https; a plain URL is taken for this machine alone."""
    host = "g-0123456789.grafana-workspace.us-west-2.amazonaws.com"
    assert http.address(host) == f"https://{host}"
    assert http.address("http://localhost:5000/x/") == "http://localhost:5000/x"
    for endpoint in ("http://example.com", "ftp://localhost", "http://localhost.example.com"):
        with pytest.raises(http.GrafanaError, match="is not of https"):
            http.address(endpoint)
