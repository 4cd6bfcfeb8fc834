"""``bedplate check`` on files that are well, and files that cannot be read."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bedplate.lockfile import lock_path
from bedplate.spec import load_environment
from bedplate.spec.expand import MODELINE
from tests.support.locks import lock_for

Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).parents[2]
NAMES = sorted(path.stem for path in (ROOT / "environments").glob("*.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_well(name: str, bedplate: Bedplate) -> None:
    """Every example environment passes, and the next command is named."""
    done = bedplate("check", "-e", name)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.splitlines()[0].startswith(f"environments/{name}.yaml: well.")
    assert done.stdout.splitlines()[-1] == f"Next: bedplate preflight -e {name}"


@pytest.fixture
def on_a_block(tmp_path: Path) -> Path:
    """A good file with a pool on a block, and no lock file."""
    return Path(shutil.copy(ROOT / "tests/lifecycle/locked.yaml", tmp_path / "locked.yaml"))


def test_a_block_without_a_lock_file_is_locked_next(on_a_block: Path, bedplate: Bedplate) -> None:
    """The file is well, and the next command is the one that writes the lock file."""
    done = bedplate("check", str(on_a_block))
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("Next: bedplate lock -e ")


def test_a_lock_file_that_does_not_fit_is_refused(on_a_block: Path, bedplate: Bedplate) -> None:
    """A lock of another environment is refused in words and as JSON, as the synthesis would."""
    lock = lock_for(load_environment(on_a_block)).model_copy(update={"environment": "other"})
    lock_path(on_a_block).write_text(lock.model_dump_json(), encoding="utf-8")
    done = bedplate("check", str(on_a_block))
    assert done.returncode == 3
    assert done.stderr.startswith("error[LCK-003]")
    done = bedplate("check", str(on_a_block), "--json")
    assert done.returncode == 3
    assert [problem["id"] for problem in json.loads(done.stdout)["problems"]] == ["LCK-003"]


def test_json_of_a_file_that_is_well(bedplate: Bedplate) -> None:
    """With --json a good file gives an empty list of problems."""
    done = bedplate("check", "environments/demo.yaml", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"file": "environments/demo.yaml", "valid": True, "problems": []}


def test_a_file_that_is_not_there(bedplate: Bedplate) -> None:
    """A missing file is refused like a wrong one, in words and as JSON."""
    done = bedplate("check", "none.yaml")
    assert done.returncode == 3
    assert done.stderr.startswith("error[SPC-014]: none.yaml: there is no such file")
    done = bedplate("check", "none.yaml", "--json")
    assert done.returncode == 3
    assert [problem["id"] for problem in json.loads(done.stdout)["problems"]] == ["SPC-014"]


def test_an_environment_that_is_not_there(bedplate: Bedplate) -> None:
    """So is a name that no file has, and with --json standard output holds JSON alone."""
    done = bedplate("check", "-e", "dmeo")
    assert (done.returncode, done.stdout) == (3, "")
    assert "Did you mean 'demo'?" in done.stderr
    done = bedplate("check", "--json", "-e", "dmeo")
    assert (done.returncode, done.stderr) == (3, "")
    answer = json.loads(done.stdout)
    assert (answer["file"], answer["valid"]) == ("dmeo", False)
    assert [problem["id"] for problem in answer["problems"]] == ["SPC-014"]


@pytest.mark.parametrize("command", ["check", "expand"])
def test_a_name_in_place_of_a_file(command: str, bedplate: Bedplate, tmp_path: Path) -> None:
    """Who gives an environment's name for a file is told of -e; a folder of that name changes nothing."""
    done = bedplate(command, "demo")
    assert done.returncode == 3
    assert "Did you mean the environment of that name? Then write `-e demo`." in done.stderr
    assert "-e" not in bedplate(command, "nobody").stderr
    assert "-e" not in bedplate(command, "demo", cwd=tmp_path).stderr
    for folder in ("demo", "environments"):
        (tmp_path / folder).mkdir()
    (tmp_path / "environments" / "demo.yaml").touch()
    done = bedplate(command, "demo", cwd=tmp_path)
    assert "demo: this is a folder" in done.stderr
    assert "`-e demo`" in done.stderr


