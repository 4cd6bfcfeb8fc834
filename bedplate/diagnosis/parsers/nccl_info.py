"""What NCCL's own log (NCCL_DEBUG=INFO) says about the transport: which provider, how many NICs, over what,
how many ranks.

Wordings by plugin version: up to 1.5 ``Selected Provider is efa``; 1.6 to 1.13 with ``(found N nics)``;
from 1.14 on ``Selected provider is efa, fabric is efa-direct (found N nics)``. The network is called ``AWS
Libfabric`` up to 1.12 and ``Libfabric`` later. Sources: aws/aws-ofi-nccl by tag; NVIDIA/nccl
``src/transport/net.cc``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from bedplate.diagnosis.parsers.left_out import LeftOut, read_left_out
from bedplate.diagnosis.parsers.nccl_failures import Meaning, meaning_of
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines, whole

TOOL = "NCCL log"

_HOST = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_MESSAGE = re.compile(
    rf"(?<![A-Za-z0-9._-])(?P<host>{_HOST}):(?P<pid>\d+):\d+ \[\d+\] (?:[\w./-]+:\d+ )?NCCL [A-Z]+ "
)
"""A warning names its place in the source before ``NCCL WARN``."""
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
NVLINK_VIA = "P2P/MNNVL"
"""What a connection by multi-node NVLink goes via."""
_NET_VIA = re.compile(r"NET/(?P<network>[^/]+)/\d+(?:\(\d+\))?(?P<tail>.*)$")
"""Whatever stands behind it: one over TCP does not vanish since something was printed into its line."""
_LONE_MESSAGE = re.compile(
    r"(?:\[\d+,\d+\]<\w+>: ?|\s*\d+: )?([A-Za-z0-9][\w.-]*):\d+:\d+ \[\d+\] NCCL INFO (?:"
    r"Channel \d+(?:/\d+)? : \d+\[\w+\] -> \d+\[\w+\] (?:\[(send|receive)\] )?"
    r"via (P2P/direct pointer|P2P/[\w/]+|SHM/[\w/]+|NET/[\w ]+/\d+(?:\(\d+\))?[\w/()]*)"
    # What tells nothing that is looked for here, in its whole shape.
    r"|Channel \d+/\d+ :[\d ]+|Trees [\d\[\]/> -]+|Ring \d+ : [\d ->]+|Connected all (?:rings|trees)[\w, ]*"
    r"|NET/OFI GUID for dev\[\d+\]: \w+|GUID for dev\[\d+\]: \w+|NET/OFI NIC group \d+ device #\d+ [\w:.]+"
    r"|P2P Chunksize set to \d+|threadThresholds [\d/ |]+"
    r"|\d+ coll channels, \d+ collnet channels, \d+ nvls channels, \d+ p2p channels"
    r"(?:, \d+ p2p channels per peer)?"
    r")$",
    re.ASCII,
)
_FRAME = ' \t|"'
"""What a table or a quoted column puts behind a message: CloudWatch's tools print both."""
MOST_DISTINCT, MOST_TEXTS = 262_144, 100
_MOST_LONE = 16_384
"""Of shapes of lone lines that are remembered: all those of 64 nodes many times over."""
_PLUGIN = re.compile(r"NET/OFI (?:Initializing|Using) aws-ofi-nccl (?P<version>\S+)")
_LIBFABRIC = re.compile(r"Using Libfabric version (?P<version>\S+)", re.IGNORECASE)
_NCCL = re.compile(r"NCCL version (?P<version>\d[\w.+-]*)")
_NO_PLUGIN = re.compile(
    r"NET/Plugin\s*: ?No plugin found|Using internal net(work)? plugin|using internal implementation|"
    r"NET/OFI (?:aws-ofi-nccl initialization failed|No eligible providers were found)",
    re.IGNORECASE,
)

_TOLD_ONCE = (_PROVIDER, _NETWORK, _NO_PLUGIN, _PLUGIN, _LIBFABRIC, _NCCL)


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
class NetChannels:
    """All connections of one host that leave it in one way (``send``, ``receive``, or empty where the line
    is too old to say) over one network, with GPUDirect RDMA or without; ``text`` is the first of them.
    """

    host: str
    way: str
    network: str
    gdrdma: bool
    count: int
    text: str


@dataclass(frozen=True)
class ToldFailure:
    """One line that tells of a failure whose meaning is known; the host is a reporter, not proof of guilt."""

    host: str
    text: str
    meaning: Meaning


