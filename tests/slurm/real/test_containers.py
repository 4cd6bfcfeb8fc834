"""A SPANK plugin that the bootstrap's step builds against Debian's Slurm, loaded by a real srun and slurmd.

The plugin is a stand-in for Pyxis (``stand_in_pyxis``), and so are Enroot, apt, systemctl and S3. Compiler,
headers, version check, plugstack and Slurm are real.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tarfile
from pathlib import Path

import pytest

from bedplate.node.bootstrap import pyxis
from bedplate.node.bootstrap.boot_log import BootLog
from bedplate.node.bootstrap.containers import Containers, Download
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.runner import ProcessRunner
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import StepFailedError
from bedplate.node.bootstrap.steps.install_containers import STEP
from tests.support.real_slurm.client import SlurmRefusedError
from tests.support.real_slurm.cluster import RealSlurm

from .conftest import Start

pytestmark = [
    pytest.mark.real("slurmctld", "munged", "spank", "gcc", "make"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
    pytest.mark.slow,
    pytest.mark.timeout(300),
]
SOURCE = Path(__file__).parent / "stand_in_pyxis"
SLURM, PLUGSTACK = "/opt/slurm", "/opt/slurm/etc/plugstack.conf"
PROGRAMS = {
    "aws": 'for last; do :; done\ncp "$MIRROR/${last##*/}" "$last"\n',
    "apt-get": "exit 0\n",
    "enroot": "echo 0.0.0\n",
    "systemctl": "exit 3\n",
}
"""SIMULATED: their scripts. slurmctld runs under no systemd here."""


class Node:
    """A node's files in a folder, with this host's Slurm at the place of ParallelCluster's."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        mirror = folder / "mirror"
        for each in (folder / "bin", mirror, self.root / "opt/slurm/sbin", self.root / "etc"):
            each.mkdir(parents=True)
        for name, text in PROGRAMS.items():
            program = folder / "bin" / name
            program.write_text(f'#!/bin/sh\nMIRROR="{mirror}"\n{text}')
            program.chmod(0o755)
        self.path = f"{folder}/bin:{os.environ['PATH']}:/usr/sbin"
        (self.root / "opt/slurm/include").symlink_to("/usr/include")
        (self.root / "opt/slurm/sbin/slurmd").symlink_to(shutil.which("slurmd", path=self.path) or "")
        (self.root / "etc/os-release").write_text("ID=debian\n")
        (mirror / "enroot_0.deb").write_bytes(b"a package")
        with tarfile.open(mirror / "pyxis-0.tar.gz", "w:gz") as archive:
            archive.add(SOURCE, arcname="pyxis-0")
        self.told = Containers(
            slurm=SLURM,
            plugstack=PLUGSTACK,
            packages=(_download(mirror / "enroot_0.deb"),),
            pyxis=_download(mirror / "pyxis-0.tar.gz"),
        )
        self.host = Host(
            root=str(self.root), runner=ProcessRunner(), log=BootLog(folder / "boot.log"), pause_scale=0
        )

    def set_up(self) -> str:
        """Run the step; returns what it says."""
        settings = NodeSettings("test", "login", "login", "results", containers=self.told)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", self.path)
            return STEP.run(self.host, settings)

    def build(self, *, slurm: str) -> str:
        """Build for another Slurm; returns the plugin's path."""
        assert self.told.pyxis is not None
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", self.path)
            return pyxis.build(self.host, self.told.pyxis, slurm=slurm)


def _download(file: Path) -> Download:
    return Download(f"s3://mirror/{file.name}", hashlib.sha256(file.read_bytes()).hexdigest())


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Node:
    """A node that the step has set up, readable for all users."""
    folder = tmp_path_factory.mktemp("containers")
    for part in (folder, *folder.parents[:2]):
        part.chmod(0o755)
    made = Node(folder)
    made.set_up()
    return made


@pytest.fixture(scope="module")
def slurm(node: Node, start_slurm: Start) -> RealSlurm:
    """A cluster that reads the node's plugstack.conf."""
    return start_slurm(nodes=1, settings={"PlugStackConfig": f"{node.root}{PLUGSTACK}"})


def test_srun_knows_the_option_of_what_was_built(node: Node, slurm: RealSlurm) -> None:
    """The plugin was built once, for the Slurm that is there; a second run leaves all as it is."""
    assert "--container-image=IMAGE" in slurm.run("srun", "--help")
    (plugin,) = node.root.rglob(pyxis.PLUGIN)
    built = plugin.stat().st_ino
    said = node.set_up()
    assert f"/slurm-{slurm.run('slurmd', '-V').split()[1]}/{pyxis.PLUGIN}" in said
    assert plugin.stat().st_ino == built


def test_a_task_is_started_by_it(slurm: RealSlurm) -> None:
    """slurmstepd has loaded it too and knows the image; a job without one is left alone."""
    said = slurm.run("srun", "-N1", "--container-image=/fsx/torch.sqsh", "printenv", "STAND_IN_IMAGE")
    assert said.strip() == "/fsx/torch.sqsh"
    assert slurm.run("srun", "-N1", "sh", "-c", "echo ${STAND_IN_IMAGE-none}").strip() == "none"


def _other_slurm(node: Node, number: str, said: str) -> str:
    """A Slurm whose headers are of this number, and whose daemon says that it is of that version."""
    folder = node.root / f"opt/slurm-{number}"
    shutil.copytree("/usr/include/slurm", folder / "include/slurm")
    header = folder / "include/slurm/slurm_version.h"
    header.write_text(re.sub("(NUMBER) 0x[0-9a-f]{6}", rf"\1 0x{number}", header.read_text()))
    (folder / "sbin").mkdir()
    (folder / "sbin/slurmd").write_text(f"#!/bin/sh\necho 'slurm {said}'\n")
    (folder / "sbin/slurmd").chmod(0o755)
    return f"/opt/{folder.name}"


def test_slurm_loads_none_that_was_built_for_another(node: Node, slurm: RealSlurm) -> None:
    """Why the step compares versions: a plugin for another release ends every srun, with or without it."""
    version = slurm.run("slurmd", "-V").split()[1]
    with pytest.raises(StepFailedError, match="would not load what is built with them"):
        node.build(slurm=_other_slurm(node, "170207", version))
    plugin = node.build(slurm=_other_slurm(node, "170208", "23.02.8"))
    lines = node.root / PLUGSTACK.lstrip("/")
    ours = lines.read_text()
    lines.write_text(f"required {node.root}{plugin}\n")
    try:
        with pytest.raises(SlurmRefusedError, match="ncompatible"):
            slurm.run("srun", "-N1", "true")
    finally:
        lines.write_text(ours)
