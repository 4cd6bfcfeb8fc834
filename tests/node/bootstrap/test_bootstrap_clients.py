"""The steps that bring file systems: Lustre's client, LNet, the NFS client, and what a mount is asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.bootstrap.mounting import command, needs_efs_helper, options_of, why_another
from bedplate.node.bootstrap.readers.mount_table import Mounted
from bedplate.node.bootstrap.settings import Mount
from bedplate.node.bootstrap.step import StepFailedError
from bedplate.node.bootstrap.steps import (
    install_lustre_client,
    install_nfs_client,
    mount_file_systems,
    set_up_lnet,
)
from tests.node.bootstrap.fake_machine import FSX, SETTINGS, recorded
from tests.node.bootstrap.hosts import Machine

UBUNTU = 'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="24.04"\n'
AMAZON = 'NAME="Amazon Linux"\nID="amzn"\nVERSION_ID="2023"\n'
LUSTRE = Mount("lustre", FSX, "/fsx", efa=True)
OPENZFS = Mount("openzfs", "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com:/fsx", "/home")
EFS = Mount("efs", "fs-0123456789abcdef0:/", "/shared")
EFS_BY_NAME = Mount("efs", "fs-0123456789abcdef0.efs.us-west-2.amazonaws.com:/", "/shared", ("noresvport",))

NORESVPORT = "noresvport,nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2"


def _machine(tmp_path: Path, release: str, answers: dict, *, missing: tuple[str, ...] = ()) -> Machine:
    machine = Machine(tmp_path, answers, missing=missing)
    machine.write("/etc/os-release", release)
    return machine


def test_a_lustre_client_that_is_there_is_left(tmp_path: Path) -> None:
    """Modules and programs decide; nothing is installed."""
    machine = _machine(tmp_path, UBUNTU, {})
    assert install_lustre_client.STEP.run(machine.host, SETTINGS) == "is there"
    assert machine.runner.calls == ["modinfo -F filename lustre lnet kefalnd"]


def test_amazon_linux_installs_the_client_from_its_own_repository(tmp_path: Path) -> None:
    """One package, and the modules are looked for again."""
    answers = {"modinfo": [(1, "modinfo: ERROR: Module lustre not found."), (0, "")]}
    machine = _machine(tmp_path, AMAZON, answers)
    assert install_lustre_client.STEP.run(machine.host, SETTINGS) == "installed"
    assert "dnf -q -y install lustre-client" in machine.runner.calls


def test_ubuntu_installs_the_modules_of_its_kernel_from_awss_repository(tmp_path: Path) -> None:
    """The key comes over TLS, the list is bound to it, and the package is that of the running kernel."""
    answers = {"modinfo": [(1, "not found"), (0, "")], "uname -r": (0, "6.8.0-1036-aws\n")}
    machine = _machine(tmp_path, UBUNTU, answers)
    install_lustre_client.STEP.run(machine.host, SETTINGS)
    (fetch,) = [call for call in machine.runner.calls if call.startswith("curl")]
    assert "https://fsx-lustre-client-repo-public-keys.s3.amazonaws.com/" in fetch
    assert " noble main" in machine.text(install_lustre_client.LIST)
    assert f"signed-by={install_lustre_client.KEY}" in machine.text(install_lustre_client.LIST)
    assert machine.runner.calls[-2].endswith(
        "install lustre-client-modules-6.8.0-1036-aws lustre-client-utils"
    )


@pytest.mark.parametrize(
    ("release", "named"),
    [
        (UBUNTU.replace("24.04", "18.04"), "Ubuntu 18.04"),
        ('ID=arch\nVERSION_ID=""\n', "arch"),
        ("", "this distribution"),
    ],
)
def test_a_distribution_without_a_client_fails_by_name(tmp_path: Path, release: str, named: str) -> None:
    """What cannot be installed has to come with the image, and the reason says so."""
    machine = _machine(tmp_path, release, {"modinfo": (1, "not found")})
    with pytest.raises(StepFailedError, match=named):
        install_lustre_client.STEP.run(machine.host, SETTINGS)


def test_a_client_that_does_not_fit_the_kernel_fails(tmp_path: Path) -> None:
    """Installed and still no module: the kernel was updated past the client."""
    machine = _machine(tmp_path, AMAZON, {"modinfo": (1, "modinfo: ERROR: Module kefalnd not found.")})
    with pytest.raises(StepFailedError, match=r"kefalnd not found.*do not fit together"):
        install_lustre_client.STEP.run(machine.host, SETTINGS)


def test_a_package_that_comes_at_the_third_attempt_is_taken(tmp_path: Path) -> None:
    """Repositories are asked again, with growing pauses."""
    answers = {"modinfo": [(1, "not found"), (0, "")], "dnf": [(1, "timeout"), (1, "timeout"), (0, "")]}
    machine = _machine(tmp_path, AMAZON, answers)
    install_lustre_client.STEP.run(machine.host, SETTINGS)
    assert machine.waits == [2.0, 5.0]


def test_nfs_needs_its_client_and_efs_its_helper(tmp_path: Path) -> None:
    """Only what the mounts need is looked for."""
    machine = _machine(tmp_path, AMAZON, {}, missing=("mount.nfs4", "mount.efs"))
    machine.runner.run = _installing(machine)  # type: ignore[method-assign]
    install_nfs_client.STEP.run(machine.host, replace(SETTINGS, mounts=(OPENZFS, EFS)))
    assert [call for call in machine.runner.calls if call.startswith("dnf")] == [
        "dnf -q -y install nfs-utils",
        "dnf -q -y install amazon-efs-utils",
    ]


def test_ubuntu_without_the_efs_helper_fails(tmp_path: Path) -> None:
    """There is no package of it, so the image has to have it."""
    machine = _machine(tmp_path, UBUNTU, {}, missing=("mount.efs",))
    with pytest.raises(StepFailedError, match=r"amazon-efs-utils is missing.*put it into the image"):
        install_nfs_client.STEP.run(machine.host, replace(SETTINGS, mounts=(EFS,)))


def _installing(machine: Machine) -> object:
    run = machine.runner.run

    def installing(argv, seconds):
        machine.runner.missing -= {"mount.nfs4"} if "nfs-utils" in argv else set()
        machine.runner.missing -= {"mount.efs"} if "amazon-efs-utils" in argv else set()
        return run(argv, seconds)

    return installing


@pytest.mark.parametrize(
    ("devices", "wanted", "chosen"),
    [
        (32, 8, [0, 4, 8, 12, 16, 20, 24, 28]),
        (16, 8, [0, 2, 4, 6, 8, 10, 12, 14]),
        (8, 8, [0, 1, 2, 3, 4, 5, 6, 7]),
        (16, 16, list(range(16))),
        (15, 8, [0, 1, 3, 5, 7, 9, 11, 13]),
        (3, 8, [0, 1, 2]),
        (0, 8, []),
        (8, 0, []),
    ],
)
def test_lnets_devices_are_spread_over_all(devices: int, wanted: int, chosen: list[int]) -> None:
    """Even distances in the order of the buses; never more than there are, never one twice."""
    names = [f"rdmap{number}s0" for number in range(devices)]
    assert set_up_lnet.spread(names, wanted) == [names[number] for number in chosen]


def test_efa_devices_come_in_the_order_of_their_buses(tmp_path: Path) -> None:
    """79 before 100, and other RDMA devices are none."""
    machine = Machine(tmp_path)
    for name, vendor in (("rdmap100s0", "0x1d0f"), ("rdmap79s0", "0x1d0f"), ("ibp1s0", "0x15b3")):
        machine.write(f"/sys/class/infiniband/{name}/device/vendor", vendor + "\n")
    assert set_up_lnet.efa_devices(machine.host) == ["rdmap79s0", "rdmap100s0"]


def test_a_device_that_is_down_does_not_count(tmp_path: Path) -> None:
    """The number that carries LNet decides, and the one that does not is named."""
    answers = {
        "ip ": (0, "default via 10.0.1.1 dev ens32\n"),
        "lnetctl net show": (0, recorded("lnetctl-net-show-down")),
    }
    machine = Machine(tmp_path, answers)
    with pytest.raises(StepFailedError, match=r"1 EFAs carry LNet, 2 are wanted .*rdmap86s0 is down"):
        set_up_lnet.STEP.run(machine.host, replace(SETTINGS, lnet_efa_count=2))


def test_a_rule_that_is_there_already_is_well(tmp_path: Path) -> None:
    """LNet refuses the same rule twice, by errno -114; any other refusal fails the step."""
    shown = recorded("lnetctl-net-show-efa")
    answers = {
        "ip ": (0, "default via 10.0.1.1 dev enp71s0\n"),
        "lnetctl net show": (0, shown),
        "lnetctl udsp": [(146, recorded("lnetctl-udsp-exists")), (22, "errno: -22")],
    }
    machine = Machine(tmp_path, answers)
    settings = replace(SETTINGS, lnet_efa_count=1)
    assert set_up_lnet.STEP.run(machine.host, settings) == "1 EFAs, 0 bound now"
    with pytest.raises(StepFailedError, match="no rule that prefers EFA"):
        set_up_lnet.STEP.run(machine.host, settings)


def test_lnet_without_a_way_out_fails(tmp_path: Path) -> None:
    """No default route: no interface for the addresses, and nothing is loaded."""
    machine = Machine(tmp_path, {"ip ": (0, "")})
    with pytest.raises(StepFailedError, match="no default route"):
        set_up_lnet.STEP.run(machine.host, SETTINGS)
    assert not [call for call in machine.runner.calls if call.startswith("modprobe")]


def test_tcp_on_another_interface_is_moved(tmp_path: Path) -> None:
    """LNet's own choice of interface gives way to the one that leads out."""
    answers = {
        "ip ": (0, "default via 10.0.1.1 dev ens32\n"),
        "lnetctl net show": (0, recorded("lnetctl-net-show-efa")),
    }
    machine = Machine(tmp_path, answers)
    set_up_lnet.STEP.run(machine.host, replace(SETTINGS, lnet_efa_count=1))
    calls = [call for call in machine.runner.calls if "--net tcp" in call]
    assert calls == ["lnetctl net del --net tcp", "lnetctl net add --net tcp --if ens32"]


