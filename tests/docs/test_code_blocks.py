"""What the documents show is true: their commands run, their Python runs, their environment files load."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.docs.blocks import ROOT, Block, all_blocks, is_runnable, missing_lines, steps_of
from tests.docs.commands import command_lines, problem_with

BLOCKS = all_blocks()
SHELLS = {"console", "bash", "sh"}


def _of(*languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.language in languages]


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A folder as a reader has it: the environments, and what `make demo` leaves in build/demo."""
    from bedplate.validation.reports.result_file import write_result
    from tests.validation.reports.sample_run import faulty_run

    shutil.copytree(ROOT / "environments", tmp_path / "environments")
    write_result(faulty_run(), tmp_path / "build/demo/result.json")
    return tmp_path


@pytest.mark.parametrize("block", [b for b in BLOCKS if is_runnable(b)], ids=str)
def test_a_runnable_block_runs_as_shown(block: Block, workplace: Path) -> None:
    """Each command exits as the block says and prints the lines that the block shows, in their order."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for step in steps_of(block):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", step.command],
            cwd=workplace,
            env={**os.environ, "PATH": path, "COLUMNS": "100"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == step.exit_code, f"{block}: {step.command}\n{done.stdout}"
        assert missing_lines(done.stdout, step.expected) == [], f"{block}: {step.command}\n{done.stdout}"


@pytest.mark.parametrize("block", _of("python"), ids=str)
def test_a_python_block_runs(block: Block, workplace: Path) -> None:
    """Each Python block is a whole program that ends well."""
    done = subprocess.run(
        [sys.executable, "-c", block.text],
        cwd=workplace,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{block}\n{done.stderr}"


@pytest.mark.parametrize("block", _of("yaml"), ids=str)
def test_a_yaml_block_is_an_environment_or_says_that_it_is_a_part(block: Block, tmp_path: Path) -> None:
    """A YAML block loads as an environment file; one that starts with `# part` only has to parse."""
    data = yaml.safe_load(block.text)
    assert data is not None
    if block.text.startswith("# part") or not {"name", "pools"} <= set(data):
        return
    from bedplate.spec import load_environment

    path = tmp_path / "environment.yaml"
    path.write_text(block.text, encoding="utf-8")
    assert load_environment(path).name == data["name"]


@pytest.mark.parametrize("block", _of("json"), ids=str)
def test_a_json_block_is_json(block: Block) -> None:
    """A JSON block parses."""
    assert json.loads(block.text) is not None


def test_every_command_that_is_shown_exists() -> None:
    """Each `bedplate` and `make` command of a shell block exists with its options, run or not."""
    wrong = [
        f"{block}: {' '.join(words)}: {problem}"
        for block in BLOCKS
        if block.language in SHELLS
        for words in command_lines(block.text)
        if (problem := problem_with(words))
    ]
    assert wrong == []


def test_every_block_names_its_language() -> None:
    """A block without a language cannot be checked; plain text is marked `text`."""
    known = {"console", "bash", "sh", "python", "yaml", "json", "text", "mermaid", "toml", "promql", "ini"}
    assert [f"{block}: {block.language or 'none'}" for block in BLOCKS if block.language not in known] == []
