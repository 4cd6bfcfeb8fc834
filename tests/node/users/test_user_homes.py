"""Homes are made whole, once, by whichever node is first."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bedplate.node.__main__ import main
from bedplate.node.users import homes
from bedplate.node.users.homes import make_home

NOBODY = 65534
needs_root = pytest.mark.real("root")


@pytest.fixture
def skeleton(tmp_path: Path) -> Path:
    """What a new home begins with."""
    folder = tmp_path / "skel"
    (folder / ".config").mkdir(parents=True)
    (folder / ".bashrc").write_text("alias ll='ls -l'\n")
    (folder / ".link").symlink_to("/etc/passwd")
    return folder


def _me() -> int:
    return os.geteuid()


def test_a_home_begins_with_the_skeleton_and_is_its_users_alone(tmp_path: Path, skeleton: Path) -> None:
    """Mode 700, the skeleton's files in it, links as links; nothing else is left in the folder."""
    home = tmp_path / "home" / "alice"
    home.parent.mkdir()
    assert make_home(home, uid=_me(), skeleton=skeleton, node="i-1")
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert sorted(path.name for path in home.iterdir()) == [".bashrc", ".config", ".link"]
    assert (home / ".link").is_symlink()
    assert [path.name for path in home.parent.iterdir()] == ["alice"]


@needs_root
def test_all_of_it_belongs_to_its_user(tmp_path: Path, skeleton: Path) -> None:
    """User and group, to the last file; where a link points to is left alone."""
    home = tmp_path / "alice"
    before = Path("/etc/passwd").stat().st_uid
    make_home(home, uid=NOBODY, skeleton=skeleton, node="i-1")
    owned = [home, *home.rglob("*")]
    assert {(path.lstat().st_uid, path.lstat().st_gid) for path in owned} == {(NOBODY, NOBODY)}
    assert Path("/etc/passwd").stat().st_uid == before


def test_a_home_that_is_there_is_left_as_it_is(tmp_path: Path, skeleton: Path) -> None:
    """Neither its files nor its mode change."""
    home = tmp_path / "alice"
    home.mkdir(mode=0o750)
    (home / "thesis").write_text("x")
    assert not make_home(home, uid=_me(), skeleton=skeleton, node="i-1")
    assert stat.S_IMODE(home.stat().st_mode) == 0o750
    assert [path.name for path in home.iterdir()] == ["thesis"]


@needs_root
def test_a_home_of_somebody_else_is_refused(tmp_path: Path, skeleton: Path) -> None:
    """It is neither used nor given away: files of two people would be one's."""
    home = tmp_path / "alice"
    home.mkdir()
    with pytest.raises(PermissionError, match="belongs to uid 0, not to 65534"):
        make_home(home, uid=NOBODY, skeleton=skeleton, node="i-1")
    assert home.stat().st_uid == 0


@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_is_no_folder_is_no_home(tmp_path: Path, skeleton: Path, kind: str) -> None:
    """A file, and a link to wherever, are left and told of."""
    home = tmp_path / "alice"
    if kind == "file":
        home.write_text("")
    else:
        home.symlink_to(tmp_path)
    with pytest.raises(NotADirectoryError):
        make_home(home, uid=_me(), skeleton=skeleton, node="i-1")
    assert home.is_symlink() == (kind == "link")


def test_what_an_earlier_attempt_left_half_made_is_made_anew(tmp_path: Path, skeleton: Path) -> None:
    """A node that went down in between leaves a folder under its own name, which is no home."""
    half = tmp_path / ".alice.i-1.bedplate"
    half.mkdir()
    (half / "torn").write_text("")
    assert make_home(tmp_path / "alice", uid=_me(), skeleton=skeleton, node="i-1")
    assert not (tmp_path / "alice/torn").exists()
    assert not half.exists()


def test_without_a_skeleton_a_home_is_empty(tmp_path: Path) -> None:
    """An image may have none."""
    assert make_home(tmp_path / "alice", uid=_me(), skeleton=tmp_path / "none", node="i-1")
    assert list((tmp_path / "alice").iterdir()) == []


def test_many_nodes_at_once_make_one_home(tmp_path: Path, skeleton: Path) -> None:
    """Exactly one says that it made it, none fails, and nothing but the home is left."""
    home = tmp_path / "home" / "alice"
    home.parent.mkdir()
    with ThreadPoolExecutor(16) as pool:
        made = list(
            pool.map(
                lambda number: make_home(home, uid=_me(), skeleton=skeleton, node=f"i-{number}"), range(64)
            )
        )
    assert made.count(True) == 1
    assert [path.name for path in home.parent.iterdir()] == ["alice"]
    assert sorted(path.name for path in home.iterdir()) == [".bashrc", ".config", ".link"]


def test_a_node_that_comes_second_throws_its_own_away(
    tmp_path: Path, skeleton: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another node's home appears between the look and the renaming: it stays, whatever is in it."""
    home = tmp_path / "alice"
    fill = homes._fill

    def slow(*arguments: object) -> None:
        fill(*arguments)  # type: ignore[arg-type]
        home.mkdir()
        (home / "theirs").write_text("")

    monkeypatch.setattr(homes, "_fill", slow)
    assert not make_home(home, uid=_me(), skeleton=skeleton, node="i-1")
    assert [path.name for path in home.iterdir()] == ["theirs"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_nodes_make_homes_in_an_order_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of them, whatever the order; the same node takes the same one again."""
    users = [f"user{number}:{_me()}" for number in range(20)]
    orders = []
    for run, node in enumerate(("i-1", "i-2", "i-1")):
        folder = tmp_path / str(run)
        words = ["--folder", str(folder), "--skeleton", str(tmp_path / "none"), "--node", node]
        assert main(["make-homes", *words, *users]) == 0
        orders.append([line.rpartition("/")[2] for line in capsys.readouterr().out.splitlines()])
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(user.partition(":")[0] for user in users)
    assert orders[0] == orders[2] != orders[1]


def test_the_command_makes_the_others_where_one_cannot_be(
    tmp_path: Path, skeleton: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It makes the folder of homes too, ends with 1, and says what was in the way."""
    folder = tmp_path / "fsx" / "home"
    folder.mkdir(parents=True)
    (folder / "alice").write_text("")
    words = ["--folder", str(folder), "--skeleton", str(skeleton), "--node", "i-1"]
    assert main(["make-homes", *words, f"alice:{_me()}", f"bob:{_me()}"]) == 1
    told = capsys.readouterr()
    assert f"{folder}/alice: is there and is no folder" in told.err
    assert told.out.splitlines() == [f"{folder}/bob"]
    assert main(["make-homes", *words, f"bob:{_me()}"]) == 0