@pytest.mark.parametrize("arguments", [(), ("a.yaml", "-e", "demo")])
def test_one_environment_is_needed(arguments: tuple[str, ...], bedplate: Bedplate) -> None:
    """None, and two, are a usage error."""
    done = bedplate("check", *arguments)
    assert done.returncode == 2
    assert "Give a FILE, or an environment with -e NAME." in done.stderr


def test_expand_prints_an_environment(bedplate: Bedplate, tmp_path: Path) -> None:
    """What expand prints passes the check, and says more than the file does."""
    done = bedplate("expand", "-e", "dev")
    assert done.returncode == 0
    assert done.stdout.startswith(MODELINE)
    assert "retention_days: 150" in done.stdout
    (tmp_path / "full.yaml").write_text(done.stdout, encoding="utf-8")
    assert bedplate("check", str(tmp_path / "full.yaml")).returncode == 0
    data = json.loads(bedplate("expand", "-e", "dev", "--json").stdout)
    assert data["observability"]["retention_days"] == 150


def test_expand_refuses_what_check_refuses(bedplate: Bedplate) -> None:
    """A broken file is not expanded."""
    done = bedplate("expand", "tests/spec/broken/wrong-type.yaml")
    assert (done.returncode, done.stdout) == (3, "")
    assert "error[CAP-001]" in done.stderr


def test_schema_prints_the_committed_schema(bedplate: Bedplate) -> None:
    """``bedplate schema`` prints what lies beside the environments."""
    committed = (ROOT / "environments" / "environment.schema.json").read_text(encoding="utf-8")
    assert bedplate("schema").stdout == committed


def test_schema_of_results(bedplate: Bedplate) -> None:
    """``bedplate schema --result`` prints the schema of result files."""
    schema = json.loads(bedplate("schema", "--result").stdout)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "properties" in schema


def test_long_lines_are_shown_around_the_place(tmp_path: Path, bedplate: Bedplate) -> None:
    """A line of thousands of characters shows its place and what stands beside it, and the caret fits."""
    (tmp_path / "long.yaml").write_text(f"tags: {{{'a' * 900}: b, nmae: 7}}\nname: {'x' * 9000}\n")
    done = bedplate("check", "long.yaml", cwd=tmp_path)
    assert done.returncode == 3
    assert max(map(len, done.stderr.splitlines())) < 700
    lines = done.stderr.splitlines()
    pointed = {lines[n - 1][line.index("^") :] for n, line in enumerate(lines) if line.endswith(" ^")}
    assert "7}" in pointed
    assert any(line.startswith("1 | …aaa") for line in lines)


def test_a_file_cannot_move_the_cursor(tmp_path: Path, bedplate: Bedplate) -> None:
    """Escapes and directions of writing in a refused file are shown as replacement characters."""
    (tmp_path / "sly.yaml").write_text('name: "\\e[31m\u202eomed"\nregion: "a\\nb"\nzone\x1b[2J: 1\n')
    done = bedplate("check", "sly.yaml", cwd=tmp_path)
    assert done.returncode == 3
    assert not {"\x1b", "\u202e"} & set(done.stderr)
    (tmp_path / "sly.yaml").write_text('name: "\\e[31m\u202eomed\\n"\n')
    done = bedplate("check", "sly.yaml", cwd=tmp_path)
    assert "= given: \ufffd[31m\ufffdomed\ufffd\n" in done.stderr
    assert not {"\x1b", "\u202e"} & set(done.stderr)


def test_the_next_command_can_be_copied(tmp_path: Path, bedplate: Bedplate) -> None:
    """A path with a blank is quoted for the shell."""
    (tmp_path / "my file.yaml").write_text((ROOT / "environments/demo.yaml").read_text())
    done = bedplate("check", "my file.yaml", cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "Next: bedplate preflight -e 'my file.yaml'"