@dataclass(frozen=True)
class NcclInfo:
    """Everything that one log says about transport and ranks, each thing once however often it was said."""

    providers: tuple[ProviderLine, ...]
    networks: tuple[NetworkLine, ...]
    comms: tuple[CommLine, ...]
    net_channels: tuple[NetChannels, ...]
    fallbacks: tuple[str, ...]
    failures: tuple[ToldFailure, ...]
    plugin_versions: tuple[str, ...]
    libfabric_versions: tuple[str, ...]
    nccl_versions: tuple[str, ...]
    hosts: tuple[str, ...]
    nvlink_hosts: tuple[str, ...] = ()
    """The hosts with a connection by multi-node NVLink."""

    @property
    def socket_channels(self) -> tuple[NetChannels, ...]:
        """The connections over TCP."""
        return tuple(each for each in self.net_channels if each.network.lower() == "socket")


def parse_nccl_info(text: str) -> NcclInfo:
    """Read NCCL's messages in a log, whatever stands between them; ParseError where there are none."""
    return read_nccl_info(clean_lines(text))


def read_nccl_info(lines: Iterable[str]) -> NcclInfo:
    """The same of clean lines, as they come."""
    reader = NcclInfoReader()
    for line in lines:
        reader.feed(line)
    return reader.record()


class NcclInfoReader:
    """Takes a log line by line; what it keeps grows with the cluster, not with the log."""

    def __init__(self) -> None:
        self._hosts: dict[str, None] = {}
        self._nvlink_hosts: dict[str, None] = {}
        self._providers: dict[ProviderLine, None] = {}
        self._networks: dict[NetworkLine, None] = {}
        self._comms: dict[CommLine, None] = {}
        self._channels: dict[tuple[str, str, str, bool], list[int]] = {}
        self._texts: dict[tuple[str, str, str, bool], str] = {}
        self._vias: dict[str, tuple[str, bool] | None] = {}
        self._lone: dict[tuple[str, str, str], list[int]] = {}
        self._fallbacks: dict[str, None] = {}
        self._failures: dict[tuple[str, str], ToldFailure] = {}
        self._versions: dict[re.Pattern[str], dict[str, None]] = {
            _PLUGIN: {},
            _LIBFABRIC: {},
            _NCCL: {},
        }

    def feed(self, line: str) -> None:
        """One line, cleaned. A line may hold several messages, printed into one another."""
        left_out = read_left_out(line)
        if left_out is not None:
            self.add_left_out(left_out)
            return
        starts = _starts(line)
        for index, match in enumerate(starts):
            end = starts[index + 1].start() if index + 1 < len(starts) else len(line)
            self._message(match.group("host"), line[match.end() : end])
        if "ver" in line.lower() or "aws-ofi-nccl" in line:
            self._version(line)
        self._failure(starts[0].group("host") if starts else "", line)

    def add_lone(self, lone: tuple[str, str, str], line: str) -> None:
        """A line that is known to hold nothing else (``lone_message``)."""
        count = self._lone.get(lone)
        if count is not None:
            count[0] += 1
            return
        host, way, via = lone
        _keep(self._hosts, host)
        count = self._channel(host, way, via, line)
        if len(self._lone) < _MOST_LONE:
            self._lone[lone] = count

    def add_left_out(self, left_out: LeftOut) -> None:
        """Count what a thinned log leaves out. It proves no connection of which no line was kept."""
        key = (left_out.host, left_out.way, left_out.network, left_out.gdrdma)
        count = self._channels.get(key)
        if count is not None:
            count[0] += left_out.count

    def record(self) -> NcclInfo:
        """Everything; ParseError where there was no message, or more than any cluster has to say."""
        if not self._hosts:
            raise ParseError(tool=TOOL, reason="there is no NCCL message in it: was NCCL_DEBUG=INFO set?")
        sizes = [len(self._hosts), len(self._providers), len(self._networks), len(self._comms)]
        most = max([*sizes, len(self._channels)])
        if most > MOST_DISTINCT:
            raise ParseError(tool=TOOL, reason=f"it tells of more than {MOST_DISTINCT} hosts or ranks")
        return NcclInfo(
            providers=tuple(self._providers),
            networks=tuple(self._networks),
            comms=tuple(self._comms),
            net_channels=tuple(
                NetChannels(*key, count[0], self._texts[key]) for key, count in self._channels.items()
            ),
            fallbacks=tuple(self._fallbacks),
            failures=tuple(self._failures.values()),
            plugin_versions=tuple(self._versions[_PLUGIN]),
            libfabric_versions=tuple(self._versions[_LIBFABRIC]),
            nccl_versions=tuple(self._versions[_NCCL]),
            hosts=tuple(sorted(self._hosts)),
            nvlink_hosts=tuple(sorted(self._nvlink_hosts)),
        )

    def _message(self, host: str, text: str) -> None:
        _keep(self._hosts, host)
        text = text.rstrip(_FRAME)
        channel = _CHANNEL.search(text) if "Channel " in text else None
        if channel is not None:
            self._channel(host, channel.group("way") or "", channel.group("via"), text)
            return
        lower = text.lower()
        if "net" in lower or "nternal" in lower:
            self._network(host, text)
        comm = _comm(host, text) if "Init COMPLETE" in text else None
        if comm is not None:
            _keep(self._comms, comm)

    def _network(self, host: str, text: str) -> None:
        """A message that may tell which network was chosen."""
        provider = _provider(host, text)
        if provider is not None:
            _keep(self._providers, provider)
        network = _NETWORK.search(text)
        if network is not None:
            _keep(self._networks, NetworkLine(host, network.group("name").strip()))
        if _NO_PLUGIN.search(text) and len(self._fallbacks) < MOST_TEXTS:
            self._fallbacks[text.strip()[:300]] = None

    def _version(self, line: str) -> None:
        for pattern, found in self._versions.items():
            version = pattern.search(line)
            if version is not None and len(found) < MOST_TEXTS:
                found[version.group("version")] = None

    def _channel(self, host: str, way: str, via: str, line: str) -> list[int]:
        """Count one connection; gives what the next of the same kind is counted in."""
        if via.startswith(NVLINK_VIA):
            _keep(self._nvlink_hosts, host)
            return [0]
        told = self._network_of(via)
        if told is None:
            return [0]
        key = (host, way, *told)
        count = self._channels.get(key)
        if count is None:
            count = [0]
            if len(self._channels) <= MOST_DISTINCT:
                self._channels[key] = count
                self._texts[key] = f"{host}: {line[line.index('Channel ') :].strip()}"[:300]
        count[0] += 1
        return count

    def _network_of(self, via: str) -> tuple[str, bool] | None:
        """``network_of``, remembered."""
        if via in self._vias:
            return self._vias[via]
        told = network_of(via)
        if len(self._vias) < MOST_TEXTS:
            self._vias[via] = told
        return told

    def _failure(self, host: str, line: str) -> None:
        meaning = meaning_of(line)
        if meaning is not None and len(self._failures) < MOST_TEXTS:
            self._failures.setdefault((host, meaning.text), ToldFailure(host, line.strip()[:300], meaning))


