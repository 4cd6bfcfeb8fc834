"""``systemctl daemon-reload``, ``show``, ``mask``, ``restart`` (Slurm's daemons), ``enable`` (those, and
units that are written), and ``start``, ``stop`` and ``kill`` of ``nvidia-imex``, with the units of an
untouched Ubuntu image. Timers do not go off.
"""

from __future__ import annotations

from pathlib import Path

from bedplate.sandbox.fleet.tools import imex_service
from bedplate.sandbox.fleet.tools.output import complain, say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_UNITS = ("apt-daily.timer", "apt-daily-upgrade.timer", "unattended-upgrades.service")
_FABRIC_MANAGER = "nvidia-fabricmanager.service"
_SLURM = {"slurmctld", "slurmd"}


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if arguments == ["daemon-reload"]:
        return 0
    units = [word for word in arguments[1:] if not word.startswith("-")]
    options = [word for word in arguments[1:] if word.startswith("-")]
    if arguments[:1] == ["show"] and units and len(options) == 1 and options[0].startswith("--property="):
        names = options[0].partition("=")[2].split(",")
        say("\n\n".join("\n".join(_properties(node, unit, names)) for unit in units))
        return 0
    if arguments[:1] == ["mask"] and units and set(options) <= {"--now"}:
        for unit in units:
            _mask(node, unit)
        return 0
    if units == [imex_service.UNIT] and node.hardware.imex and arguments[0] in ("start", "stop", "kill"):
        (imex_service.start if arguments[0] == "start" else imex_service.stop)(node)
        return 0
    known = _SLURM | {unit for unit in units if (node.root / "etc/systemd/system" / unit).is_file()}
    if arguments[:1] == ["enable"] and units and set(units) <= known and set(options) <= {"--now"}:
        return 0  # the fleet starts slurmd once the node's scripts have ended, and plays slurmctld by itself
    if arguments[:1] == ["restart"] and units and set(units) <= known and not options:
        return 0
    raise ToolRefused(f"Unknown command verb {' '.join(arguments) or '(none)'}.", 1)


def _properties(node: NodeTruth, unit: str, names: list[str]) -> list[str]:
    there, masked = unit in _units(node) or _link(node, unit).is_file(), _link(node, unit).is_symlink()
    failed = unit == _FABRIC_MANAGER and node.effects.fabric_manager_down
    rests = unit == imex_service.UNIT and imex_service.running(node) is None
    values = {
        "Id": unit,
        "LoadState": "masked" if masked else "loaded" if there else "not-found",
        "ActiveState": "failed" if failed else "active" if there and not masked and not rests else "inactive",
        "UnitFileState": "masked" if masked else "enabled" if there else "",
        "ExecMainExitTimestampMonotonic": "0",
    }
    for name in names:
        if name not in values:
            raise ToolRefused(f"the simulated systemctl shows no property {name}", 1)
    return [f"{name}={values[name]}" for name in names]


def _units(node: NodeTruth) -> tuple[str, ...]:
    """What is installed: the fabric manager where NVSwitches are inside the instance, else IMEX."""
    if node.hardware.imex:
        return (*_UNITS, imex_service.UNIT)
    return (*_UNITS, _FABRIC_MANAGER) if node.hardware.nvswitch else _UNITS


def _mask(node: NodeTruth, unit: str) -> None:
    link = _link(node, unit)
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to("/dev/null")
        complain(f"Created symlink {Path('/etc/systemd/system') / unit} → /dev/null.")


def _link(node: NodeTruth, unit: str) -> Path:
    return node.root / "etc/systemd/system" / unit