@pytest.mark.parametrize(
    ("mount", "expected"),
    [
        (LUSTRE, f"mount -t lustre -o noatime,flock {FSX} /fsx"),
        (
            replace(LUSTRE, options=("relatime", "flock")),
            f"mount -t lustre -o relatime,flock {FSX} /fsx",
        ),
        (EFS, "mount -t efs -o tls,noresvport fs-0123456789abcdef0:/ /shared"),
        (
            EFS_BY_NAME,
            f"mount -t nfs4 -o {NORESVPORT} fs-0123456789abcdef0.efs.us-west-2.amazonaws.com:/ /shared",
        ),
        (
            replace(OPENZFS, options=("ro", "nfsvers=3")),
            "mount -t nfs4 -o ro,nfsvers=3 fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com:/fsx /home",
        ),
    ],
)
def test_each_kind_is_mounted_in_its_way(mount: Mount, expected: str) -> None:
    """Options of the settings stand instead of the kind's own."""
    assert " ".join(command(mount)) == expected


def test_openzfs_is_mounted_by_several_connections() -> None:
    """One connection carries one flow, which EC2 limits."""
    assert {"nfsvers=4.2", "nconnect=16"} <= set(options_of(OPENZFS))


@pytest.mark.parametrize(
    ("mount", "needed"),
    [
        (EFS, True),
        (EFS_BY_NAME, False),
        (replace(EFS_BY_NAME, options=()), True),
        (replace(EFS_BY_NAME, options=("tls",)), True),
        (OPENZFS, False),
        (LUSTRE, False),
    ],
)
def test_the_efs_helper_is_asked_for_where_only_it_can_mount(mount: Mount, needed: bool) -> None:
    """By id, and for encryption."""
    assert needs_efs_helper(mount) is needed


