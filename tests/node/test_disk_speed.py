"""The disk test: bounded, past the page cache, right about what came back, and gone afterwards."""

from __future__ import annotations

import argparse
import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bedplate.diagnosis.parsers.disk_speed import parse_disk_speed
from bedplate.diagnosis.storage_tools import DiskLoad, disk_speed_argv
from bedplate.node import direct_io, disk_speed
from bedplate.node.process import STOP

NODE = "i-0123456789abcdef0"


def can_write_directly(folder: Path) -> bool:
    """Whether the file system below the tests takes direct I/O; a tmpfs of an old kernel does not."""
    try:
        os.close(direct_io.open_direct(folder / "direct", os.O_WRONLY | os.O_CREAT))
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return False
    (folder / "direct").unlink()
    return True


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A node's tree with a mount point /scratch that is taken for one."""
    (tmp_path / "var/lib/cloud/data").mkdir(parents=True)
    (tmp_path / "var/lib/cloud/data/instance-id").write_text(NODE)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    if not can_write_directly(scratch):
        pytest.skip("the file system below the tests takes no direct I/O")
    monkeypatch.setenv("BEDPLATE_ROOT", str(tmp_path))
    monkeypatch.delenv("BEDPLATE_IMDS_ENDPOINT", raising=False)
    monkeypatch.setattr(os.path, "ismount", lambda path: str(path) == str(scratch))
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return scratch


def arguments(**changes: Any) -> argparse.Namespace:
    """A small run: 2 files, 32 MiB."""
    given = {"place": "/scratch", "run": "run-1", "files": 2, "mib": 32, "seconds": 30.0, "nodes": 1}
    return argparse.Namespace(**{**given, **changes})


def what_is_left(scratch: Path) -> list[str]:
    """Every file and folder but the shared one at the top."""
    return sorted(str(path.relative_to(scratch)) for path in scratch.rglob("*") if path.name != ".bedplate")


def test_what_is_written_is_read_back_whole_and_removed(place: Path) -> None:
    """32 MiB each way, nothing wrong, nothing left, and the controller's parser takes it."""
    answer = disk_speed.measure(arguments())
    read = parse_disk_speed(json.dumps(answer))
    assert (read.write.bytes, read.read.bytes, read.wrong_blocks) == (32 * 2**20, 32 * 2**20, 0)
    assert (read.place, read.run_id, read.removed) == ("/scratch", "run-1", True)
    assert what_is_left(place) == []


def test_a_block_that_comes_back_from_another_place_is_counted(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One block swapped for another, one with a byte changed, and one cut off are three wrong blocks."""
    written = direct_io.write_files(folder=place, files=1, blocks=4, seconds=30, stopped=lambda: False)
    path, size = place / "block-0", direct_io.BLOCK_BYTES
    data = bytearray(path.read_bytes())
    data[size : 2 * size] = data[:size]
    data[2 * size + 100] ^= 1
    path.write_bytes(data)
    read = direct_io.read_files(folder=place, files=1, seconds=30, stopped=lambda: False)
    assert (written.bytes, read.bytes, read.wrong_blocks) == (4 * size, 4 * size, 2)


def test_nothing_is_written_where_nothing_is_mounted(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mount point without its volume is a folder on the root disk."""
    monkeypatch.setattr(os.path, "ismount", lambda path: False)
    answer = disk_speed.measure(arguments())
    assert answer["problem"] == "nothing is mounted at /scratch"
    assert (answer["write"], answer["removed"], list(place.iterdir())) == (None, True, [])


def test_nothing_is_written_where_little_is_free(place: Path) -> None:
    """A disk that is nearly full is left alone: what counts is what all nodes write to it together."""
    answer = disk_speed.measure(arguments(nodes=10**9))
    assert "are free" in answer["problem"]
    assert list(place.iterdir()) == []


def test_a_full_disk_is_a_problem_and_leaves_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of the second block is told, and the first one is removed."""
    real = direct_io._write_whole

    def full(handle: int, buffer: Any, offset: int) -> None:
        if offset:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle, buffer, offset)

    monkeypatch.setattr(direct_io, "_write_whole", full)
    answer = disk_speed.measure(arguments())
    assert "No space left" in answer["problem"]
    assert (answer["removed"], what_is_left(place)) == (True, [])


def test_a_limit_of_time_ends_both_directions(place: Path) -> None:
    """With no time at all nothing is moved, which is no speed."""
    answer = disk_speed.measure(arguments(seconds=0.0))
    assert (answer["write"]["bytes"], answer["read"]["bytes"]) == (0, 0)
    assert what_is_left(place) == []


def test_a_run_that_is_told_to_end_says_so_and_leaves_nothing(place: Path) -> None:
    """What was measured until then is no measurement."""
    STOP.set()
    try:
        answer = disk_speed.measure(arguments())
    finally:
        STOP.clear()
    assert answer["problem"] == "it was told to end"
    assert what_is_left(place) == []


def test_only_this_instances_leftovers_are_removed(place: Path) -> None:
    """Another instance may be at work; an earlier run of this one was killed."""
    base = place / ".bedplate/validation"
    mine, other = base / "run-0" / NODE, base / "run-0/i-0fffffffffffffff0"
    for folder in (mine, other):
        folder.mkdir(parents=True)
        (folder / "block-0").write_bytes(b"x")
    disk_speed.measure(arguments())
    assert not mine.exists()
    assert (other / "block-0").exists()
    assert not (base / "run-1").exists()


def test_a_folder_that_cannot_be_removed_is_told(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer says that it is still there."""
    monkeypatch.setattr(disk_speed.shutil, "rmtree", lambda *_args, **_options: None)
    assert disk_speed.measure(arguments())["removed"] is False


@pytest.mark.parametrize("run", ["", "../x", "a/b", "x" * 65, "-x"])
def test_a_run_id_that_is_no_name_is_refused(place: Path, run: str) -> None:
    """It names a folder that is removed."""
    with pytest.raises(ValueError, match="--run"):
        disk_speed.measure(arguments(run=run))
    assert list(place.iterdir()) == []


def test_a_signal_ends_the_program_and_leaves_nothing(tmp_path: Path, place: Path) -> None:
    """As srun ends a job: SIGTERM while it writes, and the folder is gone."""
    script = (
        "import os, sys; os.path.ismount = lambda path: True\n"
        "from bedplate.node.__main__ import main; sys.exit(main())"
    )
    words = disk_speed_argv(DiskLoad("/scratch", "run-1", files=2, mib=512, seconds=30.0))[1:]
    environment = {**os.environ, "BEDPLATE_ROOT": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", script, *words], env=environment, stdout=subprocess.PIPE
    ) as process:
        folder = place / ".bedplate/validation/run-1" / NODE
        for _ in range(500):
            if folder.exists() or process.poll() is not None:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    answer = json.loads(out)
    assert answer["problem"] == "it was told to end"
    assert what_is_left(place) == []
