"""Where the programs are: in packages and archives that are fetched, or in the image.

Archives are those that the makers release: one program in a folder. Only files of known names are taken out
of them. Packages bring units of their own, which are masked: what runs here is started by our units.
"""

from __future__ import annotations

import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence, Tuple

from bedplate.node.bootstrap import packages
from bedplate.node.bootstrap.containers import Download
from bedplate.node.bootstrap.fetching import fetch
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import EXPORTERS
from bedplate.node.bootstrap.step import StepFailedError

BIN = f"{EXPORTERS}/bin"
_FETCHED = f"{EXPORTERS}/fetched"
_INSTALLED = f"{EXPORTERS}/installed.sha256"
_PACKAGES = (".deb", ".rpm")
_MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class Program:
    """``names`` are those that makers and distributions give it, the first that is found counting."""

    name: str
    names: Tuple[str, ...]
    of: str


DCGM_EXPORTER = Program(
    "dcgm-exporter", ("dcgm-exporter",), "NVIDIA's package datacenter-gpu-manager-exporter"
)
NODE_EXPORTER = Program(
    "node_exporter", ("node_exporter", "prometheus-node-exporter"), "github.com/prometheus/node_exporter"
)
AGENT = Program("vmagent", ("vmagent", "vmagent-prod"), "VictoriaMetrics' archive vmutils")
PROGRAMS = (DCGM_EXPORTER, NODE_EXPORTER, AGENT)
_NAMES = frozenset(name for each in PROGRAMS for name in each.names)


def install(host: Host, wanted: Sequence[Download]) -> str:
    """Install these, once. Raises ``StepFailedError``."""
    digests = "".join(f"{each.sha256}  {each.name}\n" for each in wanted)
    if host.read(_INSTALLED) == digests:
        return "were installed"
    folder = host.path(_FETCHED)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(host.path(BIN), ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        fetched = [fetch(host, each, _FETCHED) for each in wanted]
        files = [path for path in fetched if path.name.endswith(_PACKAGES)]
        if files:
            packages.install_files(host, [str(path) for path in files])
        for path in fetched:
            if path not in files:
                _unpack(path, host.path(BIN))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    host.write(_INSTALLED, digests)
    return "installed"


def command_of(host: Host, program: Program) -> Optional[str]:
    """What a unit starts it by: its path, or a name that systemd finds; None where it is not there."""
    for name in program.names:
        if host.path(f"{BIN}/{name}").is_file():
            return f"{BIN}/{name}"
    return next((name for name in program.names if host.has(name)), None)


def _unpack(archive: Path, folder: Path) -> None:
    """The programs in it. A link, or a path that leads elsewhere, is never followed."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = member.name.rpartition("/")[2]
                if not member.isfile() or name not in _NAMES or member.size > _MOST_BYTES:
                    continue
                source = tar.extractfile(member)
                if source is None:
                    continue
                with source, (folder / name).open("wb") as target:
                    shutil.copyfileobj(source, target)
                (folder / name).chmod(0o755)
                found.append(name)
    except (tarfile.TarError, OSError, EOFError) as error:
        raise StepFailedError(f"{archive.name} is no package and no archive: {error}") from error
    if not found:
        raise StepFailedError(f"{archive.name} holds none of {', '.join(sorted(_NAMES))}")
