"""A simulated fleet of GPU nodes: what they are, what is wrong with them, and the tools that say so.

``Fleet`` is imported on first use: the tool stand-ins live below this package and must start in milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bedplate.sandbox.fleet.errors import FleetError, NodeUnreachable, UnknownNode
    from bedplate.sandbox.fleet.faults import FaultPlan, draw
    from bedplate.sandbox.fleet.fleet import Fleet
    from bedplate.sandbox.fleet.shell import ShellResult

_HOMES = {
    "FaultPlan": "faults",
    "Fleet": "fleet",
    "FleetError": "errors",
    "NodeUnreachable": "errors",
    "ShellResult": "shell",
    "UnknownNode": "errors",
    "draw": "faults",
}

__all__ = ["FaultPlan", "Fleet", "FleetError", "NodeUnreachable", "ShellResult", "UnknownNode", "draw"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
