"""Enroot and Pyxis, by programs that answer by a table: what is fetched, built, written and refused."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.bootstrap import enroot, pyxis
from bedplate.node.bootstrap.containers import Containers, Download
from bedplate.node.bootstrap.plugstack import with_line
from bedplate.node.bootstrap.runner import Ran
from bedplate.node.bootstrap.slurm_version import version_of_header, version_said
from bedplate.node.bootstrap.step import StepFailedError
from bedplate.node.bootstrap.steps.install_containers import DROP_INS, STEP, WITHOUT_SCRATCH
from tests.node.bootstrap.fake_machine import SETTINGS
from tests.node.bootstrap.hosts import Answers, Machine, ScriptedRunner

SLURM = "/opt/aws/pcs/scheduler/slurm-25.11"
PLUGSTACK = "/etc/aws/pcs/scheduler/slurm-25.11/plugstack.conf.d/bedplate-pyxis.conf"
DEB, SOURCE = b"a package", b"a source"
TOLD = Containers(
    slurm=SLURM,
    plugstack=PLUGSTACK,
    packages=(Download("s3://mirror/enroot_4.1.2-1_amd64.deb", hashlib.sha256(DEB).hexdigest()),),
    pyxis=Download("s3://mirror/pyxis-0.24.0.tar.gz", hashlib.sha256(SOURCE).hexdigest()),
)
NODE = replace(SETTINGS, containers=TOLD)
OF_IMAGE = replace(NODE, containers=Containers(slurm=SLURM, plugstack=PLUGSTACK))
PLUGIN = f"{pyxis.OURS}/slurm-25.11.2/{pyxis.PLUGIN}"
IMAGE_PLUGIN = "/usr/local/lib/slurm/spank_pyxis.so"


class Programs(ScriptedRunner):
    """``aws`` fetches what is in ``bucket``, and ``make`` leaves a plugin; the rest is a table."""

    def __init__(self, answers: Answers, *, missing: Sequence[str] = ()) -> None:
        super().__init__(answers, missing=missing)
        self.bucket = {each.uri: text for each, text in ((TOLD.packages[0], DEB), (TOLD.pyxis, SOURCE))}
        self.makes = True

    def run(self, argv: Sequence[str], seconds: float) -> Ran:
        """Answer, and do what the program would."""
        ran = super().run(argv, seconds)
        if ran.ok and argv[0] == "aws":
            if argv[-2] not in self.bucket:
                return Ran(tuple(argv), 1, "", "fatal error: An error occurred (403): Forbidden\n")
            Path(argv[-1]).write_bytes(self.bucket[argv[-2]])
        if ran.ok and "make" in argv and self.makes:
            (Path(argv[-1]) / pyxis.PLUGIN).write_text("a plugin")
        return ran


def _machine(
    root: Path, answers: Answers | None = None, *, missing: Sequence[str] = (), said: str = "slurm 25.11.2\n"
) -> Machine:
    machine = Machine(root)
    table = {f"{root}{SLURM}/sbin/slurmd -V": (0, said), "enroot version": (0, "4.1.2\n"), **(answers or {})}
    machine.runner = machine.host._runner = Programs(table, missing=missing)
    machine.write("/etc/os-release", 'ID=ubuntu\nVERSION_ID="24.04"\n')
    machine.write(f"{SLURM}/include/slurm/slurm_version.h", "#define SLURM_VERSION_NUMBER 0x190b02\n")
    machine.write("/proc/sys/user/max_user_namespaces", "511000\n")
    return machine


def _called(machine: Machine, prefix: str) -> list[str]:
    return [call for call in machine.runner.calls if call.startswith(prefix)]


def test_a_node_gets_enroot_and_a_pyxis_of_its_slurm(tmp_path: Path) -> None:
    """Both are fetched and compared; the plugin is built against that Slurm's headers, and Slurm is told."""
    machine = _machine(tmp_path)
    assert STEP.run(machine.host, NODE) == f"Enroot 4.1.2, {PLUGIN}"
    build = f"env CPPFLAGS=-I{tmp_path}{SLURM}/include make -C {tmp_path}{pyxis.BUILD}/source"
    assert build in machine.runner.calls
    assert machine.text(PLUGIN) == "a plugin"
    assert machine.text(PLUGSTACK) == f"required {tmp_path}{PLUGIN} runtime_path=/run/pyxis\n"
    install = _called(machine, "apt-get")
    assert len(install) == 1
    assert install[0].endswith(f"install {tmp_path}{enroot.FETCHED}/enroot_4.1.2-1_amd64.deb")
    assert not (tmp_path / pyxis.BUILD.lstrip("/")).exists()
    assert not (tmp_path / enroot.FETCHED.lstrip("/")).exists()


