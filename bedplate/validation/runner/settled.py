"""Whether a deploy has come to rest: stacks are deployed one after the other, and each has an end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from botocore.exceptions import ClientError

from bedplate.errors import BedplateError
from bedplate.validation.aws import AwsClients, aws_errors, error_code


@dataclass(frozen=True)
class Patience:
    """``quiet_seconds``: at rest for so long counts as the end of a deploy, for between two stacks the CDK
    uploads what the next one needs; ``limit_seconds``: what takes longer is given up.
    """

    quiet_seconds: float = 60.0
    limit_seconds: float = 3600.0
    pause_seconds: float = 10.0


SIMULATED = Patience(quiet_seconds=1.0, limit_seconds=600.0, pause_seconds=0.2)


def wait_until_settled(
    *,
    clients: AwsClients,
    stacks: Sequence[str],
    patience: Patience,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> list[str]:
    """Wait until no stack is in progress; returns one sentence for each that did not end well.

    A stack that is not there is at rest. Raises ``BedplateError`` RUN-004 where the limit passes first.
    """
    begun = clock()
    quiet_since = begun
    while True:
        states = {name: state for name in stacks if (state := _state(clients, name))}
        busy = {name: state for name, state in states.items() if state.endswith("_IN_PROGRESS")}
        now = clock()
        if busy:
            quiet_since = now
        elif now - quiet_since >= patience.quiet_seconds:
            return [
                f"Stack {name} is {state}: the cluster may not be what its environment file says."
                for name, state in states.items()
                if state not in ("CREATE_COMPLETE", "UPDATE_COMPLETE")
            ]
        if now - begun > patience.limit_seconds:
            name, state = next(iter(sorted(busy.items())), ("the deploy", "not quiet"))
            raise BedplateError(
                f"{name} is still {state} after {patience.limit_seconds:.0f} s",
                error_id="RUN-004",
                remedy="Look at the stack's events, then start the runner again.",
            )
        sleep(patience.pause_seconds)


def _state(clients: AwsClients, name: str) -> str:
    """The stack's status; empty where there is no such stack."""
    with aws_errors(f"asking for the state of stack {name}"):
        try:
            found = clients.cloudformation.describe_stacks(StackName=name)["Stacks"]
        except ClientError as error:
            if error_code(error) == "ValidationError" and "does not exist" in str(error):
                return ""
            raise
    return found[0]["StackStatus"] if found else ""
