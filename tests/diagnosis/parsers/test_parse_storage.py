"""The tools of disks and file systems: what each says, and what is no answer of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bedplate.diagnosis.parsers.block_disks import parse_block_disks
from bedplate.diagnosis.parsers.df_table import parse_df
from bedplate.diagnosis.parsers.disk_speed import parse_disk_speed
from bedplate.diagnosis.parsers.lnet import parse_lnet
from bedplate.diagnosis.parsers.lustre_targets import parse_lfs_df, parse_ost_states
from bedplate.diagnosis.parsers.mdadm_detail import parse_mdadm_detail
from bedplate.diagnosis.parsers.mount_list import parse_mount_list
from bedplate.diagnosis.parsers.problem import ParseError
from tests.diagnosis import storage_texts as given


def test_the_last_mount_at_a_path_is_the_one_that_is_seen() -> None:
    """A second mount covers the first, and a bind mount's folder is not part of its device."""
    covered = ("/fsx", "/dev/sda1[/fsx]", "ext4")
    read = parse_mount_list(given.mount_list(*given.MOUNTED, covered))
    mount = read.at("/fsx")
    assert mount is not None
    assert (mount.source, mount.kind, mount.options) == ("/dev/sda1", "ext4", ("rw", "noatime"))
    assert read.at("/nowhere") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"filesystems": {}}',
        '{"filesystems": [1]}',
        '{"filesystems": [{"target": "/"}]}',
        '{"filesystems": []}',
        given.mount_list()[:-20],
        "[" * 100_000,
    ],
)
def test_a_list_of_mounts_without_the_root_is_none(text: str) -> None:
    """Empty, cut or of another shape: a parse error."""
    with pytest.raises(ParseError):
        parse_mount_list(text)


def test_lnet_tells_interfaces_status_health_and_messages() -> None:
    """By kind of network; loopback has no device and no counters."""
    read = parse_lnet(given.lnet(efas=3, messages=7, tcp=5, health=640))
    assert [each.net for each in read.interfaces] == ["lo", "tcp", "efa", "efa", "efa"]
    assert [each.device for each in read.up("efa")] == ["rdmap0s0", "rdmap1s0", "rdmap2s0"]
    assert (read.messages("efa"), read.messages("tcp")) == (42, 10)
    assert {each.health for each in read.of("efa")} == {640}
    assert parse_lnet(given.lnet(status="down")).up("efa") == ()


def test_lnet_without_counters_tells_no_messages() -> None:
    """The short form names interfaces alone, and a network that is not there carried nothing."""
    short = "\n".join(line for line in given.lnet(efas=1).splitlines() if "_count" not in line)
    read = parse_lnet(short)
    assert read.messages("efa") is None
    assert read.messages("o2ib") == 0


@pytest.mark.parametrize(
    "text", ["", "lnetctl: LNet kernel module is not loaded", "net:\n        - nid: 1@tcp\n"]
)
def test_what_is_no_list_of_networks_is_no_answer_of_lnet(text: str) -> None:
    """An error message, nothing, or an interface of no network."""
    with pytest.raises(ParseError):
        parse_lnet(text)


def test_lnet_that_is_set_up_on_nothing_is_an_answer() -> None:
    """`net:` alone is a list without entries."""
    assert parse_lnet("net:\n").interfaces == ()


def test_lfs_df_tells_targets_and_those_that_do_not_answer() -> None:
    """Two file systems, one of them with a target that is away."""
    text = given.lfs_df(silent=(2,)) + given.lfs_df(path="/data two")
    first, second = parse_lfs_df(text)
    assert (first.path, first.osts, first.free_kib) == ("/fsx", 3, 4_501_200_896)
    assert first.silent == (("abcdef12-OST0002", "Resource temporarily unavailable"),)
    assert (second.path, second.osts, second.silent) == ("/data two", 4, ())


@pytest.mark.parametrize("text", ["", "UUID 1K-blocks\n", given.lfs_df(summary=False)])
def test_lfs_df_that_is_cut_off_is_no_answer(text: str) -> None:
    """Without a summary nobody knows how many targets there would have been."""
    with pytest.raises(ParseError):
        parse_lfs_df(text)


def test_connections_are_told_by_target_with_or_without_the_name_before_them() -> None:
    """`lctl get_param` with and without -n; one that was taken out is not connected."""
    text = "osc.abcdef12-OST0000-osc-ffff8881.ost_server_uuid=abcdef12-OST0000_UUID\tFULL\n"
    text += "abcdef12-OST0001_UUID\tDISCONN\nabcdef12-OST0002_UUID\tFULL\tDEACTIVATED\n"
    assert [state for _, state in parse_ost_states(text)] == ["FULL", "DISCONN", "DEACTIVATED"]
    with pytest.raises(ParseError):
        parse_ost_states("error: get_param: param_path 'osc/*': No such file or directory\n")