def test_images_lie_on_scratch_where_there_is_one(tmp_path: Path) -> None:
    """What grows is on the NVMe disks, where everybody may write; else it is on the root disk."""
    machine = _machine(tmp_path)
    STEP.run(machine.host, NODE)
    text = machine.text(enroot.CONF)
    assert "ENROOT_DATA_PATH /scratch/enroot/data/user-$(id -u)\n" in text
    assert "ENROOT_RESTRICT_DEV no\n" in text
    for folder in ("scratch/enroot", "scratch/enroot/cache", "scratch/enroot/tmp", "run/enroot"):
        assert (tmp_path / folder).stat().st_mode & 0o7777 == 0o1777
    login = replace(NODE, role="login", gpus=0, nvme_count=0, local_nvme="none")
    STEP.run(machine.host, login)
    assert f"ENROOT_TEMP_PATH {WITHOUT_SCRATCH}/tmp\n" in machine.text(enroot.CONF)


def test_a_later_boot_fetches_and_builds_nothing(tmp_path: Path) -> None:
    """What is there is compared by its digests; slurmd's unit is written once."""
    machine = _machine(tmp_path)
    STEP.run(machine.host, NODE)
    assert all(f"PATH={SLURM}/sbin:{SLURM}/bin:" in machine.text(path) for path in DROP_INS)
    machine.runner.calls.clear()
    STEP.run(machine.host, NODE)
    assert [call.split()[0].rpartition("/")[2] for call in machine.runner.calls] == ["slurmd", "enroot"]


@pytest.mark.parametrize("what", ["plugin", "source", "slurm"])
def test_what_has_changed_is_built_anew(what: str, tmp_path: Path) -> None:
    """A plugin that somebody wrote over, another source, another Slurm: each has its own build."""
    machine = _machine(tmp_path)
    STEP.run(machine.host, NODE)
    machine.runner.calls.clear()
    node, plugin = NODE, PLUGIN
    if what == "plugin":
        machine.write(PLUGIN, "something else")
    elif what == "source":
        other = Download("s3://mirror/pyxis-0.25.0.tar.gz", hashlib.sha256(b"newer").hexdigest())
        machine.runner.bucket[other.uri] = b"newer"
        node = replace(NODE, containers=replace(TOLD, pyxis=other))
    else:
        machine.write(f"{SLURM}/include/slurm/slurm_version.h", "#define SLURM_VERSION_NUMBER 0x190b03\n")
        plugin = PLUGIN.replace("25.11.2", "25.11.3")
    assert STEP.run(machine.host, node) == f"Enroot 4.1.2, {plugin}"
    assert len(_called(machine, "env CPPFLAGS")) == 1
    assert machine.text(plugin) == "a plugin"
    assert machine.text(PLUGSTACK) == f"required {tmp_path}{plugin} runtime_path=/run/pyxis\n"


@pytest.mark.parametrize("which", ["packages", "pyxis"])
def test_other_bytes_than_those_named_are_not_used(which: str, tmp_path: Path) -> None:
    """Both digests are in the words, and nothing is installed or loaded."""
    machine = _machine(tmp_path)
    uri = TOLD.pyxis.uri if which == "pyxis" and TOLD.pyxis else TOLD.packages[0].uri
    machine.runner.bucket[uri] = b"tampered with"
    with pytest.raises(StepFailedError, match=rf"{uri} has the SHA-256 [0-9a-f]+, the environment file says"):
        STEP.run(machine.host, NODE)
    assert not _called(machine, "apt-get")
    assert not (tmp_path / PLUGSTACK.lstrip("/")).exists()


def test_an_object_that_is_not_to_be_had_is_asked_for_again(tmp_path: Path) -> None:
    """Four attempts with pauses; then the failure names the object and what S3 said."""
    machine = _machine(tmp_path)
    machine.runner.bucket.clear()
    with pytest.raises(StepFailedError, match=r"s3://mirror/pyxis-0\.24\.0\.tar\.gz.*Forbidden"):
        STEP.run(machine.host, NODE)
    assert (len(_called(machine, "aws s3 cp")), machine.waits) == (4, [2.0, 5.0, 10.0])


