"""The desk itself: look, take, run, answer; whatever lies in the bucket, the loop goes on."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from bedplate.node.desk import keys
from bedplate.node.desk.bucket import Bucket, BucketError, Listed
from bedplate.node.desk.journal import Journal
from bedplate.node.desk.order import MOST_ORDER_BYTES, NONCE, Order, OrderRefusedError, read_order
from bedplate.node.desk.status import Status, last_line
from bedplate.node.process import ToolRun

_SLICE_SECONDS = 0.1
MOST_AT_ONCE = 8
"""Orders; what is beyond stays in the bucket until one has ended. A validation has one or two under way."""
_PUT_PAUSES_SECONDS = (2.0, 5.0, 10.0)
_CUT_OFF = Status(True, problem="the desk was started anew while it worked on this; it is not begun again")
_NOT_TAKEN = Status(False, problem="the desk could not take it out of the bucket, and did not begin it")

Run = Callable[[Sequence[str], float, threading.Event], ToolRun]
"""(command line, deadline in seconds, what ends it before) → how it ended; never raises for the program."""


@dataclass(frozen=True)
class Pauses:
    """Between two looks, in seconds. It is at rest when no order runs and none has ended in the last
    ``lively_seconds``, for a validation has another question soon.
    """

    rest_seconds: float = 10.0
    busy_seconds: float = 2.0
    lively_seconds: float = 120.0


class Desk:
    """One node's. ``stop`` ends the loop; who sets it ends the programs too (``process.STOP``)."""

    def __init__(
        self,
        *,
        instance_id: str,
        bucket: Bucket,
        journal: Journal,
        commands: Tuple[str, ...],
        program: Tuple[str, ...],
        run: Run,
        stop: threading.Event,
        say: Callable[[str], None],
        pauses: Pauses = Pauses(),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._id, self._bucket, self._journal = instance_id, bucket, journal
        self._commands, self._program, self._run = commands, program, run
        self._stop, self._say, self._clock, self._sleep = stop, say, clock, sleep
        self._pauses = pauses
        self._started_at = datetime.now(timezone.utc).isoformat(timespec="seconds")
        self._running: Dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self._untold: Dict[str, Status] = dict.fromkeys(journal.nonces(), _CUT_OFF)
        """What is in the journal and has no answer: to be told of."""
        self._lively_until = clock()
        self._service: Optional[Tuple[datetime, float]] = None
        """The service's time, and ours at the same moment."""

    def serve(self) -> None:
        """Until ``stop``: what still runs then is waited for, and its end told."""
        with ThreadPoolExecutor(max_workers=MOST_AT_ONCE) as pool:
            while not self._stop.is_set():
                self.look(pool)
                self._rest()

    def look(self, pool: Executor) -> None:
        """Once: give a sign of life, take what is asked, end what is cancelled. Never raises."""
        try:
            self._beat()
            self._tell_untold()
            prefix, after = keys.folder_of(self._id), keys.asked_folder(self._id)
            found = self._bucket.listed(prefix=prefix, after=after)
            orders = [one for one in found if one.key.startswith(after)]
            for one in sorted(orders, key=lambda one: (one.modified_at, one.key)):
                self._look_at(one, pool)
            # After the orders: a cancelled one is removed first, so that what is not known here never comes.
            self._cancel([one.key for one in found if one.key.startswith(keys.cancelled_folder(self._id))])
        except BucketError as error:
            self._say(f"the bucket: {error}")
        except Exception as error:  # noqa: BLE001 - nobody could ask anything any more
            self._say(f"{type(error).__name__}: {error}")

    def _rest(self) -> None:
        """In slices, and without waiting for ``stop``: a signal sets it in the thread that would wait."""
        lively = self._running or self._clock() < self._lively_until
        until = self._clock() + (self._pauses.busy_seconds if lively else self._pauses.rest_seconds)
        while not self._stop.is_set() and self._clock() < until:
            self._sleep(_SLICE_SECONDS)

    def _beat(self) -> None:
        now = self._clock()
        if self._service is not None and now - self._service[1] < keys.ALIVE_SECONDS - _SLICE_SECONDS:
            return
        key = keys.alive_key(self._id)
        alive = {"schema": 1, "started_at": self._started_at, "running": sorted(self._running)}
        self._bucket.write(key, json.dumps(alive))
        mine = [one for one in self._bucket.listed(prefix=key) if one.key == key]
        if not mine:
            raise BucketError(f"{key} was put and is not there")
        self._service = (mine[0].modified_at, now)

    def _age_seconds(self, one: Listed) -> float:
        """By the service's clock alone: this node's may be wrong."""
        if self._service is None:
            raise BucketError("the service's time is not known")
        at, ours = self._service
        return (at + timedelta(seconds=self._clock() - ours) - one.modified_at).total_seconds()

    def _look_at(self, one: Listed, pool: Executor) -> None:
        """One that cannot be dealt with now holds up none of the others."""
        try:
            self._deal_with(one, pool)
        except BucketError as error:
            self._say(f"{ascii(one.key)[:200]}: {error}")

    def _deal_with(self, one: Listed, pool: Executor) -> None:
        name = one.key[len(keys.asked_folder(self._id)) :]
        nonce = name[: -len(".json")]
        if not name.endswith(".json") or not NONCE.match(nonce):
            self._say(f"{ascii(name)[:120]} is no name of an order; it is removed")
            self._bucket.remove(one.key)
        elif nonce in self._running or nonce in self._journal.nonces():
            # It was taken, and could not be removed then.
            self._bucket.remove(one.key)
        else:
            self._judge(one, nonce, pool)

    def _judge(self, one: Listed, nonce: str, pool: Executor) -> None:
        try:
            if one.size_bytes > MOST_ORDER_BYTES:
                raise OrderRefusedError(
                    f"the order has {one.size_bytes} bytes; at most {MOST_ORDER_BYTES} are allowed"
                )
            data = self._bucket.read(one.key)
            if data is None:
                return
            order, age = read_order(data, commands=self._commands), self._age_seconds(one)
            if age > order.deadline_seconds:
                raise OrderRefusedError(
                    f"the order is {age:.0f} s old and was for {order.deadline_seconds:g} s:"
                    " nobody waits for it any more"
                )
        except OrderRefusedError as refused:
            self._refuse(nonce, str(refused))
            return
        if len(self._running) < MOST_AT_ONCE:
            self._take(one, nonce, order, pool)

    def _refuse(self, nonce: str, why: str) -> None:
        self._say(f"order {nonce} is refused: {why}")
        self._bucket.write(keys.status_key(self._id, nonce), Status(begun=False, problem=why).to_json())
        self._bucket.remove(keys.asked_key(self._id, nonce))

    def _take(self, one: Listed, nonce: str, order: Order, pool: Executor) -> None:
        self._journal.add(nonce)
        try:
            self._bucket.remove(one.key)
        except BucketError:
            # Whether it is there nobody knows: it is never begun, and that is told.
            with self._lock:
                self._untold[nonce] = _NOT_TAKEN
            raise
        event = threading.Event()
        with self._lock:
            self._running[nonce] = event
        self._say(f"order {nonce} begins: {order.arguments[0]}")
        pool.submit(self._work, nonce, order, event)

    def _work(self, nonce: str, order: Order, event: threading.Event) -> None:
        try:
            ran = self._run(order.argv(self._program, nonce), order.deadline_seconds, event)
            problem = "it was cancelled" if ran.problem and event.is_set() else ran.problem
            self._answer(
                nonce, ran.stdout, Status(True, ran.rc, ran.timed_out, last_line(ran.stderr), problem)
            )
            self._say(f"order {nonce} ended: {problem or f'status {ran.rc}'}")
        except Exception as error:  # noqa: BLE001 - the desk must hear of it, and whoever waits
            self._say(f"order {nonce}: {type(error).__name__}: {error}")
            told = Status(True, problem=f"its answer could not be put into the bucket: {error}")
            with self._lock:
                self._untold[nonce] = told
        finally:
            self._lively_until = self._clock() + self._pauses.lively_seconds
            with self._lock:
                del self._running[nonce]

    def _answer(self, nonce: str, text: str, status: Status) -> None:
        self._put(keys.answer_key(self._id, nonce), text)
        self._put(keys.status_key(self._id, nonce), status.to_json())
        self._journal.drop(nonce)

    def _put(self, key: str, text: str) -> None:
        """With patience: an hour's work may hang on it."""
        for pause in _PUT_PAUSES_SECONDS:
            with suppress(BucketError):
                return self._bucket.write(key, text)
            self._sleep(pause)
        return self._bucket.write(key, text)

    def _tell_untold(self) -> None:
        with self._lock:
            untold = dict(self._untold)
        for nonce, status in untold.items():
            self._bucket.remove(keys.asked_key(self._id, nonce))
            self._bucket.write(keys.status_key(self._id, nonce), status.to_json())
            self._journal.drop(nonce)
            with self._lock:
                del self._untold[nonce]

    def _cancel(self, cancelled: List[str]) -> None:
        for key in cancelled:
            event = self._running.get(key[len(keys.cancelled_folder(self._id)) :])
            if event is not None:
                event.set()
            else:
                self._bucket.remove(key)
