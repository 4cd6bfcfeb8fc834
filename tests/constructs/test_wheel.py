"""The constructs in somebody else's app, installed from the wheel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FOREIGN_APP = """
import bedplate.stacks.entry

bedplate.stacks.entry.use_locked_node()

from aws_cdk import App, CfnOutput, Stack
from bedplate.constructs.fabric_security_group import FabricSecurityGroup
from bedplate.constructs.lustre_file_system import LustreFileSystem
from bedplate.constructs.node_launch_template import NodeLaunchTemplate
from bedplate.hardware import instance_type

app = App()
stack = Stack(app, "theirs")
fabric = FabricSecurityGroup(stack, "Fabric", vpc_id="vpc-0123456789abcdef0")
lustre = LustreFileSystem(
    stack,
    "Scratch",
    vpc_id="vpc-0123456789abcdef0",
    subnet_id="subnet-0123456789abcdef0",
    client_group_id=fabric.group_id,
    capacity_gib=4800,
    throughput_mbps_per_tib=1000,
)
fabric.protect(lustre)
template = NodeLaunchTemplate(
    stack,
    "Launch",
    security_group_ids=[fabric.group_id],
    user_data="#!/bin/bash\\n",
    interfaces=instance_type("p6-b300.48xlarge").interfaces,
)
CfnOutput(stack, "MountName", value=lustre.mount_name)
CfnOutput(stack, "TemplateId", value=template.template_id)
print(bedplate.__file__)
app.synth()
"""


def _build_wheel(folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (wheel,) = folder.glob("bedplate-*.whl")
    return wheel


def _clean_environment(folder: Path, wheel: Path) -> Path:
    """A virtual environment with the wheel and this environment's dependencies; nothing is downloaded.

    The dependencies come by a path file. Path files of a folder that comes so are not followed, so the
    editable install of this checkout stays out.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=120)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / version / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a clean environment with the wheel in it."""
    wheel = _build_wheel(tmp_path_factory.mktemp("wheel"))
    return _clean_environment(tmp_path_factory.mktemp("clean"), wheel)


def _run(python: Path, code: str, *, folder: Path) -> subprocess.CompletedProcess[str]:
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("CDK_", "JSII_", "PYTHON"))
    }
    return subprocess.run(
        [str(python), "-c", code],
        cwd=folder,
        env={**kept, "CDK_OUTDIR": str(folder / "out"), "CDK_VALIDATION": "false"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.slow
def test_three_constructs_compose_in_a_foreign_app(python: Path, tmp_path: Path) -> None:
    """From the installed wheel, in an app without our flags, three constructs and two outputs synthesise."""
    done = _run(python, FOREIGN_APP, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(ROOT) not in done.stdout, "the checkout was imported, not the wheel"
    template = json.loads((tmp_path / "out" / "theirs.template.json").read_text())
    types = [each["Type"] for each in template["Resources"].values()]
    assert types.count("AWS::FSx::FileSystem") == types.count("AWS::EC2::LaunchTemplate") == 1
    (launch,) = [
        each for each in template["Resources"].values() if each["Type"] == "AWS::EC2::LaunchTemplate"
    ]
    assert len(launch["Properties"]["LaunchTemplateData"]["NetworkInterfaces"]) == 17
    assert set(template["Outputs"]) == {"MountName", "TemplateId"}
    (file_system,) = [
        each for each in template["Resources"].values() if each["Type"] == "AWS::FSx::FileSystem"
    ]
    rules = {key for key in template["Resources"] if key.startswith(("FabricFromItself", "FabricToItself"))}
    assert len(rules) == 2
    assert rules <= set(file_system["DependsOn"])


@pytest.mark.slow
def test_the_wheel_carries_its_data(python: Path, tmp_path: Path) -> None:
    """Scripts, handlers and lists are in the wheel, and a whole environment builds from it."""
    code = (
        "from importlib.resources import files\n"
        "from pathlib import Path\n"
        "for package, name in [\n"
        "    ('constructs', 'handlers/manifest_writer/index.py'),\n"
        "    ('constructs', 'handlers/capacity_blocks/scale.py'), ('capacity', 'images.json'),\n"
        "    ('stacks', 'acknowledgements.json'), ('slurm', 'jobs/templates/fsdp2.sbatch.j2')]:\n"
        "    assert files(f'bedplate.{package}').joinpath(name).read_text(), name\n"
        "from bedplate.stacks.entry import synthesise\n"
        f"synthesise(base=Path({str(ROOT)!r}), context={{'env': 'demo'}})\n"
    )
    done = _run(python, code, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out").glob("bedplate-demo-*.template.json"))) == 5
