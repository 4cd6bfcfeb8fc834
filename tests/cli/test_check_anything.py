"""Whatever is in a file, ``check`` and ``expand`` answer with an exit code and words, and no traceback."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from bedplate.cli.main import run
from tests.support.legal_environments import disturbed, environments

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(
    [*(ROOT / "environments").glob("*.yaml"), *(ROOT / "tests/stacks/environments").glob("*.yaml")]
)
SETTINGS = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])


def _said(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    return code, out.getvalue(), err.getvalue()


@SETTINGS
@given(disturbed(environments()))
def test_no_environment_brings_the_command_down(data: Any) -> None:
    """A mistyped environment is well or refused, with --json as one JSON document, and expand agrees."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "any.yaml"
        file.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
        code, out, err = _said("check", str(file))
        assert code in (0, 3)
        assert "Traceback" not in err
        assert "CLI-001" not in err
        answer = json.loads(_said("check", "--json", str(file))[1])
        assert answer["valid"] == (code == 0) == (not answer["problems"])
        expanded = _said("expand", str(file))
        assert (expanded[0], bool(expanded[1])) == (code, code == 0)
        assert bool(out) == (code == 0)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_expands_to_itself(file: Path, tmp_path: Path) -> None:
    """What expand prints of an example is an environment, which expands to the same text again."""
    _, first, _ = _said("expand", str(file))
    (tmp_path / "full.yaml").write_text(first, encoding="utf-8")
    assert _said("check", str(tmp_path / "full.yaml"))[0] == 0
    assert _said("expand", str(tmp_path / "full.yaml")) == (0, first, "")
