"""Reading NCCL's own messages about transport and ranks."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.parsers.nccl_failures import NETWORK_NOT_FOUND
from bedplate.diagnosis.parsers.nccl_info import parse_nccl_info
from bedplate.diagnosis.parsers.problem import ParseError
from tests.diagnosis import texts

START = "ip-10-1-0-11:4100:4200 [0] NCCL INFO "


@pytest.mark.parametrize(
    ("words", "provider", "fabric", "nics"),
    [
        ("NET/OFI Selected Provider is efa", "efa", "", None),
        ("NET/OFI Selected Provider is efa (found 32 nics)", "efa", "", 32),
        ("NET/OFI Selected provider is efa, fabric is efa (found 1 nics)", "efa", "efa", 1),
        ("NET/OFI Selected provider is efa, fabric is efa-direct (found 16 nics)", "efa", "efa-direct", 16),
        ("NET/OFI Selected Provider is tcp;ofi_rxm (found 2 nics)", "tcp;ofi_rxm", "", 2),
        ("NET/OFI Selected Provider is efa;ofi_rxd", "efa;ofi_rxd", "", None),
    ],
)
def test_every_wording_of_the_provider_is_read(
    words: str, provider: str, fabric: str, nics: int | None
) -> None:
    """The plugin's line changed with 1.6 and 1.14; the provider is taken whole, so that layered ones
    differ.
    """
    line = parse_nccl_info(START + words).providers[0]
    assert (line.host, line.provider, line.fabric, line.nics) == ("ip-10-1-0-11", provider, fabric, nics)


@pytest.mark.parametrize(
    ("via", "network", "gdrdma"),
    [
        ("NET/AWS Libfabric/1/GDRDMA", "AWS Libfabric", True),
        ("NET/Libfabric/0/GDRDMA/Shared", "Libfabric", True),
        ("NET/Libfabric/3(5)/GDRDMA(PCI)", "Libfabric", True),
        ("NET/Libfabric/0", "Libfabric", False),
        ("NET/Socket/0", "Socket", False),
        ("NET/IB/2/GDRDMA", "IB", True),
    ],
)
def test_channels_tell_network_and_gpudirect(via: str, network: str, gdrdma: bool) -> None:
    """The tail of a channel line says whether data goes past the host's memory."""
    channel = parse_nccl_info(START + f"Channel 00/0 : 0[0] -> 8[0] [send] via {via}").net_channels[0]
    assert (channel.network, channel.gdrdma, channel.way, channel.count) == (network, gdrdma, "send", 1)


def test_channels_inside_a_node_are_no_network() -> None:
    """P2P and SHM lines are no proof of a network."""
    info = parse_nccl_info(
        f"{START}Channel 01 : 2[201c0] -> 7[a01d0] via P2P/IPC/read\n"
        f"{START}Channel 02/0 : 1[1] -> 2[2] via P2P/CUMEM"
    )
    assert info.net_channels == ()


def test_messages_printed_into_one_another_are_separated() -> None:
    """Two processes that write at once leave two messages in one line."""
    info = parse_nccl_info(
        f"[1,0]<stdout>:{START}Using network Libfabric "
        "ip-10-1-0-12:4101:4201 [1] NCCL INFO Using network Socket"
    )
    assert [(line.host, line.name) for line in info.networks] == [
        ("ip-10-1-0-11", "Libfabric"),
        ("ip-10-1-0-12", "Socket"),
    ]


def test_hosts_are_found_behind_labels_and_time_stamps() -> None:
    """srun's label, mpirun's tag and a time stamp are no part of a host's name."""
    for prefix in ("12: ", "[1,12]<stdout>:", "2026-11-29T10:00:12 ", "pod-0: ", "[2026-11-29 10:00:00] "):
        assert parse_nccl_info(prefix + START + "hello").hosts == ("ip-10-1-0-11",)


CHOSEN = "NET/OFI Selected provider is efa, fabric is efa-direct (found 16 nics)"
OVER_TCP = "Channel 00/0 : 0[0] -> 8[0] [send] via NET/Socket/0"
COMPLETE = "ncclCommInitRank comm 0x55d0 rank 3 nranks 16 cudaDev 3 busId 53000 commId 0x5be7 - Init COMPLETE"


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        # CloudWatch: `aws logs tail`, its short form, a console's export, Insights as a table and as CSV.
        ("2026-11-29T10:00:12.123000+00:00 nccl/default/0a1b2c ", ""),
        ("2026-11-29T10:00:12 ", ""),
        ("2026-11-29T10:00:12.123Z\t", ""),
        ("| 2026-11-29 10:00:12.123 | ", " |"),
        ("|", "|"),
        ('2026-11-29 10:00:12.123,"', '"'),
        # What puts a name and a pipe before each line: docker compose, and tools that follow many pods.
        ("worker-0  | ", ""),
        ("worker-0|", ""),
        ("[pod/worker-0/nccl] ", ""),
        ("10.1.0.11: ", ""),
        ("    [1,12]<stdout>: ", "   "),
    ],
)
def test_messages_in_other_tools_lines_are_whole(before: str, behind: str) -> None:
    """CloudWatch's prefixes and pipes around a line change nothing of what it tells."""
    said = [CHOSEN, "Assigned NET plugin Libfabric to comm", OVER_TCP, COMPLETE]
    info = parse_nccl_info("\n".join(f"{before}{START}{words}{behind}" for words in said))
    assert info.hosts == ("ip-10-1-0-11",)
    assert [(line.provider, line.fabric, line.nics) for line in info.providers] == [("efa", "efa-direct", 16)]
    assert [line.name for line in info.networks] == ["Libfabric"]
    assert [(each.network, each.way) for each in info.socket_channels] == [("Socket", "send")]
    assert [(comm.rank, comm.ranks) for comm in info.comms] == [(3, 16)]


