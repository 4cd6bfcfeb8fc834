"""Pyxis on a node: built from its source against the Slurm that is there, or found in the image.

Slurm loads a SPANK plugin of its own major release only, so each Slurm has a folder of its own here ("Install
SPANK plugins on AWS PCS" in the PCS User Guide asks for that). NVIDIA/pyxis is built by ``make`` with the
headers' folder in CPPFLAGS, in its environment: on make's command line it would take the place of its own.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from bedplate.node.bootstrap import packages
from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.containers import Download
from bedplate.node.bootstrap.fetching import fetch
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import HOME
from bedplate.node.bootstrap.slurm_version import matching_version
from bedplate.node.bootstrap.step import StepFailedError

PLUGIN = "spank_pyxis.so"
RUNTIME = "/run/pyxis"
OURS = f"{HOME}/pyxis"
BUILD = f"{HOME}/pyxis-build"
_BUILD_SECONDS = 300.0


def build(host: Host, source: Download, *, slurm: str) -> str:
    """Build it for the Slurm in that folder, once; returns the plugin's path. Raises ``StepFailedError``."""
    version = matching_version(host, slurm)
    folder = f"{OURS}/slurm-{version}"
    plugin = host.path(f"{folder}/{PLUGIN}")
    stamp = f"{folder}/built"
    if host.read(stamp) == _stamp(source, plugin):
        return f"{folder}/{PLUGIN}"
    packages.ensure(host, program="gcc", apt="build-essential", dnf="gcc")
    packages.ensure(host, program="make", apt="make", dnf="make")
    place = host.path(BUILD)
    shutil.rmtree(place, ignore_errors=True)
    (place / "source").mkdir(parents=True)
    try:
        made = _make(host, source, slurm=slurm)
        plugin.parent.mkdir(parents=True, exist_ok=True)
        partial = plugin.with_name(f".{PLUGIN}.bedplate")
        shutil.copyfile(made, partial)
        partial.chmod(0o644)
        # A slurmd that has loaded the old one keeps it.
        partial.replace(plugin)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    host.write(stamp, _stamp(source, plugin))
    return f"{folder}/{PLUGIN}"


def find(host: Host, *, slurm: str) -> str:
    """The image's plugin. Raises ``StepFailedError`` where it has none."""
    places = (f"{slurm}/lib/slurm/{PLUGIN}", f"/usr/local/lib/slurm/{PLUGIN}")
    found = next((path for path in places if host.path(path).exists()), None)
    if found is None:
        raise StepFailedError(
            f"the image has no Pyxis for this Slurm, neither {' nor '.join(places)}: take an image that has "
            "it, or write `kind: packages` and name its source"
        )
    return found


def _make(host: Host, source: Download, *, slurm: str) -> Path:
    archive = fetch(host, source, BUILD)
    folder = host.path(f"{BUILD}/source")
    unpack = ("tar", "--extract", "--no-same-owner", "--strip-components=1")
    must(host, *unpack, f"--file={archive}", f"--directory={folder}")
    headers = f"CPPFLAGS=-I{host.path(f'{slurm}/include')}"
    must(host, "env", headers, "make", "-C", str(folder), seconds=_BUILD_SECONDS)
    made = folder / PLUGIN
    if not made.is_file():
        raise StepFailedError(f"make of {source.uri} ended well, but there is no {PLUGIN}: is it Pyxis?")
    return made


def _stamp(source: Download, plugin: Path) -> str:
    """Changes where the source does, and where somebody wrote over what was built."""
    try:
        digest = hashlib.sha256(plugin.read_bytes()).hexdigest()
    except OSError:
        digest = "gone"
    return f"{source.sha256} {digest}\n"
