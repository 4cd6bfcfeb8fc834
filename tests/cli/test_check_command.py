"""``bedplate check`` on files that are well, and files that cannot be read."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bedplate.spec.expand import MODELINE

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