@pytest.mark.parametrize("behind", [" 1073741824  268435456", " |", ", 3 more", "(shared)"])
def test_a_connection_over_tcp_is_seen_whatever_stands_behind_it(behind: str) -> None:
    """A row or a mark that was printed into its line does not make it one that stays inside the node."""
    assert len(parse_nccl_info(START + OVER_TCP + behind).socket_channels) == 1


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Using network AWS Libfabric", "AWS Libfabric"),
        ("Using network Libfabric", "Libfabric"),
        ("Using network Socket", "Socket"),
        ("Assigned NET plugin Libfabric to comm", "Libfabric"),
        ("Assigned NET plugin AWS Libfabric to comm", "AWS Libfabric"),
        ("Assigned NET plugin Socket to comm", "Socket"),
        ("Assigned NET plugin OFI to comm ", "OFI"),
    ],
)
def test_every_wording_of_the_network_is_read(words: str, name: str) -> None:
    """`Using network` to NCCL 2.26, `Assigned NET plugin ... to comm` from 2.27 on."""
    info = parse_nccl_info(START + words)
    assert [(line.host, line.name) for line in info.networks] == [("ip-10-1-0-11", name)]
    assert info.fallbacks == ()


@pytest.mark.parametrize(
    "words",
    [
        "NET/Plugin : No plugin found (libnccl-net.so), using internal implementation",
        "NET/Plugin : No plugin found, using internal implementation",
        "NET/Plugin : dlerror=l.so: not there No plugin found (l.so), using internal implementation",
        "NET/Plugin: No plugin found (libnccl-net.so)",
        "NET/Plugin: Using internal network plugin.",
        "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.",
    ],
)
def test_every_wording_of_a_missing_plugin_is_a_fallback(words: str) -> None:
    """`No plugin found` with or without the loader's words to NCCL 2.21, from 2.22 on `Could not find`."""
    (fallback,) = parse_nccl_info(START + words).fallbacks
    assert words in fallback


def test_only_ranks_that_ended_their_initialisation_count() -> None:
    """`Init START` is a promise, `Init COMPLETE` the fact."""
    line = "ncclCommInitRankConfig comm 0x55d0 rank 3 nranks 16 cudaDev 3 busId 53000 commId 0x5be7 - Init "
    info = parse_nccl_info(f"{START}{line}START\n{START}{line}COMPLETE")
    assert [(comm.rank, comm.ranks) for comm in info.comms] == [(3, 16)]


def test_versions_are_read_each_once() -> None:
    """Plugin, libfabric and NCCL, in the wordings of old and new plugins."""
    info = parse_nccl_info(
        "NCCL version 2.27.7+cuda12.8\n"
        + f"{START}NET/OFI Initializing aws-ofi-nccl 1.16.3\n" * 2
        + f"{START}NET/OFI Using aws-ofi-nccl 1.5.0\n{START}NET/OFI Using Libfabric version 2.1\n"
    )
    assert info.plugin_versions == ("1.16.3", "1.5.0")
    assert (info.libfabric_versions, info.nccl_versions) == (("2.1",), ("2.27.7+cuda12.8",))


def test_benign_lines_are_no_fallback() -> None:
    """A symbol of another plugin version that is not found does not mean that EFA is not used."""
    benign = parse_nccl_info(START + "NET/Plugin: Failed to find ncclCollNetPlugin_v4 symbol.")
    assert benign.fallbacks == ()
    bootstrap = parse_nccl_info(START + "NET/Socket : Using [0]eth0:10.0.0.1<0>")
    assert (bootstrap.fallbacks, bootstrap.socket_channels, bootstrap.networks) == ((), (), ())
    fallen = parse_nccl_info(
        START + "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin."
    )
    assert len(fallen.fallbacks) == 1


def test_a_log_without_nccl_messages_is_refused() -> None:
    """Without NCCL_DEBUG=INFO there is nothing to prove a transport by."""
    with pytest.raises(ParseError, match="NCCL_DEBUG"):
        parse_nccl_info(texts.in_node_log(info=False))


@pytest.mark.parametrize(
    ("line", "host"),
    [
        (
            "ip-10-1-0-12:41:42 [0] plugin/net.cc:334 NCCL WARN Failed to initialize any NET plugin",
            "ip-10-1-0-12",
        ),
        (
            "8: ip-10-1-0-12:41:42 [0] net.cc:91 NCCL WARN Error: network AWS Libfabric not found.",
            "ip-10-1-0-12",
        ),
        (
            "[2026-05-05 06:16:47] gpu-1:4:4 [3] net.cc:334 NCCL WARN Failed to initialize any NET plugin",
            "gpu-1",
        ),
    ],
)
def test_a_network_that_was_asked_for_and_is_missing_is_told_with_its_host(line: str, host: str) -> None:
    """A warning has its place in the source before its level; older NCCL words it otherwise."""
    (failure,) = parse_nccl_info(line).failures
    assert (failure.host, failure.meaning) == (host, NETWORK_NOT_FOUND)
