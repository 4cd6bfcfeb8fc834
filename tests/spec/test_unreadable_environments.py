"""Files that cannot be read, or are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.errors import ExitCode, SpecRefused
from bedplate.spec import SpecProblems, find_environment, load_environment


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """The message names the file, and the exit code is that of a refused environment."""
    with pytest.raises(SpecRefused, match="no such file") as caught:
        load_environment(tmp_path / "none.yaml")
    assert caught.value.error_id == "SPC-014"
    assert caught.value.exit_code == ExitCode.SPEC_REFUSED


def test_a_folder_is_refused(tmp_path: Path) -> None:
    """A folder is no environment file."""
    with pytest.raises(SpecRefused, match="folder"):
        load_environment(tmp_path)


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 are refused, and no guess is made."""
    path = tmp_path / "latin.yaml"
    path.write_bytes("name: Müller".encode("latin-1"))
    with pytest.raises(SpecRefused, match="UTF-8"):
        load_environment(path)


def test_an_endless_file_is_refused() -> None:
    """No more is read of a file than may be in one."""
    with pytest.raises(SpecProblems) as caught:
        load_environment(Path("/dev/zero"))
    assert caught.value.error_id == "SPC-011"


def test_control_characters_are_shown_where_they_are(tmp_path: Path) -> None:
    """A control character is refused at its place, since its line looks right."""
    path = tmp_path / "bell.yaml"
    path.write_bytes(b"name: demo\nregion: us\x07west-2\n")
    with pytest.raises(SpecProblems) as caught:
        load_environment(path)
    assert [(problem.line, problem.column) for problem in caught.value.problems] == [(2, 11)]
    assert "U+0007" in caught.value.problems[0].message


def test_a_byte_order_mark_is_let_through(tmp_path: Path, demo_text: str) -> None:
    """What some editors put at the head of UTF-8 files does no harm."""
    path = tmp_path / "demo.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + demo_text.encode())
    assert load_environment(path).name == "demo"


def test_windows_line_ends_are_let_through(tmp_path: Path, demo_text: str) -> None:
    """So do the line ends of Windows."""
    path = tmp_path / "demo.yaml"
    path.write_bytes(demo_text.replace("\n", "\r\n").encode())
    assert load_environment(path).name == "demo"


def test_a_name_means_a_file_in_environments(tmp_path: Path) -> None:
    """A name is looked up in environments/, whatever holds a slash or a suffix is a path."""
    folder = tmp_path / "environments"
    folder.mkdir()
    for path in (folder / "dev.yaml", tmp_path / "own.yaml"):
        path.write_text("")
    assert find_environment("dev", tmp_path) == folder / "dev.yaml"
    assert find_environment("own.yaml", tmp_path) == tmp_path / "own.yaml"
    assert find_environment("environments/dev.yaml", tmp_path) == folder / "dev.yaml"
    assert find_environment(str(tmp_path / "own.yaml"), Path("/")) == tmp_path / "own.yaml"


def test_an_unknown_name_gets_the_nearest(tmp_path: Path) -> None:
    """The remedy names the environment that was probably meant, and all others."""
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "prod-slurm.yaml").write_text("")
    with pytest.raises(SpecRefused) as caught:
        find_environment("prod-slrum", tmp_path)
    assert caught.value.error_id == "SPC-014"
    assert "'prod-slurm'" in caught.value.remedy


def test_a_folder_without_environments_is_explained(tmp_path: Path) -> None:
    """Where there is no environment at all, the remedy says how to get one."""
    with pytest.raises(SpecRefused) as caught:
        find_environment("dev", tmp_path)
    assert "bedplate init" in caught.value.remedy


def test_a_loop_of_links_is_refused(tmp_path: Path) -> None:
    """A link to itself is a file that cannot be read, not a mistake of Bedplate."""
    path = tmp_path / "loop.yaml"
    path.symlink_to(path)
    with pytest.raises(SpecRefused, match="symbolic links") as caught:
        load_environment(path)
    assert caught.value.error_id == "SPC-014"