@pytest.mark.parametrize(
    ("said", "header", "named"),
    [
        (
            "slurm 25.05.3\n",
            "0x190b02",
            r"are of Slurm 25\.11\.2, slurmd there says 'slurm 25\.05",
        ),
        ("slurm\n", "0x190b02", "slurmd there says 'slurm'"),
        ("slurm 25.11.2\n", None, "has no headers of Slurm"),
    ],
)
def test_pyxis_is_not_built_for_another_slurm(
    said: str, header: str | None, named: str, tmp_path: Path
) -> None:
    """Slurm would refuse the plugin, and with it every job."""
    machine = _machine(tmp_path, said=said)
    if header is None:
        (tmp_path / f"{SLURM}/include/slurm/slurm_version.h".lstrip("/")).unlink()
    with pytest.raises(StepFailedError, match=named):
        STEP.run(machine.host, NODE)
    assert not _called(machine, "env CPPFLAGS")


def test_a_source_that_makes_no_plugin_fails(tmp_path: Path) -> None:
    """The archive is something else, and what is loaded stays as it is."""
    machine = _machine(tmp_path)
    machine.runner.makes = False
    with pytest.raises(StepFailedError, match=r"there is no spank_pyxis\.so: is it Pyxis\?"):
        STEP.run(machine.host, NODE)
    assert not (tmp_path / PLUGSTACK.lstrip("/")).exists()


def test_a_build_that_fails_says_so(tmp_path: Path) -> None:
    """The compiler's last words are the failure's."""
    machine = _machine(tmp_path, {"env CPPFLAGS": (2, "fatal error: slurm/spank.h: No such file\n")})
    with pytest.raises(StepFailedError, match=r"status 2: fatal error: slurm/spank\.h"):
        STEP.run(machine.host, NODE)


def test_a_repository_is_asked_only_where_the_packages_do_not_suffice(tmp_path: Path) -> None:
    """A closed network has none, and needs none where the packages are all there."""
    machine = _machine(
        tmp_path, {"apt-get -o DPkg::Lock::Timeout=240 -q -y": [(100, "unmet dependencies"), (0, "")]}
    )
    STEP.run(machine.host, NODE)
    assert [call.split()[4] for call in _called(machine, "apt-get")] == ["-y", "update", "-y"]


@pytest.mark.parametrize("system", ["amzn", "ubuntu"])
def test_packages_of_another_distribution_are_refused(system: str, tmp_path: Path) -> None:
    """Before any tool gives its own words for it."""
    machine = _machine(tmp_path)
    machine.write("/etc/os-release", f"ID={system}\n")
    name = "enroot-4.1.2-1.el8.x86_64.rpm" if system == "ubuntu" else "enroot_4.1.2-1_amd64.deb"
    package = replace(TOLD.packages[0], uri=f"s3://mirror/{name}")
    machine.runner.bucket[package.uri] = DEB
    with pytest.raises(StepFailedError, match=f"{name}: {system} takes no such packages"):
        STEP.run(machine.host, replace(NODE, containers=replace(TOLD, packages=(package,))))


@pytest.mark.parametrize(
    ("missing", "node", "named"),
    [
        ("nvidia-container-cli", NODE, "puts no GPU into a container"),
        ("enroot", OF_IMAGE, "the image has no enroot"),
    ],
)
def test_what_enroot_needs_is_there(missing: str, node: object, named: str, tmp_path: Path) -> None:
    """A node without it takes no jobs, and its words say what to add."""
    machine = _machine(tmp_path, missing=[missing])
    machine.write(IMAGE_PLUGIN, "the image's")
    with pytest.raises(StepFailedError, match=named):
        STEP.run(machine.host, node)


def test_user_namespaces_are_allowed_or_the_step_fails(tmp_path: Path) -> None:
    """AppArmor's bar goes where Enroot's own profile is not there; a kernel without any is refused."""
    machine = _machine(tmp_path)
    machine.write("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n")
    STEP.run(machine.host, NODE)
    assert machine.text(enroot.SYSCTL) == "kernel.apparmor_restrict_unprivileged_userns = 0\n"
    assert "sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0" in machine.runner.calls
    machine.runner.calls.clear()
    machine.write("/etc/apparmor.d/enroot", "profile enroot {}\n")
    STEP.run(machine.host, NODE)
    assert not _called(machine, "sysctl")
    machine.write("/proc/sys/user/max_user_namespaces", "0\n")
    with pytest.raises(StepFailedError, match=r"user\.max_user_namespaces is 0"):
        STEP.run(machine.host, NODE)


def test_the_hook_for_pmix_is_switched_on(tmp_path: Path) -> None:
    """Enroot's package brings it beside the hooks that run."""
    machine = _machine(tmp_path)
    machine.write("/usr/share/enroot/hooks.d/50-slurm-pmi.sh", "#!/bin/bash\n")
    for _ in range(2):
        STEP.run(machine.host, NODE)
        link = tmp_path / enroot.HOOK.lstrip("/")
        assert str(link.readlink()) == "/usr/share/enroot/hooks.d/50-slurm-pmi.sh"


