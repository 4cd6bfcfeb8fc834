"""``fi_pingpong``, as far as it is no pair over one EFA device (``bedplate.sandbox.fleet.pingpong``)."""

from __future__ import annotations

from bedplate.sandbox.fleet.devices import efa_name
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

NO_DATA = 61  # ENODATA
_VALUED = ("-e", "-p", "-f", "-d", "-S", "-I", "-B", "-P")


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Refuse in the tool's words: what can be played was played before this program started."""
    del tool
    words, given = list(arguments), dict[str, str]()
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word not in _VALUED or not words:
            raise ToolRefused(f"fi_pingpong: invalid option -- '{word.lstrip('-')}'", 1)
        given[word] = words.pop(0)
    domains = {f"{efa_name(node.hardware, index)}-rdm" for index in node.efas}
    asked = (given.get("-e"), given.get("-p"), given.get("-f"))
    if asked != ("rdm", "efa", "efa") or given.get("-d") not in domains:
        raise ToolRefused("[error] util/pingpong.c:1299: fi_getinfo: No data available", NO_DATA)
    raise ToolRefused("fi_pingpong: the simulated one plays 100 messages of 16 MiB over 127.0.0.1 only", 1)
