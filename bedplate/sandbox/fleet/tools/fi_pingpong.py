"""``fi_pingpong`` over one EFA device: server with ``-B``, client with ``-P`` and an address.

On a node the launcher plays the usual pair itself (``bedplate.sandbox.fleet.pingpong``), and comes here with
all else; whoever calls the fleet's tools as functions comes here with the pair too. The ends meet by files
named after the port, since all nodes share one host.
"""

from __future__ import annotations

import time
from pathlib import Path

from bedplate.diagnosis.host_tools import LOOPBACK_BYTES, LOOPBACK_ITERATIONS
from bedplate.sandbox.fleet.devices import efa_name
from bedplate.sandbox.fleet.pingpong import is_dead, rises, table
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

NO_DATA = 61  # ENODATA
_VALUED = ("-e", "-p", "-f", "-d", "-S", "-I", "-B", "-P")
_PATIENCE_SECONDS = 20.0
_PAUSE_SECONDS = 0.02


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    given, address = _options(arguments)
    device = _device(given, node)
    port = given.get("-P" if address else "-B", "")
    if not port or (given.get("-S"), given.get("-I")) != (str(LOOPBACK_BYTES), str(LOOPBACK_ITERATIONS)):
        raise ToolRefused("fi_pingpong: the simulated one plays 100 messages of 16 MiB, with -B or -P", 1)
    meeting = node.root / "run" / f"fi_pingpong.{port}"
    done = meeting.with_name(f"{meeting.name}.done")
    if not address:
        meeting.touch()
        _await(done, "ctrl/read: Resource temporarily unavailable")
        done.unlink()
        meeting.unlink()
    else:
        _await(meeting, "failed to connect: Connection refused")
        if is_dead(node, device):
            raise ToolRefused("[error] util/pingpong.c: fi_eq_sread: Resource temporarily unavailable", 11)
        _count(node, device)
        done.touch()
    say(*table(node, device))
    return 0


def _options(arguments: list[str]) -> tuple[dict[str, str], str]:
    words, given = list(arguments), dict[str, str]()
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word not in _VALUED or not words:
            raise ToolRefused(f"fi_pingpong: invalid option -- '{word.lstrip('-')}'", 1)
        given[word] = words.pop(0)
    return given, " ".join(words)


def _device(given: dict[str, str], node: NodeTruth) -> int:
    """The device of a domain; a kernel's name without the suffix is no domain."""
    domains = {f"{efa_name(node.hardware, index)}-rdm": index for index in node.efas}
    asked = (given.get("-e"), given.get("-p"), given.get("-f"))
    if asked != ("rdm", "efa", "efa") or given.get("-d") not in domains:
        raise ToolRefused("[error] util/pingpong.c: fi_getinfo: No data available", NO_DATA)
    return domains[given["-d"]]


def _await(path: Path, otherwise: str) -> None:
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while not path.exists():
        if time.monotonic() > give_up:
            raise ToolRefused(f"[error] util/pingpong.c: {otherwise}", 1)
        time.sleep(_PAUSE_SECONDS)


def _count(node: NodeTruth, device: int) -> None:
    folder = node.root / "sys/class/infiniband" / efa_name(node.hardware, device) / "ports/1/hw_counters"
    for name, rise in rises(node, device).items():
        path = folder / name
        path.write_text(f"{int(path.read_text('ascii')) + rise}\n", "ascii")
