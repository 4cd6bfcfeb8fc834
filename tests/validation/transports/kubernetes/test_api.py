"""The API server is asked with patience that ends, over the real client library and real sockets."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bedplate.validation.transports.kubernetes.api import KubernetesApi, Patience
from bedplate.validation.transports.kubernetes.cluster import ClusterAddress, cluster_address
from bedplate.validation.transports.kubernetes.refused import ClusterRefused

Told = tuple[int, dict, dict[str, str]]


@dataclass
class Script:
    """A server that gives the answers of a list, the last of them for ever. Status 0 hangs up."""

    answers: list[Told]
    seen: list[dict] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    tokens: int = 0
    address: str = ""

    def token(self) -> str:
        """A new one each time."""
        self.tokens += 1
        return f"token-{self.tokens}"

    @property
    def api(self) -> KubernetesApi:
        """Asks it; pauses are noted and not made."""
        patience = Patience(attempts=4, request=(2.0, 2.0))
        return KubernetesApi(ClusterAddress(self.address), self.token, self.waits.append, patience)


@pytest.fixture
def script() -> Iterator[Script]:
    """The server, until the test has ended."""
    told = Script([(200, {}, {})])

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length).decode()
            told.seen.append(
                {
                    "method": self.command,
                    "path": self.path,
                    "body": json.loads(body) if body else None,
                    "type": self.headers.get("Content-Type"),
                    "authorization": self.headers.get("Authorization"),
                }
            )
            status, document, headers = told.answers.pop(0) if len(told.answers) > 1 else told.answers[0]
            if not status:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            data = json.dumps(document).encode()
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield told
    server.shutdown()
    server.server_close()


def test_a_list_is_read_page_by_page(script: Script) -> None:
    """A large cluster's pods come in pages; selectors go with each."""
    script.answers = [
        (200, {"items": [{"n": 1}], "metadata": {"continue": "more"}}, {}),
        (200, {"items": [{"n": 2}], "metadata": {}}, {}),
    ]
    assert script.api.listed("/api/v1/pods", labels="a=b") == [{"n": 1}, {"n": 2}]
    assert [one["path"] for one in script.seen] == [
        "/api/v1/pods?limit=500&labelSelector=a%3Db",
        "/api/v1/pods?limit=500&labelSelector=a%3Db&continue=more",
    ]
    assert script.seen[0]["authorization"] == "Bearer token-1"


@pytest.mark.parametrize("status", [0, 429, 500, 503])
def test_what_is_throttled_or_cut_is_asked_again_with_growing_pauses(script: Script, status: int) -> None:
    """Whatever the request: each may be said twice."""
    script.answers = [(status, {}, {}), (status, {}, {}), (201, {}, {})]
    script.api.create("/api/v1/namespaces/n/configmaps", {"metadata": {"name": "x"}})
    assert [one["body"] for one in script.seen] == [{"metadata": {"name": "x"}}] * 3
    assert len(script.waits) == 2
    assert 0.25 <= script.waits[0] <= 0.5 <= script.waits[1] <= 1.0


def test_a_server_that_says_how_long_to_wait_is_heard(script: Script) -> None:
    """And not beyond our own patience."""
    script.answers = [(429, {}, {"Retry-After": "7"}), (429, {}, {"Retry-After": "9999"}), (200, {}, {})]
    script.api.delete("/apis/batch/v1/namespaces/n/jobs/x", propagation="Foreground")
    assert script.waits == [7.0, 20.0]
    assert script.seen[0]["path"].endswith("?propagationPolicy=Foreground")


@pytest.mark.parametrize(("status", "error_id"), [(0, "KAP-001"), (503, "KAP-003")])
def test_patience_ends_and_the_reason_is_told(script: Script, status: int, error_id: str) -> None:
    """After four attempts here, never without end."""
    script.answers = [(status, {"message": "etcdserver: request timed out"}, {})]
    with pytest.raises(ClusterRefused) as caught:
        script.api.listed("/api/v1/nodes")
    assert (caught.value.error_id, len(script.seen), len(script.waits)) == (error_id, 4, 3)
    assert ("no answer" if not status else "HTTP 503: etcdserver") in str(caught.value)


@pytest.mark.parametrize(("status", "error_id"), [(403, "KAP-002"), (404, "KAP-003"), (422, "KAP-003")])
def test_a_refusal_is_not_repeated(script: Script, status: int, error_id: str) -> None:
    """Kubernetes' own message is what is told."""
    script.answers = [(status, {"message": 'jobs.batch is forbidden: User "x" cannot create'}, {})]
    with pytest.raises(ClusterRefused, match='User "x" cannot create') as caught:
        script.api.merge("/api/v1/namespaces/n/pods/p", {"spec": {"schedulingGates": None}})
    assert (caught.value.error_id, len(script.seen)) == (error_id, 1)
    assert script.seen[0]["type"] == "application/merge-patch+json"
    assert script.seen[0]["body"] == {"spec": {"schedulingGates": None}}


def test_a_token_that_is_refused_is_made_anew_once(script: Script) -> None:
    """A run lasts longer than a token; a caller whom the cluster does not know is told so."""
    script.answers = [(401, {}, {}), (200, {"items": []}, {})]
    assert script.api.listed("/api/v1/nodes") == []
    assert [one["authorization"] for one in script.seen] == ["Bearer token-1", "Bearer token-2"]
    script.answers = [(401, {"message": "Unauthorized"}, {})]
    with pytest.raises(ClusterRefused, match="Unauthorized") as caught:
        script.api.listed("/api/v1/nodes")
    assert (caught.value.error_id, len(script.seen)) == ("KAP-002", 4)


def test_what_is_there_already_is_created_and_what_is_gone_is_deleted(script: Script) -> None:
    """Names are nobody else's, so a conflict is the echo of a request whose answer was lost."""
    script.answers = [(409, {}, {}), (404, {}, {})]
    script.api.create("/apis/batch/v1/namespaces/n/jobs", {})
    script.api.delete("/apis/batch/v1/namespaces/n/jobs/x")
    assert [one["method"] for one in script.seen] == ["POST", "DELETE"]


class _Eks:
    def __init__(self, endpoint: str, data: str) -> None:
        self._cluster = {"endpoint": endpoint, "certificateAuthority": {"data": data}}

    def describe_cluster(self, *, name: str) -> dict:
        """As EKS."""
        return {"cluster": self._cluster}


def test_an_api_server_proves_who_it_is_by_the_cluster_s_own_authority() -> None:
    """Without one nothing is sent, least of all a token."""
    address = cluster_address(eks=_Eks("https://x.eks.amazonaws.com", "UEVN"), name="prod")
    assert address == ClusterAddress("https://x.eks.amazonaws.com", "PEM")
    for endpoint, data in (("https://x.eks.amazonaws.com", ""), ("", ""), ("http://10.0.0.1:80", "UEVN")):
        with pytest.raises(ValueError, match="proves who it is"):
            cluster_address(eks=_Eks(endpoint, data), name="prod")
