"""Repeat what AWS throttles, for a while; anything else is nobody's to repeat."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeVar

from botocore.exceptions import ClientError

from bedplate.validation.aws import aws_errors, error_code
from bedplate.validation.transports.ssm_limits import Backoff

T = TypeVar("T")


def patiently(call: Callable[[], T], *, doing: str, backoff: Backoff, sleep: Callable[[float], None]) -> T:
    """The call's result. Raises ``AwsRefused`` for every other refusal, and where the patience is at its end.

    Only a request that AWS refused is repeated, for that was certainly not carried out. Of one whose
    connection broke nobody knows, and a command that was sent twice would put two loads on one node.
    """
    pause = backoff.first_seconds
    for attempt in range(1, backoff.attempts + 1):
        with aws_errors(doing):
            try:
                return call()
            except ClientError as error:
                if error_code(error) not in backoff.codes or attempt == backoff.attempts:
                    raise
        # Many readers are throttled at the same moment: they must not come back at the same moment.
        sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - a pause is no secret
        pause = min(pause * backoff.factor, backoff.most_seconds)
    raise AssertionError("the last attempt returns or raises")
