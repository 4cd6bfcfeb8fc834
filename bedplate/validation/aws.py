"""How AWS is reached, and what its refusals become.

Every call goes through ``aws_errors``, so that a dead endpoint, missing credentials or a denial is one
clear ``AwsRefused`` with a stable id, never a traceback and never a pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import boto3
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
)
from botocore.parsers import ResponseParserError

from bedplate.errors import AwsRefused

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_ec2 import EC2Client
    from types_boto3_fsx import FSxClient
    from types_boto3_iam import IAMClient
    from types_boto3_pcs import ParallelComputingServiceClient
    from types_boto3_s3 import S3Client
    from types_boto3_service_quotas import ServiceQuotasClient
    from types_boto3_sns import SNSClient
    from types_boto3_ssm import SSMClient
    from types_boto3_sts import STSClient

_REAL_SUFFIXES = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws", ".api.amazonwebservices.com.cn")
_DENIED = frozenset(
    {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "UnauthorizedAccess", "AuthFailure"}
)
_EXPIRED = frozenset(
    {
        "ExpiredToken",
        "ExpiredTokenException",
        "RequestExpired",
        "InvalidClientTokenId",
        "UnrecognizedClientException",
    }
)


class AwsClients:
    """Clients of one Region, made when first asked for; each request has a time limit and a few retries."""

    def __init__(self, *, region: str, session: boto3.session.Session | None = None) -> None:
        self.region = region
        with _configuration():
            self._session = session or boto3.session.Session(region_name=region)
        self._config = Config(
            region_name=region,
            connect_timeout=5,
            # An endpoint that takes a request and never answers is given up within about a minute.
            read_timeout=20,
            retries={"mode": "standard", "total_max_attempts": 3},
            # A round of many nodes reads their answers at once.
            max_pool_connections=32,
            # moto, which plays AWS on a laptop, needs the bucket in the path.
            s3={"addressing_style": "path"} if self._overridden else {},
        )

    @property
    def _overridden(self) -> bool:
        import os

        return any(name.startswith("AWS_ENDPOINT_URL") for name in os.environ)

    @property
    def simulated(self) -> bool:
        """Whether requests go to something that is not AWS."""
        host = urlsplit(self.ssm.meta.endpoint_url).hostname or ""
        return not host.endswith(_REAL_SUFFIXES)

    @cached_property
    def ssm(self) -> SSMClient:
        """Systems Manager."""
        with _configuration():
            return self._session.client("ssm", config=self._config)

    @cached_property
    def ssm_once(self) -> SSMClient:
        """Systems Manager without a second attempt: for a request that must not be carried out twice."""
        once = self._config.merge(Config(retries={"mode": "standard", "total_max_attempts": 1}))
        with _configuration():
            return self._session.client("ssm", config=once)

    @cached_property
    def s3(self) -> S3Client:
        """S3."""
        with _configuration():
            return self._session.client("s3", config=self._config)

    @cached_property
    def ec2(self) -> EC2Client:
        """EC2."""
        with _configuration():
            return self._session.client("ec2", config=self._config)

    @cached_property
    def sts(self) -> STSClient:
        """STS."""
        with _configuration():
            return self._session.client("sts", config=self._config)

    @cached_property
    def iam(self) -> IAMClient:
        """IAM."""
        with _configuration():
            return self._session.client("iam", config=self._config)

    @cached_property
    def quotas(self) -> ServiceQuotasClient:
        """Service Quotas."""
        with _configuration():
            return self._session.client("service-quotas", config=self._config)

    @cached_property
    def cloudformation(self) -> CloudFormationClient:
        """CloudFormation."""
        with _configuration():
            return self._session.client("cloudformation", config=self._config)

    @cached_property
    def sagemaker(self) -> Any:
        """SageMaker, of which HyperPod is a part."""
        with _configuration():
            return self._session.client("sagemaker", config=self._config)

    @cached_property
    def autoscaling(self) -> Any:
        """Auto Scaling, which EKS's managed node groups are made of."""
        with _configuration():
            return self._session.client("autoscaling", config=self._config)

    @cached_property
    def eks(self) -> Any:
        """EKS, whose client has no types among those that we install."""
        with _configuration():
            return self._session.client("eks", config=self._config)

    @cached_property
    def pcs(self) -> ParallelComputingServiceClient:
        """Parallel Computing Service."""
        with _configuration():
            return self._session.client("pcs", config=self._config)

    @cached_property
    def resource_groups(self) -> Any:
        """Resource Groups, whose client has no types among those that we install."""
        with _configuration():
            return self._session.client("resource-groups", config=self._config)

    @cached_property
    def kms(self) -> Any:
        """KMS, whose client has no types among those that we install."""
        with _configuration():
            return self._session.client("kms", config=self._config)

    @cached_property
    def efs(self) -> Any:
        """EFS, whose client has no types among those that we install."""
        with _configuration():
            return self._session.client("efs", config=self._config)

    @cached_property
    def cloudwatch(self) -> Any:
        """CloudWatch, whose client has no types among those that we install."""
        with _configuration():
            return self._session.client("cloudwatch", config=self._config)

    @cached_property
    def grafana(self) -> Any:
        """Amazon Managed Grafana, whose client has no types among those that we install."""
        with _configuration():
            return self._session.client("grafana", config=self._config)

    @cached_property
    def sso_admin(self) -> Any:
        """IAM Identity Center, whose client has no types among those that we install."""
        with _configuration():
            return self._session.client("sso-admin", config=self._config)

    @cached_property
    def sns(self) -> SNSClient:
        """SNS."""
        with _configuration():
            return self._session.client("sns", config=self._config)

    def credentials(self) -> Credentials:
        """What requests are signed with where there is no client for them. Raises ``AwsRefused`` AWS-002
        where there is nothing.
        """
        with _configuration():
            found = self._session.get_credentials()
            if found is None:
                raise NoCredentialsError
            return found

    @cached_property
    def fsx(self) -> FSxClient:
        """FSx."""
        with _configuration():
            return self._session.client("fsx", config=self._config)


