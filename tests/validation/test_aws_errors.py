"""Tests of what AWS's refusals become."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError, ProfileNotFound

from bedplate.errors import AwsRefused, ExitCode
from bedplate.validation.aws import AwsClients, aws_errors
from bedplate.validation.aws_rows import ROWS


@pytest.fixture
def httpserver_body():
    """Start a server on loopback that answers every request with one body; gives its URL."""
    servers = []

    def start(body: str) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        server = HTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def refusal(code: str) -> ClientError:
    """A service's refusal."""
    return ClientError({"Error": {"Code": code, "Message": "because"}}, "DescribeThings")


@pytest.mark.parametrize(
    ("error", "error_id"),
    [
        (EndpointConnectionError(endpoint_url="http://localhost:1"), "AWS-001"),
        (NoCredentialsError(), "AWS-002"),
        (ProfileNotFound(profile="nope"), "AWS-002"),
        (refusal("ExpiredToken"), "AWS-002"),
        (refusal("UnauthorizedOperation"), "AWS-003"),
        (refusal("AccessDeniedException"), "AWS-003"),
        (refusal("ValidationException"), "AWS-004"),
    ],
)
def test_each_kind_of_refusal_has_its_id_and_exit_code(error, error_id) -> None:
    """Whoever reads the message learns what was being done, why it failed and how to mend it."""
    with pytest.raises(AwsRefused, match="counting sheep") as caught, aws_errors("counting sheep"):
        raise error
    assert caught.value.error_id == error_id
    assert caught.value.exit_code is ExitCode.AWS_REFUSED
    assert caught.value.remedy
    assert error_id in ROWS


def test_a_defect_of_our_own_is_not_called_a_refusal() -> None:
    """Only what boto3 raises is AWS's."""
    with pytest.raises(KeyError), aws_errors("counting sheep"):
        raise KeyError("x")


@pytest.mark.parametrize(
    ("endpoint", "simulated"),
    [(None, False), ("http://localhost:4566", True), ("https://ssm.us-west-2.api.aws", False)],
)
def test_whatever_is_not_aws_is_simulated(monkeypatch, endpoint, simulated) -> None:
    """The mark follows from where requests go, not from what anybody claims."""
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SSM"):
        monkeypatch.delenv(name, raising=False)
    if endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    assert AwsClients(region="us-west-2").simulated is simulated


@pytest.mark.parametrize(
    ("endpoint", "profile", "error_id"),
    [("nonsense", None, "AWS-001"), (None, "there-is-none-of-this-name", "AWS-002")],
)
def test_a_configuration_that_makes_no_sense_is_refused_by_name(
    monkeypatch, endpoint, profile, error_id
) -> None:
    """An endpoint that is no URL, and a profile that is not there, end as clear errors."""
    for name, value in (("AWS_ENDPOINT_URL", endpoint), ("AWS_PROFILE", profile)):
        monkeypatch.delenv(name, raising=False)
        if value:
            monkeypatch.setenv(name, value)
    with pytest.raises(AwsRefused) as caught:
        _ = AwsClients(region="us-west-2").ssm
    assert caught.value.error_id == error_id


def test_a_port_that_is_none_is_refused_at_the_first_request(monkeypatch) -> None:
    """Botocore takes such an endpoint, and stumbles when it signs: no defect of ours."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:99999")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    clients = AwsClients(region="us-west-2")
    with pytest.raises(AwsRefused, match="Port out of range") as caught, aws_errors("asking who calls"):
        clients.sts.get_caller_identity()
    assert caught.value.error_id == "AWS-001"
    with pytest.raises(ValueError, match="sheep"), aws_errors("counting"):
        raise ValueError("sheep")


@pytest.mark.parametrize("body", ["<html>hello</html>", "", "plain", "{}"])
def test_an_answer_that_is_not_of_the_service_is_refused(monkeypatch, httpserver_body, body) -> None:
    """Something else that answers in AWS's place is named as such, whatever it says."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", httpserver_body(body))
    clients = AwsClients(region="us-west-2")
    with pytest.raises(AwsRefused) as caught, aws_errors("asking who the caller is"):
        clients.sts.get_caller_identity()
    assert caught.value.error_id == "AWS-001"
