"""Who asks: the token that EKS takes, which is a signed question to STS about oneself.

Its form is that of the AWS CLI (``aws eks get-token``) and of aws-iam-authenticator: the address of a signed
GetCallerIdentity that is valid for 60 s, signed with the header ``x-k8s-aws-id``, in base64 without padding.
EKS takes it for 15 minutes.
"""

from __future__ import annotations

import base64
from typing import Protocol

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import ReadOnlyCredentials

PREFIX = "k8s-aws-v1."
CLUSTER_HEADER = "x-k8s-aws-id"
FRESH_SECONDS = 600.0
"""After so long a new one is made, well before EKS refuses the old one."""
_VALID_SECONDS = 60


class Signs(Protocol):
    """Credentials of the caller, temporary or not."""

    def get_frozen_credentials(self) -> ReadOnlyCredentials:
        """Key, secret and session token that belong together."""
        ...


def eks_token(*, credentials: Signs, region: str, sts_endpoint: str, cluster: str) -> str:
    """A bearer token for one cluster; ``sts_endpoint`` is STS's own in the Region, such as
    ``https://sts.us-west-2.amazonaws.com``.
    """
    url = f"{sts_endpoint.rstrip('/')}/?Action=GetCallerIdentity&Version=2011-06-15"
    request = AWSRequest(method="GET", url=url, headers={CLUSTER_HEADER: cluster})
    signer = SigV4QueryAuth(credentials.get_frozen_credentials(), "sts", region, expires=_VALID_SECONDS)
    signer.add_auth(request)
    told = base64.urlsafe_b64encode(str(request.url).encode("utf-8")).decode("ascii")
    return PREFIX + told.rstrip("=")
