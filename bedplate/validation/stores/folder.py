"""A store in a folder of this machine, for runs that know no bucket."""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bedplate.validation.stores.store import ChangedMeanwhile, Stored


@dataclass(frozen=True)
class FolderStore:
    """Keys are paths below ``folder``; a lock on one file beside them makes each conditional write whole."""

    folder: Path

    def read(self, key: str) -> Stored | None:
        """The object, None where there is none."""
        path = self.folder / key
        try:
            body, written = path.read_bytes(), path.stat().st_mtime
        except FileNotFoundError:
            return None
        return Stored(body, _tag(body, written), time.time() - written)

    def create(self, key: str, body: bytes) -> str:
        """Write an object that is not there yet."""
        with self._alone():
            if (self.folder / key).exists():
                raise ChangedMeanwhile(key)
            return self._put(key, body)

    def replace(self, key: str, body: bytes, *, tag: str) -> str:
        """Write over the object with this tag."""
        with self._alone():
            found = self.read(key)
            if found is None or found.tag != tag:
                raise ChangedMeanwhile(key)
            return self._put(key, body)

    def write(self, key: str, body: bytes) -> None:
        """Write, whatever is there."""
        with self._alone():
            self._put(key, body)

    def _put(self, key: str, body: bytes) -> str:
        path = self.folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}.{os.getpid()}")
        unfinished.write_bytes(body)
        unfinished.replace(path)
        return _tag(body, path.stat().st_mtime)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _tag(body: bytes, written: float) -> str:
    """Of content and time: the same text written again is another version."""
    return hashlib.sha256(body).hexdigest() + f"-{written!r}"
