"""Tests of the file that is shipped to nodes."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bedplate.diagnosis.tools import NVIDIA_SMI
from bedplate.node.envelope import open_envelope
from bedplate.node.zipapp import build_node_zipapp

NODE = "i-0123456789abcdef0"


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """The zipapp, built once."""
    return build_node_zipapp(output=tmp_path_factory.mktemp("pyz") / "deep" / "bedplate-node.pyz")


@pytest.fixture
def root(tmp_path) -> Path:
    """A node's own tree with its identity."""
    identity = tmp_path / "var/lib/cloud/data/instance-id"
    identity.parent.mkdir(parents=True)
    identity.write_text(NODE + "\n")
    return tmp_path


def python_3_9() -> str | None:
    """A Python 3.9 that starts: on the PATH, or kept by pyenv."""
    kept = sorted(str(path) for path in Path.home().glob(".pyenv/versions/3.9*/bin/python3.9"))
    for candidate in [shutil.which("python3.9"), *kept]:
        if candidate and subprocess.run([candidate, "--version"], capture_output=True).returncode == 0:
            return candidate
    return None


def call(program: Path, root: Path, *arguments: str, python: str = sys.executable):
    """Run the zipapp as a node would, outside the source tree."""
    environment = {"PATH": os.environ["PATH"], "BEDPLATE_ROOT": str(root), "BEDPLATE_SIMULATED": "1"}
    return subprocess.run(
        [python, "-I", str(program), *arguments], capture_output=True, text=True, env=environment, cwd=root
    )


def test_two_builds_are_the_same_bytes(program, tmp_path) -> None:
    """The file's digest is part of a template, so the same sources give the same bytes."""
    again = build_node_zipapp(output=tmp_path / "other-name.pyz")
    assert again.read_bytes() == program.read_bytes()


def test_it_holds_what_runs_on_nodes_and_nothing_else(program) -> None:
    """Node, diagnosis and hardware travel; what needs a third party's package does not."""
    names = zipfile.ZipFile(program).namelist()
    rooms = {name.split("/")[1] for name in names if name.count("/") > 1}
    assert rooms == {"diagnosis", "hardware", "node"}
    assert {"__main__.py", "bedplate/__init__.py"} <= set(names)


def test_the_probe_answers_from_a_tree_of_its_own(program, root) -> None:
    """Started as on a node, the probe's answer opens with the node's id and the nonce."""
    ran = call(program, root, "probe", "--nonce", "nonce-12345678")
    answer = open_envelope(ran.stdout, instance_id=NODE, nonce="nonce-12345678", command="probe")
    assert ran.returncode == 0
    assert answer.simulated
    assert answer.body["infiniband"] is None
    assert [run["argv"] for run in answer.body["tools"]].count(list(NVIDIA_SMI)) == 1


def test_a_node_that_cannot_say_who_it_is_answers_nothing(program, tmp_path) -> None:
    """Without an identity there is no envelope, a reason on stderr and a non-zero status."""
    ran = call(program, tmp_path, "probe", "--nonce", "nonce-12345678")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "no instance id in" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("nonce", ["short", "white space", "x" * 65])
def test_an_unfit_nonce_is_refused(program, root, nonce) -> None:
    """A nonce that would break the header is refused before anything runs."""
    ran = call(program, root, "probe", "--nonce", nonce)
    assert (ran.returncode, ran.stdout) == (2, "")


@pytest.mark.real("python3.9")
def test_it_runs_on_python_3_9(program, root) -> None:
    """Nodes bring the Python of their system; the oldest that is promised imports everything and probes."""
    python = python_3_9()
    if python is None:
        pytest.skip("python3.9 is not here")
    ran = call(program, root, "probe", "--nonce", "nonce-12345678", python=python)
    assert open_envelope(ran.stdout, instance_id=NODE, nonce="nonce-12345678").command == "probe"
    everything = (
        "import importlib, pkgutil, sys; sys.path.insert(0, sys.argv[1]); import bedplate.node;"
        "import bedplate.diagnosis, bedplate.hardware;"
        "[importlib.import_module(m.name) for p in (bedplate.node, bedplate.diagnosis, bedplate.hardware)"
        " for m in pkgutil.walk_packages(p.__path__, p.__name__ + '.') if not m.name.endswith('__main__')]"
    )
    imported = subprocess.run([python, "-I", "-c", everything, str(program)], capture_output=True, text=True)
    assert imported.stderr == ""
    assert imported.returncode == 0