@pytest.mark.parametrize(
    ("mount", "source", "kind", "same"),
    [
        (LUSTRE, "10.0.1.67@tcp:/abcdef12", "lustre", True),
        (LUSTRE, "10.0.1.67@tcp:/abcdef13", "lustre", False),
        (LUSTRE, FSX, "nfs4", False),
        (OPENZFS, "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com:/fsx", "nfs4", True),
        (OPENZFS, "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com:/fsx/", "nfs4", True),
        (OPENZFS, "other:/fsx", "nfs4", False),
        (EFS, "127.0.0.1:/", "nfs4", True),
        (EFS, "/dev/sdb", "ext4", False),
    ],
)
def test_what_is_mounted_is_told_from_something_else(
    mount: Mount, source: str, kind: str, same: bool
) -> None:
    """The kernel shows other words than mount(8) was given; another file system is still seen."""
    found = Mounted(source, mount.path, kind, ("rw",))
    assert (why_another(mount, found) == "") is same


def test_file_systems_are_mounted_from_the_outside_in(tmp_path: Path) -> None:
    """A mount below another comes after it, or it would be covered."""
    inner = replace(OPENZFS, path="/fsx/home")
    machine = Machine(tmp_path)
    mount_file_systems.STEP.run(machine.host, replace(SETTINGS, mounts=(inner, LUSTRE)))
    targets = [call.rpartition(" ")[2] for call in machine.runner.calls if call.startswith("mount ")]
    assert targets == ["/fsx", "/fsx/home"]


def test_one_file_system_that_fails_does_not_keep_the_others_away(tmp_path: Path) -> None:
    """All are tried, and the reason names the one that failed."""
    machine = Machine(tmp_path, {"mount -t lustre": (22, "mount.lustre: Invalid argument")})
    with pytest.raises(StepFailedError, match=r"^/fsx: cannot be mounted from .*Invalid argument$"):
        mount_file_systems.STEP.run(machine.host, replace(SETTINGS, mounts=(LUSTRE, OPENZFS)))
    assert any(call.startswith("mount -t nfs4") for call in machine.runner.calls)


def test_a_file_system_that_is_to_be_read_only_is_read(tmp_path: Path) -> None:
    """Nothing is written to it."""
    machine = Machine(tmp_path)
    mount = replace(OPENZFS, options=("ro",))
    mount_file_systems.STEP.run(machine.host, replace(SETTINGS, mounts=(mount,)))
    (probe,) = [call for call in machine.runner.calls if " -I -c " in call]
    assert "statvfs" in probe
    assert "open(" not in probe
