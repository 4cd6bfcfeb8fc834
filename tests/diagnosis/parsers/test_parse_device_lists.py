"""ibv_devices and sinfo: lists of devices and nodes, and libfabric's endpoints for a loopback."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.parsers.fi_info import parse_fi_info
from bedplate.diagnosis.parsers.ibv_devices import parse_ibv_devices
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.sinfo import parse_sinfo
from tests.diagnosis import texts

TABLE = "    device          \t   node GUID\n    ------          \t----------------\n"
ROW = "    rdmap85s0       \t0000000000000000\n"


def test_every_device_is_listed_whatever_it_is() -> None:
    """InfiniBand ports of an NVSwitch stand among them."""
    other = "    ibp198s0        \t506b4b0300a1b2c0\n"
    assert parse_ibv_devices(TABLE + ROW + other) == ("ibp198s0", "rdmap85s0")


def test_a_table_without_rows_has_no_device() -> None:
    """The tool ran and found none."""
    assert parse_ibv_devices(TABLE) == ()


@pytest.mark.parametrize("text", ["", ROW, TABLE + ROW * 2, TABLE + "    rdmap85s0\n", TABLE + "Killed\n"])
def test_what_is_no_table_of_devices_is_refused(text: str) -> None:
    """No titles, a device twice, half a row, or other words."""
    with pytest.raises(ParseError):
        parse_ibv_devices(text)


SINFO = """\
NODELIST|STATE|PARTITION|REASON|STATE
gpu-1|idle|train*|none|idle
gpu-1|idle|debug|none|idle
gpu-2|drain*|train*|bad gpu, ticket 5|drained*
gpu-3|mix
gpu-4|alloc~|train*|none|allocated~
"""


def test_a_node_of_several_partitions_is_one_node() -> None:
    """Rows repeat it, titles repeat themselves, and rows may be ragged."""
    nodes = {node.name: node for node in parse_sinfo(SINFO)}
    assert list(nodes) == ["gpu-1", "gpu-2", "gpu-3", "gpu-4"]
    assert nodes["gpu-1"].partitions == ("train", "debug")
    assert [node.state for node in nodes.values()] == ["idle", "drained", "mixed", "allocated"]
    assert [node.answers for node in nodes.values()] == [True, False, True, True]
    assert nodes["gpu-2"].reason == "bad gpu, ticket 5"
    assert nodes["gpu-4"].marks == "~"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NODELIST|PARTITION\ngpu-1|train\n",
        "STATE|PARTITION\nidle|train\n",
        "NODELIST|STATE\n",
        "NODELIST|STATE\ngpu-1\n",
        "NODELIST|STATE\n|idle\n",
        "NODELIST|STATE\ngpu-[1-4]|idle\n",
        "NODELIST|STATE\ngpu-1|??\n",
        "NODELIST|STATE\ngpu-1|idle\ngpu-1|down\n",
        "sinfo: error: slurm_load_partitions: Unable to contact slurm controller\n",
    ],
)
def test_a_table_that_does_not_say_which_node_is_in_which_state_is_refused(text: str) -> None:
    """Titles or rows that lack either, several nodes in a row, and a node in two states."""
    with pytest.raises(ParseError):
        parse_sinfo(text)


def test_a_loopback_takes_each_devices_endpoint_that_carries_large_messages() -> None:
    """One a device, with libfabric's suffix, of the fabric that is not efa-direct; old fabric names too."""
    listed = parse_fi_info(texts.fabric_list(["rdmap86s0", "rdmap85s0"]))
    assert [(each.fabric, each.domain) for each in listed.loopbacks] == [
        ("efa", "rdmap85s0-rdm"),
        ("efa", "rdmap86s0-rdm"),
    ]
    old = "provider: efa\n    fabric: EFA-fe80::94:3dff\n    domain: efa_0-rdm\n    type: FI_EP_RDM\n"
    assert [each.device for each in parse_fi_info(old).loopbacks] == ["efa_0"]
    direct = "provider: efa\n    fabric: efa-direct\n    domain: rdmap85s0-rdm\n    type: FI_EP_RDM\n"
    assert parse_fi_info(direct).loopbacks == ()
    tcp = "provider: tcp;ofi_rxm\n    fabric: efa\n    domain: eth0\n    type: FI_EP_RDM\n"
    assert parse_fi_info(tcp).loopbacks == ()