@contextmanager
def _configuration() -> Iterator[None]:
    """What boto3 raises over profile, endpoint and the like, as ``AwsRefused``."""
    with aws_errors("reading the AWS configuration"):
        try:
            yield
        except ValueError as error:  # an endpoint that is no URL
            raise AwsRefused(
                f"AWS cannot be reached: {error}",
                error_id="AWS-001",
                remedy="Correct AWS_ENDPOINT_URL and the Region.",
            ) from error


def error_code(error: BaseException | None) -> str:
    """The service's error code, or empty where the error is not from a service."""
    if isinstance(error, ClientError):
        detail: Any = error.response.get("Error", {})
        return str(detail.get("Code", ""))
    return ""


def is_denied(error: BaseException | None) -> bool:
    """Whether a service said that the caller may not."""
    return error_code(error) in _DENIED


@contextmanager
def aws_errors(doing: str) -> Iterator[None]:
    """Turn what boto3 raises while ``doing`` (e.g. ``"reading the manifest"``) into ``AwsRefused``."""
    try:
        yield
    except (NoCredentialsError, PartialCredentialsError, ProfileNotFound) as error:
        raise AwsRefused(
            f"{doing}: there are no AWS credentials to use: {error}",
            error_id="AWS-002",
            remedy="Sign in (for example `aws sso login`), or set AWS_PROFILE.",
        ) from error
    except ClientError as error:
        raise _refused(doing, error) from error
    except BotoCoreError as error:
        raise AwsRefused(
            f"{doing}: AWS cannot be reached: {error}",
            error_id="AWS-001",
            remedy="Look at the network, the proxy and AWS_ENDPOINT_URL, then run the command again.",
        ) from error
    except ValueError as error:  # an endpoint's port that is none, which botocore finds out while it signs
        if not _came_through_botocore(error):
            raise
        raise AwsRefused(
            f"{doing}: AWS cannot be reached: {error}",
            error_id="AWS-001",
            remedy="Correct AWS_ENDPOINT_URL, or unset it.",
        ) from error
    except (ResponseParserError, KeyError) as error:
        if not _raised_by_botocore(error):
            raise
        raise AwsRefused(
            f"{doing}: what answered is not AWS: {type(error).__name__}: {error}",
            error_id="AWS-001",
            remedy="Look at the proxy and at AWS_ENDPOINT_URL: something else answers in AWS's place.",
        ) from error


def _raised_by_botocore(error: BaseException) -> bool:
    """Whether botocore itself stumbled, over an answer in no shape of the service's; else it is ours."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__", "")).startswith("botocore.")


def _came_through_botocore(error: BaseException) -> bool:
    """Whether the error was raised below botocore, by whatever it had called."""
    trace = error.__traceback__
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__", "")).startswith("botocore."):
            return True
        trace = trace.tb_next
    return False


def _refused(doing: str, error: ClientError) -> AwsRefused:
    code, text = error_code(error), str(error)
    if code in _EXPIRED:
        return AwsRefused(
            f"{doing}: the credentials are refused: {text}", error_id="AWS-002", remedy="Sign in again."
        )
    if code in _DENIED:
        return AwsRefused(
            f"{doing}: not allowed: {text}",
            error_id="AWS-003",
            remedy="Attach the policy of the stack output OperatorPolicyArn to whoever runs this.",
        )
    return AwsRefused(
        f"{doing}: AWS refused: {text}", error_id="AWS-004", remedy="Mend what AWS names, then repeat."
    )
