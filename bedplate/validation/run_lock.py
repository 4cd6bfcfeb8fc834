"""One run of validation at a time, and what the run before left undone.

One object of the result bucket says who runs. It is written by conditional writes only, given a sign of life
while the run goes on, and never deleted: a run that ends says so in it, and whether it came to its end.
Actions on nodes hold the same object; what it said of the last run, they carry along and put back at the end.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any

from bedplate.errors import BedplateError, ChecksFailed
from bedplate.validation.stores.store import ChangedMeanwhile, Store, Stored

LOCK_KEY = "runs/current.json"
LEASE_SECONDS = 600.0
"""Without a sign for so long a run is dead; longer than any single call may hang with its retries."""
SIGN_SECONDS = 120.0
RESUME_WITHIN = timedelta(hours=2)
"""A run that began earlier is not taken up: what was true of the nodes then says little now."""
ACTIONS = "actions"
"""The fingerprint of actions on nodes, which are no run: nothing takes them up."""
_ATTEMPTS = 5


class Resume(Enum):
    """What to do about a run that was cut off: take it up where that makes sense, insist on it, or not."""

    AUTO = "auto"
    REQUIRED = "required"
    FRESH = "fresh"


@dataclass(frozen=True)
class Claim:
    """What the object holds: a run, who holds it, and how it ended.

    ``fingerprint`` is of all that a run must have in common with the one that takes it up; ``ACTIONS`` is no
    run. ``last_run`` is what an action found there, so that a run that was cut off can still be taken up.
    """

    run_id: str
    holder: str
    begun_at: str
    fingerprint: str
    held: bool = True
    complete: bool = False
    version: int = 1
    last_run: Claim | None = None

    def as_bytes(self) -> bytes:
        """The object's text."""
        told = {key: value for key, value in asdict(self).items() if value is not None}
        return (json.dumps(told, indent=1) + "\n").encode("utf-8")

    def run(self) -> Claim | None:
        """The claim of the last run: this one, or the one that an action has found; None where none was."""
        return self.last_run if self.fingerprint == ACTIONS else self


@dataclass
class RunLock:
    """The hold of one run; ``resumed`` says that it goes on with a run that was cut off."""

    store: Store
    claim: Claim
    resumed: bool
    _tag: str
    _lost: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def keep_alive(self) -> None:
        """Give signs of life from a thread of its own until ``release``."""
        threading.Thread(target=self._beat, name="run-lock", daemon=True).start()

    def check(self) -> None:
        """Raise ``BedplateError`` RUN-003 where another run has taken over."""
        if self._lost.is_set():
            raise BedplateError(
                f"run {self.claim.run_id} lost its hold: another run of this environment has begun",
                error_id="RUN-003",
                remedy="Let the other run end, then run the command again.",
            )

    def sign(self) -> None:
        """Give one sign of life; a hold that was taken over is noticed, and nothing else ends a run here."""
        with self._writing:
            if self._ended.is_set():
                return
            try:
                self._tag = self.store.replace(LOCK_KEY, self.claim.as_bytes(), tag=self._tag)
            except ChangedMeanwhile:
                self._lost.set()
            except BedplateError:
                # AWS is away for a moment: the lease is longer than that, and the run's own calls will tell.
                return

    def release(self, *, complete: bool) -> None:
        """Say that the run has ended, and whether it came to its end; nothing where it was taken over."""
        with self._writing:
            self._ended.set()
            self.claim = replace(self.claim, held=False, complete=complete)
            # A run that was killed still says that it is held, and would look alive once written anew.
            left = replace(self.claim.last_run, held=False) if self.claim.last_run else self.claim
            if not self._lost.is_set():
                with suppress(ChangedMeanwhile):
                    self.store.replace(LOCK_KEY, left.as_bytes(), tag=self._tag)

    def _beat(self) -> None:
        while not self._ended.wait(SIGN_SECONDS) and not self._lost.is_set():
            self.sign()


