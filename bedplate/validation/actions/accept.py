"""Whether a result may be acted upon at all, by whom, here and now. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bedplate.errors import BedplateError
from bedplate.manifest import ClusterManifest
from bedplate.validation.actions.policy import ActionPolicy
from bedplate.validation.result import RunResult

_AGAIN = "Run `bedplate validate` again, and act upon what it finds now."
_CLOCKS = timedelta(minutes=5)


def accept(
    *, result: RunResult, manifest: ClusterManifest, simulated: bool, policy: ActionPolicy, now: datetime
) -> None:
    """Raise ``BedplateError`` where the result must not be acted upon.

    ACT-001: it is of another environment, of another kind, or was cut off. ACT-002: it is too old.
    """
    if result.kind != "validate":
        raise _foreign(f"it is a {result.kind}, which looks at no node")
    if not result.complete:
        raise _foreign("the run was cut off before its end: what it did not see might explain what it saw")
    for name in ("environment", "account", "region"):
        found, wanted = getattr(result, name), getattr(manifest, name)
        if found != wanted:
            raise _foreign(f"its {name} is {found}, the one that is deployed is {wanted}")
    if result.simulated != simulated:
        said, here = ("simulated", "AWS") if result.simulated else ("of AWS", "the sandbox")
        raise _foreign(f"the run is {said}, the nodes here are of {here}")
    _accept_age(result, policy, now)


def _accept_age(result: RunResult, policy: ActionPolicy, now: datetime) -> None:
    try:
        finished = moment_of(result.finished_at)
        moment_of(result.started_at)
    except ValueError as error:
        raise _foreign(f"it does not say when it ran: {error}") from error
    age = now - finished
    if age > policy.max_age:
        hours = age.total_seconds() / 3600
        allowed = policy.max_age.total_seconds() / 3600
        raise BedplateError(
            f"the result is {hours:.1f} hours old; {allowed:g} are allowed",
            error_id="ACT-002",
            remedy=_AGAIN,
        )
    if age < -_CLOCKS:
        raise BedplateError(
            f"the result ends at {result.finished_at}, which is yet to come",
            error_id="ACT-002",
            remedy="Set this machine's clock right.",
        )


def _foreign(why: str) -> BedplateError:
    return BedplateError(f"the result cannot be acted upon: {why}", error_id="ACT-001", remedy=_AGAIN)


def moment_of(text: str) -> datetime:
    """A result's time; one without a zone is in UTC. Raises ``ValueError``."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
