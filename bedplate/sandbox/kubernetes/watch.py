"""Watches: the objects that there are, then each change, until the time is over or the stream is cut."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bedplate.sandbox.kubernetes.paths import Place
from bedplate.sandbox.kubernetes.selectors import Test
from bedplate.sandbox.kubernetes.status import ApiStatus
from bedplate.sandbox.kubernetes.store import Change, Store

_LOOK_EVERY_S = 0.2


class WatchCut(Exception):
    """The connection of a watch is to break now, in the middle of its answer."""


@dataclass(frozen=True)
class Watch:
    """One watch that was asked for; ``since`` is None where it begins with the objects that there are."""

    place: Place
    test: Test
    since: int | None
    timeout_s: float

    def events(self, store: Store, *, is_cut: Callable[[], bool]) -> Iterator[dict[str, Any]]:
        """The events as they come. A version that the server has forgotten is an ERROR event, as the real
        server sends it within an answer that began well. Raises ``WatchCut``.
        """
        version = self.since
        if version is None:
            found, version = store.objects(self.place.kind, self.place.namespace)
            for each in filter(self.test, filter(self._named, found)):
                yield {"type": "ADDED", "object": each}
        end = time.monotonic() + self.timeout_s
        while (left := end - time.monotonic()) > 0:
            if is_cut():
                raise WatchCut
            try:
                changes = store.changes_since(version, min(left, _LOOK_EVERY_S))
            except ApiStatus as error:
                yield {"type": "ERROR", "object": error.to_json()}
                return
            for change in changes:
                version = change.version
                if event := self._event(change):
                    yield event

    def _event(self, change: Change) -> dict[str, Any] | None:
        """What this watch sees of a change: an object that begins or ceases to match comes or goes."""
        found = change.found
        same_place = not self.place.namespace or found["metadata"].get("namespace") == self.place.namespace
        if change.kind.key != self.place.kind.key or not same_place or not self._named(found):
            return None
        was = change.before is not None and self.test(change.before)
        is_now = change.after is not None and self.test(change.after)
        if not was and not is_now:
            return None
        word = "MODIFIED" if was and is_now else "ADDED" if is_now else "DELETED"
        return {"type": word, "object": found}

    def _named(self, found: Any) -> bool:
        return not self.place.name or found["metadata"]["name"] == self.place.name
