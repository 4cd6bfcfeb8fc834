"""The token that EKS takes has the form that AWS documents, and is signed for one cluster."""

from __future__ import annotations

import base64
import re
from urllib.parse import parse_qs, urlsplit

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from bedplate.validation.transports.kubernetes.token import eks_token

TEMPORARY = Credentials("AKIDEXAMPLE", "secret", "session-token")
STS = "https://sts.us-west-2.amazonaws.com"


def _token(cluster: str = "prod", credentials: Credentials = TEMPORARY) -> str:
    return eks_token(credentials=credentials, region="us-west-2", sts_endpoint=STS, cluster=cluster)


def _url(token: str) -> str:
    told = token.removeprefix("k8s-aws-v1.")
    return base64.urlsafe_b64decode(told + "=" * (-len(told) % 4)).decode()


def test_a_token_is_the_address_of_a_signed_question_about_oneself() -> None:
    """Prefix, base64 for addresses without padding, GetCallerIdentity of STS in the Region, for a minute."""
    token = _token()
    assert re.fullmatch(r"k8s-aws-v1\.[A-Za-z0-9_-]+", token)
    url = urlsplit(_url(token))
    assert (url.scheme, url.netloc, url.path) == ("https", "sts.us-west-2.amazonaws.com", "/")
    query = {key: values[0] for key, values in parse_qs(url.query).items()}
    assert (query["Action"], query["Version"]) == ("GetCallerIdentity", "2011-06-15")
    assert query["X-Amz-Expires"] == "60"
    assert query["X-Amz-SignedHeaders"] == "host;x-k8s-aws-id"
    assert query["X-Amz-Security-Token"] == "session-token"
    assert query["X-Amz-Credential"].endswith("/us-west-2/sts/aws4_request")


def _signature(url: str, cluster: str) -> str:
    """As STS computes it, when the cluster's name is put into the header that was signed."""
    parts = urlsplit(url)
    unsigned = parts.query.rpartition("&X-Amz-Signature=")[0]
    request = AWSRequest("GET", f"{STS}/?{unsigned}", headers={"x-k8s-aws-id": cluster})
    request.context["timestamp"] = parse_qs(parts.query)["X-Amz-Date"][0]
    signer = SigV4QueryAuth(TEMPORARY.get_frozen_credentials(), "sts", "us-west-2", expires=60)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    return signer.signature(text, request)


def test_a_token_is_good_for_its_own_cluster_alone() -> None:
    """EKS sends its own name in the header: signed for another, the question is refused."""
    url = _url(_token("prod"))
    signed = parse_qs(urlsplit(url).query)["X-Amz-Signature"][0]
    assert _signature(url, "prod") == signed
    assert _signature(url, "other") != signed


def test_credentials_without_a_session_make_a_token_too() -> None:
    """A user's own key has no session token."""
    assert "X-Amz-Security-Token" not in _url(_token(credentials=Credentials("AKIDEXAMPLE", "secret")))
