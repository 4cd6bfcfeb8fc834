"""What NCCL's own log (NCCL_DEBUG=INFO) says about the transport: which provider, how many NICs, over what,
how many ranks.

Wordings by plugin version: up to 1.5 ``Selected Provider is efa``; 1.6 to 1.13 with ``(found N nics)``;
from 1.14 on ``Selected provider is efa, fabric is efa-direct (found N nics)``. The network is called ``AWS
Libfabric`` up to 1.12 and ``Libfabric`` later. Sources: aws/aws-ofi-nccl by tag; NVIDIA/nccl
``src/transport/net.cc``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines, whole

TOOL = "NCCL log"

_HOST = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_MESSAGE = re.compile(rf"(?<![A-Za-z0-9._-])(?P<host>{_HOST}):(?P<pid>\d+):\d+ \[\d+\] NCCL [A-Z]+ ")
_PROVIDER = re.compile(
    r"NET/OFI Selected Provider is (?P<provider>.+?)(?:, fabric is (?P<fabric>[\w.-]+))?"
    r"(?:\s*\(found (?P<nics>\d+) nics?\))?\s*$",
    re.IGNORECASE,
)
_NETWORK = re.compile(r"(?:Using network |Assigned NET plugin )(?P<name>.+?)(?: to comm)?\s*$")
_COMM = re.compile(r"\bcomm 0x[0-9a-fA-F]+ rank (?P<rank>\d+) n[rR]anks (?P<ranks>\d+)\b.*Init COMPLETE")
_CHANNEL = re.compile(
    r"Channel \d+(?:/\d+)? : (?P<source>\d+)\[\w+\] -> (?P<target>\d+)\[\w+\]"
    r"\s+(?:\[(?P<way>send|receive)\]\s+)?via (?P<via>\S.*)$"
)
_NET_VIA = re.compile(r"NET/(?P<network>[^/]+)/\d+(?:\(\d+\))?(?P<tail>(?:/.*)?)$")
_PLUGIN = re.compile(r"NET/OFI (?:Initializing|Using) aws-ofi-nccl (?P<version>\S+)")
_LIBFABRIC = re.compile(r"Using Libfabric version (?P<version>\S+)", re.IGNORECASE)
_NCCL = re.compile(r"NCCL version (?P<version>\d[\w.+-]*)")
_NO_PLUGIN = re.compile(
    r"NET/Plugin\s*: ?No plugin found|Using internal net(work)? plugin|using internal implementation|"
    r"NET/OFI (?:aws-ofi-nccl initialization failed|No eligible providers were found)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ProviderLine:
    """One process's choice of libfabric provider; ``nics`` is None where the plugin is too old to print
    it.
    """

    host: str
    provider: str
    fabric: str
    nics: int | None


@dataclass(frozen=True)
class NetworkLine:
    """One process's choice of network plugin, by name."""

    host: str
    name: str


@dataclass(frozen=True)
class CommLine:
    """One rank that ended its initialisation, and the size of its communicator."""

    host: str
    rank: int
    ranks: int


@dataclass(frozen=True)
class NetChannel:
    """One connection between two ranks that leaves the node: over which network, with GPUDirect RDMA or
    without.
    """

    host: str
    source: int
    target: int
    way: str
    network: str
    gdrdma: bool
    text: str


@dataclass(frozen=True)
class NcclInfo:
    """Everything that one log says about transport and ranks."""

    providers: tuple[ProviderLine, ...]
    networks: tuple[NetworkLine, ...]
    comms: tuple[CommLine, ...]
    net_channels: tuple[NetChannel, ...]
    fallbacks: tuple[str, ...]
    plugin_versions: tuple[str, ...]
    libfabric_versions: tuple[str, ...]
    nccl_versions: tuple[str, ...]
    hosts: tuple[str, ...]

    @property
    def socket_channels(self) -> tuple[NetChannel, ...]:
        """The connections over TCP."""
        return tuple(channel for channel in self.net_channels if channel.network.lower() == "socket")


def parse_nccl_info(text: str) -> NcclInfo:
    """Read NCCL's messages in a log, whatever stands between them; ParseError where there are none."""
    lines = clean_lines(text)
    messages = list(_messages(lines))
    if not messages:
        raise ParseError(tool=TOOL, reason="there is no NCCL message in it: was NCCL_DEBUG=INFO set?")
    return NcclInfo(
        providers=tuple(
            line for line in (_provider(host, text) for host, text in messages) if line is not None
        ),
        networks=tuple(
            NetworkLine(host, match.group("name").strip())
            for host, match in ((host, _NETWORK.search(text)) for host, text in messages)
            if match is not None
        ),
        comms=tuple(line for line in (_comm(host, text) for host, text in messages) if line is not None),
        net_channels=tuple(
            line for line in (_channel(host, text) for host, text in messages) if line is not None
        ),
        fallbacks=tuple(text.strip()[:300] for _, text in messages if _NO_PLUGIN.search(text)),
        plugin_versions=_versions(_PLUGIN, lines),
        libfabric_versions=_versions(_LIBFABRIC, lines),
        nccl_versions=_versions(_NCCL, lines),
        hosts=tuple(sorted({host for host, _ in messages})),
    )


def _messages(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Every NCCL message with its host; a line may hold several, printed into one another."""
    for line in lines:
        starts = list(_MESSAGE.finditer(line))
        for index, match in enumerate(starts):
            end = starts[index + 1].start() if index + 1 < len(starts) else len(line)
            yield match.group("host"), line[match.end() : end]


def _provider(host: str, text: str) -> ProviderLine | None:
    match = _PROVIDER.search(text)
    if match is None:
        return None
    nics = match.group("nics")
    return ProviderLine(
        host,
        match.group("provider").strip(),
        match.group("fabric") or "",
        None if nics is None else whole(nics),
    )


def _comm(host: str, text: str) -> CommLine | None:
    match = _COMM.search(text)
    if match is None:
        return None
    rank, ranks = whole(match.group("rank")), whole(match.group("ranks"))
    return None if rank is None or ranks is None else CommLine(host, rank, ranks)


def _channel(host: str, text: str) -> NetChannel | None:
    match = _CHANNEL.search(text)
    via = None if match is None else _NET_VIA.search(match.group("via"))
    if match is None or via is None:
        return None
    source, target = whole(match.group("source")), whole(match.group("target"))
    if source is None or target is None:
        return None
    return NetChannel(
        host=host,
        source=source,
        target=target,
        way=match.group("way") or "",
        network=via.group("network").strip(),
        gdrdma=via.group("tail").upper().startswith("/GDRDMA"),
        text=f"{host}: {text.strip()}"[:300],
    )


def _versions(pattern: re.Pattern[str], lines: list[str]) -> tuple[str, ...]:
    found = (match.group("version") for match in map(pattern.search, lines) if match is not None)
    return tuple(dict.fromkeys(found))