def lone_message(line: str) -> tuple[str, str, str] | None:
    """(host, way, via), where a line is one whole message about a connection, or about what is not looked for
    here (``via`` is empty), and holds nothing beside it but a launcher's label. Nearly all lines of a large
    log are.
    """
    match = _LONE_MESSAGE.match(line)
    return None if match is None else (match.group(1), match.group(2) or "", match.group(3) or "")


def network_of(via: str) -> tuple[str, bool] | None:
    """The network of a connection, and whether GPUDirect RDMA is on; None where it stays inside the node, or
    goes by NVLink.
    """
    match = _NET_VIA.match(via)
    if match is None:
        return None
    return match.group("network").strip(), match.group("tail").upper().startswith("/GDRDMA")


def tells_of_host(text: str) -> bool:
    """Whether a message tells what is kept once, however often a host says it: its provider, its network, a
    version, or that it has no plugin.
    """
    return any(pattern.search(text) for pattern in _TOLD_ONCE)


_Thing = TypeVar("_Thing")


def _keep(things: dict[_Thing, None], one: _Thing) -> None:
    if len(things) <= MOST_DISTINCT:
        things[one] = None


def _starts(line: str) -> list[re.Match[str]]:
    """Where messages begin; each holds `` NCCL `` once, so a line with one of them is not searched twice."""
    times = line.count(" NCCL ")
    if times > 1:
        return list(_MESSAGE.finditer(line))
    match = _MESSAGE.search(line) if times else None
    return [] if match is None else [match]


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
