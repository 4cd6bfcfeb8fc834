"""Whether a bearer token is one that EKS would look into."""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

_PREFIX = "k8s-aws-v1."
_HEADER = "x-k8s-aws-id"
_LASTS = timedelta(minutes=15)
"""As long as EKS takes a token (aws-iam-authenticator, README)."""


def is_caller_token(token: str) -> bool:
    """SIMULATED: its form and its age are looked at, neither the signature nor the access entries are."""
    if not token.startswith(_PREFIX):
        return False
    coded = token.removeprefix(_PREFIX)
    try:
        url = base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode("ascii")
        asked = {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}
        signed = datetime.strptime(asked["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except (KeyError, ValueError, binascii.Error):
        return False
    young = datetime.now(UTC) - signed < _LASTS
    names = asked.get("X-Amz-SignedHeaders", "").split(";")
    return young and asked.get("Action") == "GetCallerIdentity" and _HEADER in names
