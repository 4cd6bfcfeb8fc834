"""Each environment is synthesised once per session; the tests read plain JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.locks import lock_for
from tests.support.once import made_once

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
EXAMPLES = sorted((ROOT / "environments").glob("*.yaml"))
CASES = sorted((HERE / "environments").glob("*.yaml"))
"""Environments for the tests alone: capacity sources, an existing VPC, an UltraServer."""

ENTRY = """
import sys
from pathlib import Path
from bedplate.stacks.entry import main
sys.exit(main(base=Path(sys.argv[1])))
"""
"""What app.py does, for a project folder that is given."""


def _runs_slurm(path: Path) -> bool:
    kind: str = yaml.safe_load(path.read_text(encoding="utf-8"))["orchestrator"]["kind"]
    return kind.startswith("slurm")


@dataclass(frozen=True)
class Assembly:
    """What one environment file became: the folder, and each stack's template by its role."""

    file: Path
    folder: Path
    templates: dict[str, dict[str, Any]] = field(default_factory=dict)

    def resources(self, role: str, type_: str) -> dict[str, Any]:
        """Resources of one type in one stack, by logical id."""
        found = self.templates[role]["Resources"]
        return {key: value for key, value in found.items() if value["Type"] == type_}


def synthesise(file: Path, *, folder: Path) -> Assembly:
    """Build the stacks of an environment file into ``folder``, with the flags of cdk.json.

    With the lock file beside it, or one that fits it where there is none.
    """
    from bedplate.lockfile import read_lock
    from bedplate.spec import load_environment
    from bedplate.stacks.entry import use_locked_node

    environment = load_environment(file)
    use_locked_node()
    with pytest.MonkeyPatch.context() as patch:
        # Read by Node when it starts; the compliance test has the validation on.
        patch.setenv("CDK_VALIDATION", "false")
        from aws_cdk import App

        app = App(outdir=str(folder), context=flags())
    from bedplate.stacks.environment_app import build_stacks

    build_stacks(app, environment=environment, lock=read_lock(file) or lock_for(environment))
    app.synth()
    return read(file, folder)


def read(file: Path, folder: Path) -> Assembly:
    """Read the templates of an assembly."""
    templates = {
        path.name.removesuffix(".template.json").rsplit("-", 1)[1]: json.loads(path.read_text())
        for path in sorted(folder.glob("*.template.json"))
    }
    return Assembly(file, folder, templates)


def flags() -> dict[str, Any]:
    """The context of cdk.json."""
    context: dict[str, Any] = json.loads((ROOT / "cdk.json").read_text())["context"]
    return context


def run_entry(
    environment: str, *, outdir: Path, base: Path = ROOT, policy: bool = False, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run app.py's entry in a process of its own, as the CDK's command line does."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("CDK_", "JSII_"))}
    return subprocess.run(
        [sys.executable, "-c", ENTRY, str(base)],
        env={
            **kept,
            "CDK_CONTEXT_JSON": json.dumps({"env": environment, "policy": str(policy).lower()}),
            "CDK_OUTDIR": str(outdir),
            **variables,
        },
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.fixture(scope="session")
def assembly_of(shared_folder: Path) -> Callable[[Path], Assembly]:
    """Synthesise a file, once per session."""
    made: dict[Path, Assembly] = {}

    def get(file: Path) -> Assembly:
        if file not in made:
            folder = shared_folder / "assemblies" / file.parent.parent.name / file.stem
            made[file] = read(file, made_once(folder, lambda new: synthesise(file, folder=new)))
        return made[file]

    return get


@pytest.fixture(params=[*EXAMPLES, *CASES], ids=lambda path: path.stem)
def assembly(request: pytest.FixtureRequest, assembly_of: Callable[[Path], Assembly]) -> Assembly:
    """Every environment file in turn."""
    return assembly_of(request.param)


@pytest.fixture(
    params=[path for path in (*EXAMPLES, *CASES) if _runs_slurm(path)], ids=lambda path: path.stem
)
def slurm_assembly(request: pytest.FixtureRequest, assembly_of: Callable[[Path], Assembly]) -> Assembly:
    """Every environment file that runs Slurm, in turn."""
    return assembly_of(request.param)


@pytest.fixture
def demo(assembly_of: Callable[[Path], Assembly]) -> Assembly:
    """The demo."""
    return assembly_of(ROOT / "environments" / "demo.yaml")


@pytest.fixture
def case(assembly_of: Callable[[Path], Assembly]) -> Callable[[str], Assembly]:
    """One of the tests' own environments, by name."""
    return lambda name: assembly_of(HERE / "environments" / f"{name}.yaml")


@pytest.fixture
def entry() -> Callable[..., subprocess.CompletedProcess[str]]:
    """``run_entry``, for tests that need a process of its own."""
    return run_entry


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def example(request: pytest.FixtureRequest) -> Path:
    """Every example file that a user sees."""
    file: Path = request.param
    return file
