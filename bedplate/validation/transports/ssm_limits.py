"""What SSM Run Command allows and how patient we are with it. Data; nothing else decides about time."""

from __future__ import annotations

from dataclasses import dataclass, field

ARGUMENT_CHARACTERS = 30_000
"""Of the options of one command. AWS publishes no limit for parameters (documents have 64 KB), Linux takes
128 KiB for one argument. Unverified in an account.
"""


@dataclass(frozen=True)
class Backoff:
    """How a call that AWS throttles is repeated: beyond the three attempts that botocore itself makes."""

    attempts: int = 8
    first_seconds: float = 0.5
    factor: float = 2.0
    most_seconds: float = 20.0
    codes: frozenset[str] = frozenset(
        {
            "Throttling",
            "ThrottlingException",
            "ThrottledException",
            "RequestThrottled",
            "RequestThrottledException",
            "RequestLimitExceeded",
            "TooManyRequestsException",
            "RateExceeded",
            "SlowDown",
            "InternalServerError",
            "InternalError",
            "InternalFailure",
            "ServiceUnavailable",
            "503",
        }
    )


@dataclass(frozen=True)
class SsmLimits:
    """Numbers of the API and of our patience with it, in seconds where no unit is named.

    ``instance_ids``: of one SendCommand (SSM API reference). ``tag_from``: a whole group of at least so many
    nodes is addressed by its tag, in one call instead of many. ``delivery``: until SSM gives up a command
    that no agent fetches; the API's least is 30. ``upload``: the agent writes to the bucket a little after it
    reported. ``lost_look``: how often agents are asked after while a command runs; one that is twice offline
    in a row is lost. ``page_pause``: beside the pause, for each page of a listing, so that a large fleet is
    not asked for its state faster than it can be told.
    """

    instance_ids: int = 50
    tag_from: int = 51
    delivery: int = 60
    upload: float = 20.0
    first_pause: float = 0.2
    pause_factor: float = 1.4
    most_pause: float = 5.0
    page_pause: float = 0.1
    lost_look: float = 60.0
    readers: int = 16
    backoff: Backoff = field(default_factory=Backoff)
