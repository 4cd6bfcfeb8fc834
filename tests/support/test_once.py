"""What several processes need is made by one of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.once import made_once

ROOT = Path(__file__).resolve().parents[2]
ASKS = """
import sys, time
from pathlib import Path
from tests.support.once import made_once

def make(folder):
    folder.mkdir()
    time.sleep(0.3)
    with (folder.parent / "made").open("a") as made:
        made.write("x")
    (folder / "file").write_text("whole")

print((made_once(Path(sys.argv[1]), make) / "file").read_text())
"""


def test_of_several_processes_one_makes_and_all_see_the_whole(tmp_path: Path) -> None:
    """Three that ask at once get the finished folder, which was made one time."""
    argv = [sys.executable, "-c", ASKS, str(tmp_path / "deep" / "thing")]
    asking = [subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [each.communicate(timeout=60)[0].strip() for each in asking] == ["whole"] * 3
    assert (tmp_path / "deep" / "made").read_text() == "x"


def test_what_failed_half_way_is_made_anew(tmp_path: Path) -> None:
    """The error of the one who makes is raised, and nothing of it is taken for made."""

    def fails(folder: Path) -> None:
        folder.mkdir()
        (folder / "half").touch()
        raise ValueError("no disk")

    with pytest.raises(ValueError, match="no disk"):
        made_once(tmp_path / "thing", fails)
    made = made_once(tmp_path / "thing", lambda folder: folder.mkdir())
    assert list(made.iterdir()) == []
