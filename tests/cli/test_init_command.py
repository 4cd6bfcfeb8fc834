"""``bedplate init`` writes a file that passes the check, or nothing."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from bedplate.cli.commands import init
from bedplate.spec import load_environment
from bedplate.spec.capacity_sources import SOURCE_NAMES
from bedplate.spec.expand import MODELINE
from bedplate.spec.fields import keys_of, sections_in, tag_word
from bedplate.spec.file_systems import FileSystem
from bedplate.spec.starter_storage import KINDS

Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]
NEEDED = ("--name", "new", "--account", "123456789012", "--region", "us-west-2", "--zone", "usw2-az2")
ULTRASERVER = (
    *("--region", "us-east-1", "--zone", "use1-dfw2-az1"),
    *("--instance-type", "p6e-gb200.36xlarge", "--nodes", "18", "--capacity", "ultraserver-block"),
)
GROUP = "arn:aws:resource-groups:us-west-2:123456789012:group/h200"
RESERVATION = ("--reservation", "cr-0123456789abcdef0")


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--file-system", "lustre:38400"),
        ("--file-system", "lustre", "--file-system", "lustre", "--file-system", "lustre-tiering"),
        ("--file-system", "openzfs:64", "--file-system", "efs", "--file-system", "efs"),
        ("--capacity", "spot", "--nodes", "1"),
        ("--capacity", "capacity-block", *RESERVATION, "--nodes", "64"),
        ("--capacity", "targeted-reservation", *RESERVATION),
        ("--capacity", "targeted-reservation", "--reservation", "create"),
        ("--capacity", "targeted-reservation", "--reservation", GROUP),
        ("--capacity", "interruptible-reservation", *RESERVATION),
        ("--instance-type", "p6-b300.48xlarge", "--capacity", "open-reservation"),
        (*ULTRASERVER, *RESERVATION),
        (*ULTRASERVER, *RESERVATION, "--nodes", "9", "--file-system", "lustre", "--file-system", "openzfs"),
    ],
    ids=lambda options: " ".join(options) or "defaults",
)
def test_what_is_written_passes_the_check(
    options: tuple[str, ...], tmp_path: Path, bedplate: Bedplate
) -> None:
    """From options alone, a commented file that breaks no rule, with the schema beside it for editors."""
    done = bedplate("init", *NEEDED, *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    path = tmp_path / "environments" / "new.yaml"
    environment = load_environment(path)
    assert environment.name == "new"
    text = path.read_text(encoding="utf-8")
    assert text.startswith(MODELINE)
    assert text.count("#") > 10
    assert max(map(len, text.splitlines())) <= 110
    assert (path.parent / "environment.schema.json").is_file()
    assert sorted(each.name for each in path.parent.iterdir()) == ["environment.schema.json", "new.yaml"]
    assert done.stdout.splitlines()[-1] == "Next: bedplate check -e new"


def test_nothing_is_overwritten(tmp_path: Path, bedplate: Bedplate) -> None:
    """A file that is there stays as it is, and the exit code is that of a usage error."""
    path = tmp_path / "mine.yaml"
    path.write_text("precious")
    done = bedplate("init", *NEEDED, "--output", str(path), cwd=tmp_path)
    assert done.returncode == 2
    assert "error[CLI-003]" in done.stderr
    assert path.read_text() == "precious"
    assert [each.name for each in tmp_path.iterdir()] == ["mine.yaml"]


def test_wrong_answers_are_refused_and_nothing_written(tmp_path: Path, bedplate: Bedplate) -> None:
    """Answers that break a rule are shown like problems of a file, and no file is written."""
    done = bedplate(
        "init", *NEEDED, "--instance-type", "p5en.48xlage", "--file-system", "lustre:20000", cwd=tmp_path
    )
    assert done.returncode == 3
    assert "error[CAP-001]" in done.stderr
    assert "error[STO-002]" in done.stderr
    assert "(not written)" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../escape", "a: b", "x\ny: z", '"'], ids=["path", "mapping", "line", "quote"]
)
def test_no_answer_becomes_part_of_the_document(name: str, tmp_path: Path, bedplate: Bedplate) -> None:
    """A name that would be YAML of its own, or a path, is refused."""
    folder = tmp_path / "here"
    folder.mkdir()
    done = bedplate("init", "--name", name, *NEEDED[2:], cwd=folder)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert [each.name for each in tmp_path.rglob("*")] == ["here"]


def test_without_a_terminal_what_is_missing_is_named(tmp_path: Path, bedplate: Bedplate) -> None:
    """Where nobody can be asked, the missing option is named."""
    done = bedplate("init", "--name", "new", cwd=tmp_path)
    assert done.returncode == 2
    assert "give --account" in done.stderr


def test_questions_on_a_terminal(tmp_path: Path) -> None:
    """On a terminal what no option answers is asked for, with defaults that Enter takes."""
    controller, terminal = pty.openpty()
    answers = ["asked", "", "123456789012", "", "usw2-az2", "", "4", "lustre, openzfs:128"]
    os.write(controller, "".join(f"{answer}\n" for answer in answers).encode())
    done = subprocess.run(
        [sys.executable, "-m", "bedplate.cli.main", "init"],
        cwd=tmp_path,
        stdin=terminal,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(controller)
    os.close(terminal)
    assert done.returncode == 0, done.stderr
    environment = load_environment(tmp_path / "environments" / "asked.yaml")
    assert (environment.region, environment.pools[0].max_nodes) == ("us-west-2", 4)
    assert [each.kind for each in environment.storage.file_systems] == ["lustre", "openzfs"]
    assert "Instance type [p5en.48xlarge]" in done.stdout


@pytest.mark.parametrize("place", ["/proc/none/new.yaml", "file/new.yaml"])
def test_a_place_that_cannot_be_written_is_named(place: str, tmp_path: Path, bedplate: Bedplate) -> None:
    """A folder that cannot be made is an error of the system, with its name."""
    (tmp_path / "file").write_text("")
    done = bedplate("init", *NEEDED, "--output", place, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error[CLI-004]: ")
    assert str(Path(place).parent) in done.stderr


class _Typed(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_question_is_asked_again_after_a_wrong_answer(
    tmp_path: Path, bedplate: Bedplate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number of nodes that is none, and a source that there is not, are asked for again."""
    answers = [
        "asked",
        "spto",
        "spot",
        "123456789012",
        "",
        "usw2-az1",
        "",
        "many",
        "0",
        "3",
        "lutsre",
        "efs:9",
        "none",
    ]
    monkeypatch.setattr("sys.stdin", _Typed("".join(f"{answer}\n" for answer in answers)))
    done = bedplate("init", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = load_environment(tmp_path / "environments" / "asked.yaml")
    assert (found.pools[0].max_nodes, found.pools[0].capacity.source) == (3, "spot")
    said = done.stdout + done.stderr
    assert "'many' is not a valid integer" in said
    assert "Did you mean lustre?" in said
    assert "grows by itself; write efs" in said


@pytest.mark.parametrize(
    ("given", "said"),
    [("ftp", "'ftp' is none of lustre,"), ("lustre:big", "'big' is no size in GiB"), ("efs:5", "write efs")],
)
def test_file_systems_are_named_by_kind(given: str, said: str, tmp_path: Path, bedplate: Bedplate) -> None:
    """A kind that there is not, and a size that is none, are usage errors that say what is right."""
    done = bedplate("init", *NEEDED, "--file-system", given, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_choices_are_those_of_the_models() -> None:
    """Every source that Slurm on PCS can use and every kind of new file system can be asked for."""
    capacity = next(option for option in init.command.params if option.name == "capacity")
    assert isinstance(capacity.type, click.Choice)
    assert {*capacity.type.choices} == {*SOURCE_NAMES} - {"training-plan"}
    kinds = sections_in(FileSystem)
    assert {*KINDS} == {tag_word(kind, "kind") for kind in kinds if "id" not in keys_of(kind)}