def test_an_images_own_pyxis_is_switched_on(tmp_path: Path) -> None:
    """ParallelCluster's head writes the line and has slurmctld hand it out; nothing is fetched or built."""
    machine = _machine(tmp_path)
    machine.write(IMAGE_PLUGIN, "the image's")
    head = replace(
        OF_IMAGE,
        role="login",
        gpus=0,
        containers=Containers(slurm="/opt/slurm", plugstack="/opt/slurm/etc/plugstack.conf"),
    )
    machine.write("/opt/slurm/etc/plugstack.conf", "optional /opt/slurm/lib/slurm/other.so\n")
    for _ in range(2):
        STEP.run(machine.host, head)
    assert machine.text("/opt/slurm/etc/plugstack.conf") == (
        f"optional /opt/slurm/lib/slurm/other.so\nrequired {tmp_path}{IMAGE_PLUGIN} runtime_path=/run/pyxis\n"
    )
    assert _called(machine, f"{tmp_path}/opt/slurm/bin/scontrol") == [
        f"{tmp_path}/opt/slurm/bin/scontrol reconfigure"
    ]
    assert not _called(machine, "aws")


def test_a_node_that_slurmctld_tells_writes_no_line(tmp_path: Path) -> None:
    """ParallelCluster's compute nodes have the head's; theirs is Enroot and the folder of Pyxis."""
    machine = _machine(tmp_path)
    machine.write(IMAGE_PLUGIN, "the image's")
    STEP.run(machine.host, replace(OF_IMAGE, containers=Containers(slurm="/opt/slurm")))
    assert (tmp_path / "run/pyxis").is_dir()
    assert not list(tmp_path.rglob("plugstack*"))


def test_an_image_without_pyxis_is_refused(tmp_path: Path) -> None:
    """Where it was looked for is in the words."""
    machine = _machine(tmp_path)
    with pytest.raises(StepFailedError, match=f"neither {SLURM}/lib/slurm/spank_pyxis.so nor /usr/local/"):
        STEP.run(machine.host, OF_IMAGE)


def test_two_pyxis_are_never_loaded(tmp_path: Path) -> None:
    """The image's own line, in a file of its own, is used where the file says so, and else refused."""
    machine = _machine(tmp_path)
    machine.write(IMAGE_PLUGIN, "the image's")
    other = PLUGSTACK.replace("bedplate-pyxis", "pyxis")
    machine.write(other, f"# ours\nrequired {IMAGE_PLUGIN} execute_entrypoint=0\n")
    with pytest.raises(StepFailedError, match=rf"{other} loads another Pyxis already"):
        STEP.run(machine.host, NODE)
    STEP.run(machine.host, OF_IMAGE)
    assert not (tmp_path / PLUGSTACK.lstrip("/")).exists()


def test_a_line_replaces_the_one_before_it() -> None:
    """Of Pyxis alone, whatever its arguments; comments and other plugins stay where they are."""
    text = "# required /a/spank_pyxis.so\nrequired /a/spank_pyxis.so x=1\noptional /b/other.so\n"
    made = with_line(text, "required /c/spank_pyxis.so")
    assert made == "# required /a/spank_pyxis.so\noptional /b/other.so\nrequired /c/spank_pyxis.so\n"
    assert with_line(made, "required /c/spank_pyxis.so") == made
    assert with_line("", "required /c/spank_pyxis.so") == "required /c/spank_pyxis.so\n"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("#define SLURM_VERSION_NUMBER 0x160508\n", "22.05.8"),
        ("/* x */\n#define   SLURM_VERSION_NUMBER 0x190b00\n", "25.11.0"),
        ("#define SLURM_VERSION_NUM(a,b,c) (((a) << 16) + ((b) << 8) + (c))\n", None),
        ("", None),
    ],
)
def test_a_header_tells_its_version(text: str, version: str | None) -> None:
    """Slurm's own number, three parts of eight bits."""
    assert version_of_header(text) == version


@pytest.mark.parametrize(
    ("text", "version"),
    [("slurm-wlm 22.05.8\n", "22.05.8"), ("slurm 25.11.0-0rc1\n", "25.11.0"), ("slurmd: error\n", None)],
)
def test_a_daemon_tells_its_version(text: str, version: str | None) -> None:
    """Debian writes another name before it."""
    assert version_said(text) == version


def test_an_environment_without_containers_leaves_nodes_alone() -> None:
    """The step is skipped, and the settings are what they were before there were containers."""
    assert STEP.why_not(SETTINGS)
    assert "containers" not in SETTINGS.to_json()