def test_instance_store_is_told_from_other_disks_by_its_model() -> None:
    """The EBS volume is not counted; blanks around the kernel's words are not part of them."""
    disks = parse_block_disks(given.block_devices())
    assert [disk.name for disk in disks] == list(given.DISKS)
    assert {(disk.size_bytes, disk.holders) for disk in disks} == {(3_840_000_000_000, ("md127",))}
    assert parse_block_disks([]) == ()


@pytest.mark.parametrize(
    "listing",
    [
        None,
        {},
        [1],
        [{}],
        [{"name": "", "model": "x"}],
        [{**given.block_devices()[1], "sectors": None}],
        [{**given.block_devices()[1], "holders": "md0"}],
    ],
)
def test_a_listing_of_another_shape_is_no_listing_of_disks(listing: object) -> None:
    """A disk without a size or holders is not known to be well."""
    with pytest.raises(ParseError):
        parse_block_disks(listing)


def test_mdadm_tells_level_members_and_state() -> None:
    """Of a whole array and of one that lost a member."""
    whole = parse_mdadm_detail(given.array_detail())
    assert (whole.device, whole.level, whole.raid_devices, whole.active_devices) == (
        "/dev/md/bedplate",
        "raid0",
        8,
        8,
    )
    assert whole.is_well
    assert len(whole.members) == 8
    assert not parse_mdadm_detail(given.array_detail(state="broken, FAILED", active=7)).is_well


@pytest.mark.parametrize(
    "gone", ["Raid Level", "State :", "Raid Devices", "Active Devices", "Failed Devices"]
)
def test_mdadm_without_one_of_its_lines_is_no_answer(gone: str) -> None:
    """Level, state and all counts are needed."""
    text = "\n".join(line for line in given.array_detail().splitlines() if gone not in line)
    with pytest.raises(ParseError):
        parse_mdadm_detail(text)


def test_a_disks_speed_is_that_of_both_directions() -> None:
    """GB/s of 1e9 bytes; the slower one is told."""
    read = parse_disk_speed(given.disk_speed(write_gb=10, read_gb=20))
    assert round(read.write.gb_per_s, 6) == 10
    assert round(read.read.gb_per_s, 6) == 20
    assert round(read.lower_gb_per_s, 6) == 10


_WHOLE = json.loads(given.disk_speed())


@pytest.mark.parametrize(
    "changes",
    [
        {"schema": 2},
        {"problem": "OSError: [Errno 28] No space left on device"},
        {"direct": False},
        {"write": None},
        {"read": {}},
        {"read": {**_WHOLE["read"], "bytes": 0}},
        {"read": {**_WHOLE["read"], "bytes": _WHOLE["write"]["bytes"] + 1}},
        {"read": {**_WHOLE["read"], "wrong_blocks": None}},
        {"write": {**_WHOLE["write"], "seconds": 0}},
        {"write": {**_WHOLE["write"], "seconds": float("inf")}},
        {"write": {**_WHOLE["write"], "seconds": True}},
        {"write": {**_WHOLE["write"], "bytes": 1.5}},
    ],
)
def test_a_speed_that_was_not_measured_whole_is_no_speed(changes: dict[str, Any]) -> None:
    """A problem, the page cache, nothing moved, no time, no word on what came back."""
    with pytest.raises(ParseError):
        parse_disk_speed(given.disk_speed(**changes))


@pytest.mark.parametrize("text", ["", "[]", "null", given.disk_speed()[:-1], "{" * 100_000])
def test_text_that_is_no_answer_of_the_disk_test_is_refused(text: str) -> None:
    """Empty, cut, or other JSON."""
    with pytest.raises(ParseError):
        parse_disk_speed(text)


def test_df_tells_what_is_mounted_where() -> None:
    """A mount point may hold blanks, and a file system without an end has no share in use."""
    head = "Filesystem     1024-blocks  Used  Available Capacity Mounted on\n"
    assert parse_df(head) == ()
    assert parse_df(head + "fs-1:/fsx 10 4 6 40% /home\n127.0.0.1:/ 0 0 0 - /a b\n") == ("/home", "/a b")
    assert parse_df(given.NFS_DF) == ("/home",)


@pytest.mark.parametrize("text", ["", "fs-1:/fsx 10 4 6 40% /home\n", given.NFS_DF[:-12], given.lfs_df()])
def test_text_that_is_no_table_of_df_is_refused(text: str) -> None:
    """Empty, without its header, cut within a line, another tool's."""
    with pytest.raises(ParseError):
        parse_df(text)
