"""Sends one remote write to AMP, signed, with a few tries."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import BotoCoreError
from botocore.httpsession import URLLib3Session

from bedplate.errors import AwsRefused

SERVICE = "aps"
_PATH = "api/v1/remote_write"
_HEADERS = {
    "Content-Encoding": "snappy",
    "Content-Type": "application/x-protobuf",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}
_PAUSES_S = (1.0, 3.0, 9.0)
_TIMEOUT_S = 20
_DOING = "writing the run's metrics to AMP"


@dataclass(frozen=True, kw_only=True)
class Sender:
    """``endpoint`` is the workspace's, with a slash at its end, as CloudFormation gives it."""

    endpoint: str
    region: str
    credentials: Credentials
    sleep: Callable[[float], None] = time.sleep

    def send(self, body: bytes) -> None:
        """Send a body. What may be over in a moment (no answer, 429, 5xx) is tried again; raises
        ``AwsRefused`` where AMP refuses, and where it is still out of reach after the last try.
        """
        for pause_s in (*_PAUSES_S, None):
            try:
                status, text = self._once(body)
            except BotoCoreError as error:
                refusal = _unreachable(str(error))
            else:
                if 200 <= status < 300:
                    return
                refusal = _refusal(status, text)
                if status != 429 and status < 500:
                    raise refusal
            if pause_s is None:
                raise refusal
            self.sleep(pause_s)

    def _once(self, body: bytes) -> tuple[int, str]:
        """One request with a signature of its own, since one holds for minutes only."""
        request = AWSRequest(method="POST", url=f"{self.endpoint}{_PATH}", data=body, headers=dict(_HEADERS))
        SigV4Auth(self.credentials, SERVICE, self.region).add_auth(request)
        session = URLLib3Session(timeout=_TIMEOUT_S)
        try:
            answer = session.send(request.prepare())
            return answer.status_code, answer.text
        finally:
            session.close()


def _refusal(status: int, text: str) -> AwsRefused:
    said = f"{_DOING}: HTTP {status}: {' '.join(text.split())[:300]}"
    if status == 403:
        return AwsRefused(
            said, error_id="AWS-003", remedy="Allow aps:RemoteWrite on the workspace to whoever runs this."
        )
    return AwsRefused(said, error_id="AWS-004", remedy="Mend what AMP names, then validate again.")


def _unreachable(why: str) -> AwsRefused:
    return AwsRefused(
        f"{_DOING}: it cannot be reached: {why}",
        error_id="AWS-001",
        remedy="Look at the network and the proxy; where the runner stands in a subnet, at the endpoint for "
        "aps-workspaces.",
    )
