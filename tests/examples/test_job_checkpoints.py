"""The checkpoints of the training examples: only what was renamed into place is one."""

from __future__ import annotations

import importlib.util
import os
import signal
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "examples/jobs"


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


checkpoints = _load("checkpoints")
stopping = _load("stopping")


def _write(folder: Path, step: int) -> None:
    (checkpoints.partial(folder, step) / "state").write_text(str(step))
    checkpoints.publish(folder, step)


def test_the_newest_is_the_one_of_the_highest_step(tmp_path: Path) -> None:
    """By number, whatever else lies there; none where nothing is whole."""
    assert checkpoints.newest(tmp_path) is None
    _write(tmp_path, 900)
    _write(tmp_path, 1000)
    for other in ("step-2000", "step-000002000.old", "other"):
        (tmp_path / other).mkdir()
    (tmp_path / "step-000003000").touch()
    assert checkpoints.newest(tmp_path) == (1000, tmp_path / "step-000001000")


def test_what_is_being_written_is_none(tmp_path: Path) -> None:
    """A half-written one is passed over, begun anew by the next attempt, and cleared away."""
    _write(tmp_path, 10)
    (checkpoints.partial(tmp_path, 20) / "half").touch()
    assert checkpoints.newest(tmp_path) == (10, tmp_path / "step-000000010")
    assert list(checkpoints.partial(tmp_path, 20).iterdir()) == []
    checkpoints.clear(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["step-000000010"]


def test_the_last_three_are_kept(tmp_path: Path) -> None:
    """Older ones are deleted once a newer one is whole."""
    for step in (1, 2, 3, 4, 5):
        _write(tmp_path, step)
    assert sorted(path.name[-1] for path in tmp_path.iterdir()) == ["3", "4", "5"]


def test_a_checkpoint_that_cannot_be_renamed_is_an_error(tmp_path: Path) -> None:
    """A step that is there already is not written over in silence."""
    _write(tmp_path, 1)
    with pytest.raises(OSError, match="not empty"):
        _write(tmp_path, 1)


def test_the_end_is_a_file(tmp_path: Path) -> None:
    """The job script looks for it by this name."""
    checkpoints.finish(tmp_path)
    assert (tmp_path / "finished").is_file()


def test_the_signal_asks_to_stop() -> None:
    """SIGUSR1 is taken up and ends nothing."""
    before = signal.getsignal(signal.SIGUSR1)
    try:
        stop = stopping.StopRequest()
        assert not stop.asked
        os.kill(os.getpid(), signal.SIGUSR1)
        assert stop.asked
    finally:
        signal.signal(signal.SIGUSR1, before)
