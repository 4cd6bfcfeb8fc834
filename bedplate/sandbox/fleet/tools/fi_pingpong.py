"""``fi_pingpong -e rdm -p efa -f efa -d DOMAIN -S SIZE -I COUNT``: server with ``-B``, client with ``-P``.

The two ends meet by files in the node's ``run`` folder instead of a port, since all nodes share one host.
"""

from __future__ import annotations

import time
from pathlib import Path

from bedplate.sandbox.fleet.devices import efa_name
from bedplate.sandbox.fleet.performance import noise
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_SHARE_OF_WIRE = 0.8
"""Of the wire's rate that a ping-pong of 16 MiB reaches here: an assumption, nothing is published."""
_PATIENCE_SECONDS = 20.0
_PAUSE_SECONDS = 0.003
_VALUED = ("-e", "-p", "-f", "-d", "-S", "-I", "-B", "-P")


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    options, address = _options(arguments)
    device = _device(options, node)
    port = options.get("-P" if address else "-B", "47592")
    meeting = node.root / "run" / f"fi_pingpong.{port}"
    dead = any(index == device and speed == 0 for index, speed in node.effects.faulty_efas)
    if address:
        _wait_for(meeting, f"[error] util/pingpong.c:584: failed to connect: Connection refused\n{address}")
        if dead:
            raise ToolRefused(
                "[error] util/pingpong.c:743: fi_eq_sread: Resource temporarily unavailable", 11
            )
        row = _row(options, device, node)
        _count(options, device, node)
        meeting.with_suffix(meeting.suffix + ".done").touch()
    else:
        meeting.touch()
        done = meeting.with_suffix(meeting.suffix + ".done")
        _wait_for(done, "[error] util/pingpong.c:690: ctrl/read: Resource temporarily unavailable")
        meeting.unlink()
        done.unlink()
        row = _row(options, device, node)
    say("bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec", row)
    return 0


def _options(arguments: list[str]) -> tuple[dict[str, str], str]:
    words, found, address = list(arguments), dict[str, str](), ""
    while words:
        word = words.pop(0)
        if word in _VALUED and words:
            found[word] = words.pop(0)
        elif word.startswith("-") or address:
            raise ToolRefused(f"fi_pingpong: invalid option -- '{word.lstrip('-')}'", 1)
        else:
            address = word
    return found, address


def _device(options: dict[str, str], node: NodeTruth) -> int:
    """The device of a domain; a kernel's name without the suffix is no domain."""
    known = {f"{efa_name(node.hardware, index)}-rdm": index for index in node.efas}
    asked = (options.get("-e"), options.get("-p"), options.get("-f"))
    if asked != ("rdm", "efa", "efa") or options.get("-d") not in known:
        raise ToolRefused("[error] util/pingpong.c:1299: fi_getinfo: No data available", 61)
    return known[options["-d"]]


def _wait_for(path: Path, otherwise: str) -> None:
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while not path.exists():
        if time.monotonic() > give_up:
            raise ToolRefused(otherwise, 1)
        time.sleep(_PAUSE_SECONDS)


def _moved(options: dict[str, str]) -> tuple[int, int]:
    return int(options["-S"]), int(options["-I"])


def _row(options: dict[str, str], device: int, node: NodeTruth) -> str:
    size, count = _moved(options)
    speed = min((speed for index, speed in node.effects.faulty_efas if index == device), default=1.0)
    mb_per_s = node.hardware.efa_gbps_each / 8 * 1000 * _SHARE_OF_WIRE * speed
    mb_per_s *= noise(f"{node.seed}/{node.instance_id}/{device}/loopback")
    total = 2 * size * count
    each_us = size / mb_per_s
    seconds = total / mb_per_s / 1e6
    return (
        f"{_size(size):<8}{count:<8}={count:<8}{_size(total):<8}{seconds:8.2f}s{mb_per_s:10.2f}"
        f"{each_us:11.2f}{1 / each_us:11.2f}"
    )


def _size(value: int) -> str:
    """As libfabric writes a size: binary units, one digit behind the point below ten."""
    for unit, letter in ((1 << 30, "g"), (1 << 20, "m"), (1 << 10, "k")):
        if value >= unit:
            tenths = value % unit * 10 // unit if value // unit < 10 else 0
            return f"{value // unit}.{tenths}{letter}" if tenths else f"{value // unit}{letter}"
    return str(value)


def _count(options: dict[str, str], device: int, node: NodeTruth) -> None:
    """Both ends are on one device: it sends everything twice, and receives it."""
    size, count = _moved(options)
    moved = 2 * size * count
    errors = sum(times for index, times in node.effects.efa_errors if index == device)
    rises = {
        "tx_bytes": moved,
        "rx_bytes": moved,
        "send_bytes": moved,
        "recv_bytes": moved,
        "retrans_timeout_events": errors,
        "retrans_pkts": 40 * errors,
    }
    folder = node.root / "sys/class/infiniband" / efa_name(node.hardware, device) / "ports/1/hw_counters"
    for name, rise in rises.items():
        path = folder / name
        path.write_text(f"{int(path.read_text('ascii')) + rise}\n", "ascii")
