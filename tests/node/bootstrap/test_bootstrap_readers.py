"""From what the tools print to values: recorded texts, and any text at all."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.diagnosis.parsers.lnet import LnetInterface, parse_lnet
from bedplate.node.bootstrap.disks import Signature, signature_of
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.readers.default_route import default_interface
from bedplate.node.bootstrap.readers.mount_table import mounted_at, read_mounts
from bedplate.node.bootstrap.readers.pairs import read_pairs
from bedplate.node.bootstrap.record import read_record
from bedplate.node.bootstrap.settings import Mount, NodeSettings, SettingsRefusedError
from bedplate.node.bootstrap.step import StepFailedError
from tests.node.bootstrap.fake_machine import RECORDED, recorded
from tests.node.bootstrap.hosts import ScriptedRunner, host_of

MOUNTS = recorded("proc-mounts")


def test_lnet_shows_its_interfaces() -> None:
    """Every local interface has its network, its state and its device; loopback has none."""
    assert parse_lnet(recorded("lnetctl-net-show-efa")).interfaces == (
        LnetInterface("lo", "0@lo", "up"),
        LnetInterface("tcp", "10.0.1.61@tcp", "up", "enp71s0"),
        LnetInterface("efa", "1.61.92.0@efa", "up", "efa_0"),
    )


def test_lnet_shows_what_is_down() -> None:
    """Statistics between an interface and the next do not move its state."""
    efas = parse_lnet(recorded("lnetctl-net-show-down")).of("efa")
    assert [(each.device, each.status) for each in efas] == [("rdmap85s0", "up"), ("rdmap86s0", "down")]


@pytest.mark.parametrize(
    ("target", "source", "kind"),
    [
        ("/fsx", "10.1.1.67@tcp:/xeo3rbev", "lustre"),
        ("/opt/dlami/nvme", "/dev/mapper/vg.01-lv_ephemeral", "ext4"),
        ("/shared", "127.0.0.1:/", "nfs4"),
        ("/mnt/two words", "/dev/sdb1", "xfs"),
    ],
)
def test_the_mount_table_tells_what_is_where(target: str, source: str, kind: str) -> None:
    """Source and kind of a mount are found by its target, which may hold a space."""
    found = mounted_at(MOUNTS, target)
    assert found is not None
    assert (found.source, found.kind) == (source, kind)


def test_the_last_mount_lies_over_the_others() -> None:
    """Two mounts at one place: the later one is what a program sees; a longer path is another place."""
    text = "a /x ext4 rw 0 0\nb /x xfs rw 0 0\nc /x/y xfs rw 0 0\n"
    found = mounted_at(text, "/x")
    assert found is not None
    assert found.source == "b"
    assert mounted_at(text, "/x/") is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("blkid-xfs", "xfs"),
        ("blkid-ext4", "ext4"),
        ("blkid-raid-member", "linux_raid_member"),
        ("blkid-lvm-member", "LVM2_member"),
        ("blkid-dos", "partition table dos"),
    ],
)
def test_blkid_tells_what_is_on_a_device(name: str, kind: str, tmp_path: Path) -> None:
    """A file system, a member of an array or a volume group, and a partition table are told apart."""
    text = recorded(name, DEVICE="/dev/nvme1n1", NAME="bedplate", UUID="1-2")
    found = signature_of(_host(tmp_path, 0, text), "/dev/nvme1n1")
    assert found is not None
    assert found.kind == kind


def test_blkid_that_finds_nothing_means_a_blank_device(tmp_path: Path) -> None:
    """Status 2 and no word: blank."""
    assert signature_of(_host(tmp_path, 2, ""), "/dev/nvme1n1") is None


@pytest.mark.parametrize(
    ("status", "text"), [(0, ""), (8, "DEVNAME=/dev/nvme1n1\n"), (4, ""), (None, ""), (2, "TYPE=xfs\n")]
)
def test_an_unclear_answer_is_never_taken_for_a_blank_device(
    status: int | None, text: str, tmp_path: Path
) -> None:
    """Ambivalent, cut off, failed or contradictory: the disk is not to be written to."""
    with pytest.raises(StepFailedError, match="cannot tell what is on"):
        signature_of(_host(tmp_path, status, text), "/dev/nvme1n1")


@pytest.mark.parametrize(
    ("text", "interface"),
    [
        ("default via 10.0.1.1 dev enp71s0 proto dhcp src 10.0.1.5 metric 100\n", "enp71s0"),
        ("default via 10.0.1.1 dev ens33 metric 200\ndefault via 10.0.1.1 dev ens32 metric 100\n", "ens32"),
        ("default via 10.0.1.1 dev eth0\n", "eth0"),
        ("", ""),
        ("10.0.0.0/16 dev eth0 proto kernel\n", ""),
        ("default dev\n", ""),
    ],
)
def test_the_interface_that_leads_out_is_the_default_routes(text: str, interface: str) -> None:
    """The lowest metric decides; without a default route there is none."""
    assert default_interface(text) == interface


def test_pairs_lose_their_quotes() -> None:
    """os-release quotes values, mdadm does not; what has no equals sign is no pair."""
    assert read_pairs("A='1 2'\nB=\"x\"\nC=y=z\nnothing\n=v\n") == {"A": "1 2", "B": "x", "C": "y=z"}


WORDS = st.sampled_from(
    [
        *[line for path in sorted(RECORDED.glob("*.txt")) for line in path.read_text().splitlines()],
        "    - net type: efa",
        "        - nid: 1@efa",
        "              0: ",
        "default dev dev metric",
        '{"schema": 2, "steps": [{}]}',
        '{"version": 1, "mounts": [{}]}',
        "\\040 \\777 a,b",
        "TYPE=",
        "\x00",
    ]
)
ANY = st.one_of(st.text(), st.lists(st.one_of(WORDS, st.text(max_size=20)), max_size=30).map("\n".join))


@given(ANY)
def test_no_text_breaks_a_reader(text: str) -> None:
    """Whatever a tool prints, a reader gives values or nothing, and never another exception."""
    for mount in read_mounts(text):
        assert mount.source
        assert mount.kind
    assert "" not in read_pairs(text)
    default_interface(text)
    read_record(text)
    with contextlib.suppress(SettingsRefusedError):
        NodeSettings.from_json(text)


@given(ANY, st.one_of(st.none(), st.integers(min_value=-64, max_value=255)))
def test_no_answer_of_blkid_is_blank_but_its_own_no(text: str, status: int | None) -> None:
    """Only status 2 without a word means that nothing is on a disk."""
    host = Host(root="/nowhere", runner=ScriptedRunner({"blkid": (status, text)}), log=_Silent())
    try:
        found = signature_of(host, "/dev/nvme1n1")
    except StepFailedError:
        return
    assert (found is None) == (status == 2 and not text.strip())
    assert found is None or isinstance(found, Signature)


PATHS = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=3).map(
    lambda parts: "/" + "/".join(parts)
)
MOUNT = st.builds(
    Mount,
    kind=st.sampled_from(["lustre", "openzfs", "efs"]),
    source=st.text(min_size=1),
    path=PATHS,
    options=st.lists(st.text(), max_size=3).map(tuple),
    efa=st.booleans(),
)


@given(
    st.builds(
        NodeSettings,
        environment=st.text(),
        pool=st.text(),
        role=st.sampled_from(["compute", "login"]),
        result_bucket=st.text(),
        gpus=st.integers(min_value=0, max_value=16),
        nvme_count=st.integers(min_value=0, max_value=16),
        local_nvme=st.sampled_from(["raid0", "none"]),
        mounts=st.lists(MOUNT, max_size=4).map(tuple),
    )
)
def test_settings_come_back_the_same(settings: NodeSettings) -> None:
    """Whatever the texts in them hold, one line of ASCII carries them."""
    text = settings.to_json()
    assert text.isascii()
    assert "\n" not in text
    assert NodeSettings.from_json(text) == settings


class _Silent:
    """A log that nobody reads."""

    tail: list[str] = []  # noqa: RUF012

    def say(self, text: str) -> None:
        """Say nothing."""

    def detail(self, text: str) -> None:
        """Say nothing."""


def _host(tmp_path: Path, status: int | None, text: str) -> Host:
    return host_of(tmp_path, {"blkid": (status, text)})