def take_hold(
    *,
    store: Store,
    new_run_id: Callable[[], str],
    fingerprint: str,
    resume: Resume,
    holder: str = "",
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> RunLock:
    """Hold the environment for one run: a new one, or the one that was cut off; or, with the fingerprint
    ``ACTIONS``, for actions, which leave what is known of the last run as it is.

    Raises ``ChecksFailed`` RUN-001 where a run is under way, ``BedplateError`` RUN-002 where a run was to be
    taken up and there is none.
    """
    for _ in range(_ATTEMPTS):
        found = store.read(LOCK_KEY)
        last = _claim_in(found)
        if last is not None and found is not None and _is_alive(last, found.age_seconds):
            raise _under_way(last, found.age_seconds)
        if last is None and found is not None and found.age_seconds < LEASE_SECONDS:
            raise _unreadable(found.age_seconds)
        run = last.run() if last else None
        again = resume is not Resume.FRESH and _may_go_on(run, fingerprint, now())
        if resume is Resume.REQUIRED and not again:
            raise _none_to_take_up(run, fingerprint)
        claim = Claim(
            run_id=run.run_id if again and run else new_run_id(),
            holder=holder or holder_here(),
            begun_at=run.begun_at if again and run else now().isoformat(timespec="seconds"),
            fingerprint=fingerprint,
            last_run=run if fingerprint == ACTIONS else None,
        )
        try:
            if found is None:
                tag = store.create(LOCK_KEY, claim.as_bytes())
            else:
                tag = store.replace(LOCK_KEY, claim.as_bytes(), tag=found.tag)
        except ChangedMeanwhile:
            continue
        return RunLock(store, claim, again, tag)
    raise ChecksFailed(
        "several runs of this environment begin at the same moment",
        error_id="RUN-001",
        remedy="Run the command again in a minute.",
    )


def holder_here() -> str:
    """This process, by machine and process id."""
    return f"{socket.gethostname()} pid {os.getpid()}"


def _is_alive(last: Claim, age_seconds: float) -> bool:
    if not last.held or age_seconds >= LEASE_SECONDS:
        return False
    machine, _, pid = last.holder.rpartition(" pid ")
    if machine != socket.gethostname() or not pid.isdecimal():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def last_run(store: Store) -> Claim | None:
    """What the object says of the last run; None where it knows of none, or cannot be read."""
    claim = _claim_in(store.read(LOCK_KEY))
    return claim.run() if claim else None


def _claim_in(found: Stored | None) -> Claim | None:
    """The claim; None where there is none, or one that cannot be read."""
    if found is None:
        return None
    try:
        return _claim_of(json.loads(found.body))
    except (ValueError, TypeError):
        return None


def _claim_of(data: Any) -> Claim:
    claim = Claim(**data)
    datetime.fromisoformat(claim.begun_at)
    return replace(claim, last_run=_claim_of(claim.last_run)) if claim.last_run is not None else claim


def _may_go_on(last: Claim | None, fingerprint: str, now: datetime) -> bool:
    if last is None or last.complete or last.fingerprint != fingerprint:
        return False
    return now - datetime.fromisoformat(last.begun_at) < RESUME_WITHIN


def _under_way(last: Claim, age_seconds: float) -> ChecksFailed:
    return ChecksFailed(
        f"run {last.run_id} of {last.holder} is under way since {last.begun_at}; its last sign is "
        f"{age_seconds:.0f} s old",
        error_id="RUN-001",
        remedy=f"Wait for its end; without a sign for {LEASE_SECONDS:.0f} s it is taken for dead.",
    )


def _unreadable(age_seconds: float) -> ChecksFailed:
    """Whoever wrote it may be at work: nobody can tell until it is as old as a dead run's."""
    return ChecksFailed(
        f"{LOCK_KEY} in the result bucket cannot be read, and was written {age_seconds:.0f} s ago",
        error_id="RUN-001",
        remedy=f"Wait until it is {LEASE_SECONDS:.0f} s old; then it is taken for a dead run's. A newer "
        "Bedplate may have written it: use that one.",
    )


def _none_to_take_up(last: Claim | None, fingerprint: str) -> BedplateError:
    why = "there was none before"
    if last is not None:
        why = f"{last.run_id} began at {last.begun_at}, longer ago than {RESUME_WITHIN.seconds // 3600} hours"
        if last.complete:
            why = f"{last.run_id} came to its end"
        elif last.fingerprint != fingerprint:
            why = f"{last.run_id} was of another deployment or another Bedplate"
    return BedplateError(
        f"there is no run to take up: {why}", error_id="RUN-002", remedy="Leave --resume out."
    )
