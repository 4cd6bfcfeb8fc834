"""Tests of what AWS's refusals become."""

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError

from bedplate.errors import AwsRefused, ExitCode
from bedplate.validation.aws import AwsClients, aws_errors
from bedplate.validation.aws_rows import ROWS


def refusal(code: str) -> ClientError:
    """A service's refusal."""
    return ClientError({"Error": {"Code": code, "Message": "because"}}, "DescribeThings")


@pytest.mark.parametrize(
    ("error", "error_id"),
    [
        (EndpointConnectionError(endpoint_url="http://localhost:1"), "AWS-001"),
        (NoCredentialsError(), "AWS-002"),
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
