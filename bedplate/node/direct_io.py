"""Sequential writing and reading past the page cache, by several threads, bounded in size and in time.

fio would do it, and is on no image by itself; validation installs nothing. Reads and writes of 8 MiB release
Python's lock, so that a few threads keep a disk array busy. The data is random, since Lustre compresses, and
each block carries its own number, so that a block that comes back from another place is told.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Optional, Tuple

BLOCK_BYTES = 8 * 1024 * 1024
"""A multiple of every disk's sector and of Lustre's page; eight stripes of the array at once."""
_STAMP = struct.Struct("<QQ")
Stopped = Callable[[], bool]


@dataclass(frozen=True)
class Pass:
    """One direction: bytes moved, the seconds that it took, and how many blocks came back wrong."""

    bytes: int
    seconds: float
    wrong_blocks: int = 0


def open_direct(path: Path, flags: int) -> int:
    """Open past the page cache. Raises ``OSError`` (EINVAL) where the file system cannot."""
    return os.open(path, flags | getattr(os, "O_DIRECT", 0) | os.O_CLOEXEC, 0o600)


def write_files(*, folder: Path, files: int, blocks: int, seconds: float, stopped: Stopped) -> Pass:
    """Write ``files`` files of ``blocks`` blocks at once, fsync included; stop at the limit of time."""
    content = _content()
    until = time.monotonic() + seconds

    def one(number: int) -> Tuple[int, int]:
        buffer = _buffer(content)
        handle = open_direct(_name(folder, number), os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        done = 0
        try:
            while done < blocks and time.monotonic() < until and not stopped():
                _STAMP.pack_into(buffer, 0, number, done)
                _write_whole(handle, buffer, done * BLOCK_BYTES)
                done += 1
            os.fsync(handle)
        finally:
            os.close(handle)
        return done, 0

    return _all(one, files)


def read_files(*, folder: Path, files: int, seconds: float, stopped: Stopped) -> Pass:
    """Read back what ``write_files`` wrote, as far as the limit of time lets it, and compare."""
    until = time.monotonic() + seconds

    def one(number: int) -> Tuple[int, int]:
        path = _name(folder, number)
        blocks = path.stat().st_size // BLOCK_BYTES
        buffer = mmap.mmap(-1, BLOCK_BYTES)
        handle = open_direct(path, os.O_RDONLY)
        done, wrong = 0, 0
        first: Optional[bytes] = None
        try:
            while done < blocks and time.monotonic() < until and not stopped():
                whole = os.preadv(handle, [buffer], done * BLOCK_BYTES) == BLOCK_BYTES
                sample = buffer[_STAMP.size : 4096]
                first = sample if first is None else first
                right = whole and _STAMP.unpack_from(buffer, 0) == (number, done) and sample == first
                wrong += not right
                done += 1
        finally:
            os.close(handle)
        return done, wrong

    return _all(one, files)


def _all(one: Callable[[int], Tuple[int, int]], files: int) -> Pass:
    begun = time.monotonic()
    with ThreadPoolExecutor(max_workers=files) as pool:
        rows: List[Tuple[int, int]] = list(pool.map(one, range(files)))
    seconds = time.monotonic() - begun
    return Pass(sum(done for done, _ in rows) * BLOCK_BYTES, seconds, sum(wrong for _, wrong in rows))


def _content() -> bytes:
    """One block that nothing can compress."""
    return os.urandom(BLOCK_BYTES)


def _buffer(content: bytes) -> mmap.mmap:
    """Memory of its own page, as direct I/O wants it."""
    buffer = mmap.mmap(-1, BLOCK_BYTES)
    buffer[:] = content
    return buffer


def _write_whole(handle: int, buffer: mmap.mmap, offset: int) -> None:
    written = os.pwritev(handle, [buffer], offset)
    if written != BLOCK_BYTES:
        raise OSError(f"{written} of {BLOCK_BYTES} bytes were written: the file system is full")


def _name(folder: Path, number: int) -> Path:
    return folder / f"block-{number}"
